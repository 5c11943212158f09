import { findGaps, type Gap } from './align-texts.ts';
import type { TextToken } from './text-tokens.ts';

/** Of longer gaps, the beginning stands for all. */
const MAX_CHARACTERS = 80;

/** The length of the longest common subsequence: what is left of a text where single characters were changed, added or left out. */
const commonLength = (one: string, other: string): number => {
  let lengths = new Uint8Array(other.length + 1);
  for (let row = 0; row < one.length; row += 1) {
    const next = new Uint8Array(other.length + 1);
    for (let column = 0; column < other.length; column += 1)
      next[column + 1] = one[row] === other[column] ? (lengths[column] ?? 0) + 1 : Math.max(lengths[column + 1] ?? 0, next[column] ?? 0);
    lengths = next;
  }
  return lengths[other.length] ?? 0;
};

/** How many characters of the shorter one stand where the other one has others. What only one of both has is not counted. */
const replacedIn = (one: string, other: string): number => {
  const shorter = Math.min(one.length, other.length);
  if (shorter === 0) return 0;
  const looked = Math.min(shorter, MAX_CHARACTERS);
  const common = Math.min(looked, commonLength(one.slice(0, MAX_CHARACTERS), other.slice(0, MAX_CHARACTERS)));
  return ((looked - common) / looked) * shorter;
};

const joined = (tokens: readonly TextToken[], isNumber: boolean): string =>
  tokens
    .filter((token) => token.isNumber === isNumber)
    .map(({ text }) => text)
    .join('');

const lengthOf = (tokens: readonly TextToken[], isNumber: boolean): number =>
  tokens.reduce((length, token) => (token.isNumber === isNumber ? length + token.text.length : length), 0);

/** So that a few characters in a short text say little. */
const AT_LEAST = 4;

const shareOf = (gaps: readonly Gap[], shorter: readonly TextToken[], isNumber: boolean): number => {
  const replaced = gaps.reduce((sum, { one, other }) => sum + replacedIn(joined(one, isNumber), joined(other, isNumber)), 0);
  return replaced / (lengthOf(shorter, isNumber) + AT_LEAST);
};

export interface Replaced {
  readonly digits: number;
  readonly letters: number;
}

/**
 * The shares, 0 to 1, of the digits and of the letters that one text has in the place of others. A character that is recognised badly takes
 * the place of one; a form that is filled in otherwise has another number or name there.
 */
export const replacedCharacters = (one: readonly TextToken[], other: readonly TextToken[]): Replaced => {
  const gaps = findGaps(one, other);
  const shorter = one.length < other.length ? one : other;
  return { digits: shareOf(gaps, shorter, true), letters: shareOf(gaps, shorter, false) };
};
