import { rule } from '../issue.ts';

export const hasNoControl = (text: string): boolean => !/\p{Cc}/u.test(text);
export const NO_CONTROL = rule('control_characters');
