import { replacedCharacters } from './replaced-characters.ts';
import type { TextToken } from './text-tokens.ts';

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
