import { createHash, randomBytes } from 'node:crypto';

/** Crockford's alphabet of 32: no i, l, o or u, which are read as 1, 1, 0 and v. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const CODES = 10;
/** 12 characters of 5 bits each: 60 bits, in groups of four. */
const CHARACTERS = 12;

const makeCode = (): string => {
  const characters = Array.from(randomBytes(CHARACTERS), (byte) => ALPHABET.charAt(byte % ALPHABET.length));
  return [0, 4, 8].map((start) => characters.slice(start, start + 4).join('')).join('-');
};

/** Ten codes as a person writes them down. */
export const makeRecoveryCodes = (): readonly string[] => {
  const codes = new Set<string>();
  while (codes.size < CODES) codes.add(makeCode());
  return [...codes];
};

/** The one form of a code that was typed from paper, or undefined when it is none. */
const readRecoveryCode = (typed: string): string | undefined => {
  const code = typed.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1').replaceAll('u', 'v');
  return code.length === CHARACTERS && Array.from(code).every((character) => ALPHABET.includes(character)) ? code : undefined;
};

/** What is stored of a code, or undefined when `typed` is none. The owner is part of it, so that equal codes of two people differ. */
export const hashRecoveryCode = (typed: string, userId: string): string | undefined => {
  const code = readRecoveryCode(typed);
  return code === undefined ? undefined : createHash('sha256').update(`${userId}:${code}`).digest('hex');
};
