import { findGaps, type Gap, type TextToken } from './align-texts.ts';

/** What of a text is compared with others. */
export interface ComparedText {
  readonly tokens: readonly TextToken[];
  /** How often each word and each number is there. */
  readonly counts: ReadonlyMap<string, number>;
  readonly words: ReadonlySet<string>;
}

/** Takes time and memory in proportion to the text. */
export const prepareText = (tokens: readonly TextToken[]): ComparedText => {
  const counts = new Map<string, number>();
  for (const { text } of tokens) counts.set(text, (counts.get(text) ?? 0) + 1);
  return { tokens, counts, words: new Set(tokens.flatMap(({ isNumber, text }) => (isNumber ? [] : [text]))) };
};

const jaccard = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  let common = 0;
  for (const word of one) if (other.has(word)) common += 1;
  const all = one.size + other.size - common;
  return all === 0 ? 0 : common / all;
};

/** The share of the words and numbers of both that are in the other one too, 0 to 1. */
const likeness = (one: ComparedText, other: ComparedText): number => {
  let common = 0;
  for (const [text, count] of one.counts) common += Math.min(count, other.counts.get(text) ?? 0);
  const all = one.tokens.length + other.tokens.length;
  return all === 0 ? 0 : (2 * common) / all;
};

// Limits lie in the middle between the scans of one paper and the papers that are most like each other of the half of the corpus that was
// learned from: see docs/contributing/internals/near-duplicates.md.

/** Texts with fewer words in common are about other things. */
const MIN_WORDS = 0.24;
const MAX_LETTERS = 0.095;

/** The better both scans were recognised, the fewer digits can have been recognised badly. */
const maxDigits = (words: number): number => 0.13 - 0.065 * words;

/** Figures of two texts that are compared: shares from 0 to 1. */
export interface Figures {
  /** The Jaccard similarity of the words. */
  readonly words: number;
  /** Of the digits and of the letters, those that stand where the other text has others. 1 where too few words agree to look for them. */
  readonly digits: number;
  readonly letters: number;
}

export const figuresOf = (one: ComparedText, other: ComparedText): Figures => {
  const words = jaccard(one.words, other.words);
  return words < MIN_WORDS ? { words, digits: 1, letters: 1 } : { words, ...replacedCharacters(one.tokens, other.tokens) };
};

export interface Comparison {
  /** The share of the words and numbers of both that are in the other one too, 0 to 1. */
  readonly similarity: number;
  /** Whether both may be scans of one paper. */
  readonly isNearDuplicate: boolean;
}

/** Compares two texts in time that is in proportion to them. */
export const compareTexts = (one: ComparedText, other: ComparedText): Comparison => {
  const { words, digits, letters } = figuresOf(one, other);
  const isNearDuplicate = words >= MIN_WORDS && letters <= MAX_LETTERS && digits <= maxDigits(words);
  return { similarity: likeness(one, other), isNearDuplicate };
};

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

interface Replaced {
  readonly digits: number;
  readonly letters: number;
}

/**
 * The shares, 0 to 1, of the digits and of the letters that one text has in the place of others. A character that is recognised badly takes
 * the place of one; a form that is filled in otherwise has another number or name there.
 */
const replacedCharacters = (one: readonly TextToken[], other: readonly TextToken[]): Replaced => {
  const gaps = findGaps(one, other);
  const shorter = one.length < other.length ? one : other;
  return { digits: shareOf(gaps, shorter, true), letters: shareOf(gaps, shorter, false) };
};
