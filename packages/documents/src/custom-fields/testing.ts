export { parseValue } from './parse-value.ts';
