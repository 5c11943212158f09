import { compareNumbers, comparePlaces } from './compare-numbers.ts';
import type { TextToken } from './text-tokens.ts';

/** Words and numbers with how often they are there. */
interface Counts {
  readonly words: ReadonlyMap<string, number>;
  readonly numbers: ReadonlyMap<string, number>;
}

/** What of a text is compared with others. */
export interface ComparedText {
  readonly whole: Counts;
  /** Without what the form says. */
  readonly filledIn: Counts;
  /** Numbers by where they stand: the word before them, and how many numbers are between. Places that are there twice are left out. */
  readonly places: ReadonlyMap<string, string>;
}

/** Where fewer numbers are left, what is left says too little. */
const MIN_FILLED_IN = 4;

const countTokens = (tokens: readonly TextToken[]): Counts => {
  const words = new Map<string, number>();
  const numbers = new Map<string, number>();
  for (const { isNumber, text } of tokens) {
    const counts = isNumber ? numbers : words;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return { words, numbers };
};

const placesOf = (tokens: readonly TextToken[]): Map<string, string> => {
  const places = new Map<string, string>();
  const repeated = new Set<string>();
  let [word, sinceWord] = ['', 0];
  for (const { isNumber, text } of tokens) {
    if (!isNumber) {
      [word, sinceWord] = [text, 0];
      continue;
    }
    const place = `${word} ${sinceWord}`;
    sinceWord += 1;
    if (places.has(place)) repeated.add(place);
    places.set(place, text);
  }
  for (const place of repeated) places.delete(place);
  return places;
};

/** Takes time and memory in proportion to the text. `form`: what many texts of its kind say, see formTokensOf. */
export const prepareText = (tokens: readonly TextToken[], form: ReadonlySet<string> = new Set()): ComparedText => {
  const filledIn = tokens.filter(({ text }) => !form.has(text));
  const whole = countTokens(tokens);
  const isEnough = filledIn.filter(({ isNumber }) => isNumber).length >= MIN_FILLED_IN;
  return { whole, filledIn: isEnough ? countTokens(filledIn) : whole, places: placesOf(tokens) };
};

const sizeOf = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((size, count) => size + count, 0);

const commonOf = (one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number => {
  let common = 0;
  for (const [key, count] of one) common += Math.min(count, other.get(key) ?? 0);
  return common;
};

interface Members {
  readonly size: number;
  has(key: string): boolean;
  keys(): Iterable<string>;
}

const jaccard = (one: Members, other: Members): number => {
  let common = 0;
  for (const key of one.keys()) if (other.has(key)) common += 1;
  const all = one.size + other.size - common;
  return all === 0 ? 0 : common / all;
};

/** The share of the words and numbers of both that are in the other one too, 0 to 1. */
const likeness = (one: Counts, other: Counts): number => {
  const all = [one, other].reduce((sum, { words, numbers }) => sum + sizeOf(words) + sizeOf(numbers), 0);
  return all === 0 ? 0 : (2 * (commonOf(one.words, other.words) + commonOf(one.numbers, other.numbers))) / all;
};

/** Texts with fewer words in common are about other things, whatever numbers they have in common. */
const MIN_WORDS = 0.2;

/**
 * How much each figure says, learned by logistic regression from scans: see docs/contributing/internals/near-duplicates.md. Two scans of one
 * paper differ in words and numbers alike, as these were recognised badly; two papers with the same form differ in numbers, and little in words.
 */
const WEIGHTS = {
  constant: -3.22,
  words: 2.24,
  filledIn: 3.17,
  numbers: 2.49,
  nearNumbers: 2.78,
  nearLongNumbers: 4.47,
  same: -3.4,
  different: -1.82,
  numberErrors: -3,
  placeErrors: -0.65,
};

/**
 * The score that is wanted of two texts: more where few words agree, so that it is by chance that numbers do, and where nearly all agree, so that
 * scans are good and each number that differs was written so.
 */
const minScore = (words: number): number => {
  if (words < 0.7) return 1.3;
  return words < 0.9 ? 0 : 2.1;
};

/** Figures of two texts that are compared: shares from 0 to 1, and logarithms of how many errors in numbers there are for each one in words. */
export type Figures = Readonly<Record<Exclude<keyof typeof WEIGHTS, 'constant'>, number>>;

export const figuresOf = (one: ComparedText, other: ComparedText): Figures => {
  const words = jaccard(one.whole.words, other.whole.words);
  const places = comparePlaces(one.places, other.places);
  const numbers = compareNumbers(one.filledIn.numbers, other.filledIn.numbers);
  // of the Jaccard similarity, the share of the words of one text that are not in the other one
  const wordErrors = 1 - (2 * words) / (1 + words) + 0.03;
  return {
    words,
    filledIn: jaccard(one.filledIn.words, other.filledIn.words),
    ...numbers,
    ...places,
    numberErrors: Math.log((1 - numbers.numbers + 0.03) / wordErrors),
    placeErrors: Math.log((places.different + 0.02) / wordErrors),
  };
};

export interface Comparison {
  /** The share of the words and numbers of both that are in the other one too, 0 to 1. */
  readonly similarity: number;
  /** Whether both may be scans of one paper. */
  readonly isNearDuplicate: boolean;
}

/** Compares two texts in time that is in proportion to them. */
export const compareTexts = (one: ComparedText, other: ComparedText): Comparison => {
  const figures = figuresOf(one, other);
  const { constant, ...weights } = WEIGHTS;
  const score = Object.entries(weights).reduce((sum, [name, weight]) => sum + weight * figures[name as keyof Figures], constant);
  return { similarity: likeness(one.whole, other.whole), isNearDuplicate: figures.words >= MIN_WORDS && score > minScore(figures.words) };
};
