import { type Atom, splitIntoAtoms } from '@sheaf/facts';

/** Tokens of two texts that are at the same place between tokens that both have, and are not the same. */
export interface Gap {
  readonly one: readonly TextToken[];
  readonly other: readonly TextToken[];
}

/** Where each token stands that is there once; the others have -1. */
const placesOf = (tokens: readonly TextToken[]): Map<string, number> => {
  const places = new Map<string, number>();
  for (const [at, { text }] of tokens.entries()) places.set(text, places.has(text) ? -1 : at);
  return places;
};

interface Anchor {
  readonly one: number;
  readonly other: number;
}

/** The tokens that are in both texts once, in the order of the first one. */
const anchorsOf = (one: readonly TextToken[], other: readonly TextToken[]): Anchor[] => {
  const places = placesOf(other);
  return [...placesOf(one)].flatMap(([text, at]) => {
    const there = places.get(text) ?? -1;
    return at < 0 || there < 0 ? [] : [{ one: at, other: there }];
  });
};

/** The longest run of anchors that are in the same order in both texts. */
const longestInOrder = (anchors: readonly Anchor[]): Anchor[] => {
  // last[n]: the anchor that ends a run of n + 1 with the least place in the other text
  const last: number[] = [];
  const before: number[] = [];
  for (const [at, { other }] of anchors.entries()) {
    let [low, high] = [0, last.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((anchors[last[middle] ?? 0]?.other ?? 0) < other) low = middle + 1;
      else high = middle;
    }
    before.push(last[low - 1] ?? -1);
    last[low] = at;
  }
  const run: Anchor[] = [];
  for (let at = last.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) {
    const anchor = anchors[at];
    if (anchor !== undefined) run.push(anchor);
  }
  return run.toReversed();
};

/** What is left between two anchors after the tokens at its beginning and its end that are the same in both texts. */
const trim = ({ one, other }: Gap): Gap => {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start]?.text === other[start]?.text) start += 1;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end)?.text === other.at(-1 - end)?.text) end += 1;
  return { one: one.slice(start, one.length - end), other: other.slice(start, other.length - end) };
};

/** Where two texts differ, with the words that each has there once as anchors. Takes time in proportion to the texts, but for a logarithm. */
export const findGaps = (one: readonly TextToken[], other: readonly TextToken[]): Gap[] => {
  const gaps: Gap[] = [];
  let from: Anchor = { one: 0, other: 0 };
  for (const anchor of [...longestInOrder(anchorsOf(one, other)), { one: one.length, other: other.length }]) {
    const gap = trim({ one: one.slice(from.one, anchor.one), other: other.slice(from.other, anchor.other) });
    if (gap.one.length > 0 && gap.other.length > 0) gaps.push(gap);
    from = { one: anchor.one + 1, other: anchor.other + 1 };
  }
  return gaps;
};

/** A word without case and accents, or a number without its punctuation: 1,234.50 is 123450, and 17.05.2024 is 17052024. */
export interface TextToken {
  readonly isNumber: boolean;
  readonly text: string;
}

/** Shorter ones are stop words, or what is left of a word that was recognised badly. */
const MIN_WORD_CHARACTERS = 3;
const MIN_DIGITS = 2;
/** Longer runs of letters are text without spaces, such as Chinese: they are compared in pieces. */
const MAX_WORD_CHARACTERS = 24;
const PIECE_CHARACTERS = 3;
const JOINTS = new Set(['.', ',', ':', '/', '-']);
/** The first character of the first script that is written without spaces, and those before it that are: Thai, Lao, Burmese and Khmer. */
const WITHOUT_SPACES = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]/u;

const isUnspaced = (word: string): boolean => word.length > MAX_WORD_CHARACTERS || WITHOUT_SPACES.test(word);

const piecesOf = (word: string): TextToken[] => {
  const pieces: TextToken[] = [];
  for (let at = 0; at + PIECE_CHARACTERS <= word.length; at += 1)
    pieces.push({ isNumber: false, text: word.slice(at, at + PIECE_CHARACTERS) });
  return pieces;
};

const wordTokens = ({ folded }: Atom): readonly TextToken[] => {
  if (isUnspaced(folded)) return piecesOf(folded);
  return folded.length < MIN_WORD_CHARACTERS ? [] : [{ isNumber: false, text: folded }];
};

/** Whether the digits at `at` go on after one sign: without a space on either side. */
const isJoined = (atoms: readonly Atom[], at: number): boolean => {
  const [sign, next] = [atoms[at + 1], atoms[at + 2]];
  return sign?.kind === 'sign' && JOINTS.has(sign.text) && !sign.isSpaced && next?.kind === 'digits' && !next.isSpaced;
};

/** The words and numbers of a text in their order. Takes time in proportion to the text. */
export const tokensOf = (text: string): TextToken[] => {
  const atoms = splitIntoAtoms(text);
  const tokens: TextToken[] = [];
  for (let at = 0; at < atoms.length; at += 1) {
    const atom = atoms[at];
    if (atom === undefined || atom.kind === 'sign') continue;
    if (atom.kind === 'letters') {
      for (const token of wordTokens(atom)) tokens.push(token);
      continue;
    }
    let number = atom.text;
    for (; isJoined(atoms, at); at += 2) number += atoms[at + 2]?.text ?? '';
    if (number.length >= MIN_DIGITS) tokens.push({ isNumber: true, text: number });
  }
  return tokens;
};

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
