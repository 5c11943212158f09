import { createHash, randomBytes } from 'node:crypto';
import { CODE_CHARACTERS, readTypedCode, toTypedCode } from '../typed-code.ts';

const CODES = 10;

/** Ten codes as a person writes them down. */
export const makeRecoveryCodes = (): readonly string[] => {
  const codes = new Set<string>();
  while (codes.size < CODES) codes.add(toTypedCode(randomBytes(CODE_CHARACTERS)));
  return [...codes];
};

/** What is stored of a code, or undefined when `typed` is none. The owner is part of it, so that equal codes of two people differ. */
export const hashRecoveryCode = (typed: string, userId: string): string | undefined => {
  const code = readTypedCode(typed);
  return code === undefined ? undefined : createHash('sha256').update(`${userId}:${code}`).digest('hex');
};
