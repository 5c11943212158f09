import type { TextToken } from './compare-texts.ts';

/** Texts with fewer words and numbers have nothing to be told apart by. */
export const MIN_TOKENS = 20;

// What is stored: two bytes for each band, one for each value of the two sketches, and one for how many numbers there are. Changing any of
// these numbers, or a hash function, makes all signatures useless: those of another size are made again, see store-signature.ts. The function
// signature_bands of the schema knows the number of bands. With one byte more, rows would take eight more.
const SHINGLE_BANDS = 6;
const NUMBER_BANDS = 4;
const BANDS = SHINGLE_BANDS + NUMBER_BANDS;
const WORD_VALUES = 12;
const NUMBER_VALUES = 13;
/** The size of a signature. */
export const SIGNATURE_BYTES = 2 * BANDS + WORD_VALUES + NUMBER_VALUES + 1;

/** Bands are of pairs of long words: there are many of them, and few are in two texts by chance. The same holds for long numbers. */
const MIN_BAND_WORD_CHARACTERS = 5;
const MIN_BAND_DIGITS = 3;

const put = (signature: Uint8Array, at: number, values: Uint32Array): void => {
  for (let n = 0; n < values.length; n += 1) signature[at + n] = (values[n] ?? 0) & 0xff;
};

/** Collects the words and numbers of a text, in whatever parts it comes, and makes its signature. Keeps one number for each different one. */
export class SignatureBuilder {
  readonly #shingles = new MinHash(SHINGLE_BANDS);
  readonly #longNumbers = new MinHash(NUMBER_BANDS);
  readonly #words = new MinHash(WORD_VALUES);
  readonly #numbers = new MinHash(NUMBER_VALUES);
  #tokens = 0;
  #before: string | undefined;

  add(tokens: readonly TextToken[]): void {
    for (const token of tokens) {
      this.#tokens += 1;
      if (token.isNumber) this.#addNumber(token.text);
      else this.#addWord(token.text);
    }
  }

  #addNumber(number: string): void {
    const hash = hashText(number);
    this.#numbers.add(hash);
    if (number.length >= MIN_BAND_DIGITS) this.#longNumbers.add(hash);
  }

  #addWord(word: string): void {
    this.#words.add(hashText(word));
    if (word.length < MIN_BAND_WORD_CHARACTERS) return;
    if (this.#before !== undefined) this.#shingles.add(hashText(`${this.#before} ${word}`));
    this.#before = word;
  }

  /** Undefined where the text is too short. */
  build(): Uint8Array | undefined {
    if (this.#tokens < MIN_TOKENS) return undefined;
    const signature = new Uint8Array(SIGNATURE_BYTES);
    const bands = [...bandsOf(this.#shingles, 0), ...bandsOf(this.#longNumbers, SHINGLE_BANDS)];
    for (const [at, band] of bands.entries()) signature.set([band >>> 8, band & 0xff], 2 * at);
    put(signature, 2 * BANDS, this.#words.values);
    put(signature, 2 * BANDS + WORD_VALUES, this.#numbers.values);
    signature[SIGNATURE_BYTES - 1] = Math.min(255, this.#numbers.size);
    return signature;
  }
}

/**
 * 15 bits for each band: with fewer the index is smaller, and more documents meet by chance. Those of no members at all are left to chance, so
 * that texts without numbers do not all meet.
 */
const bandsOf = (sketch: MinHash, first: number): number[] =>
  Array.from(sketch.values, (value, at) =>
    sketch.size === 0 ? Math.floor(Math.random() * 0x8000) : hashText(`${first + at} ${value}`) & 0x7fff,
  );

const shareOf = (one: Uint8Array, other: Uint8Array, from: number, values: number): number => {
  let same = 0;
  for (let at = from; at < from + values; at += 1) if (one[at] === other[at]) same += 1;
  return same / values;
};

/** Estimates of the Jaccard similarity of two texts from their signatures, between 0 and 1. */
export interface Estimate {
  readonly words: number;
  /** 1 where neither text has numbers. */
  readonly numbers: number;
}

export const estimate = (one: Uint8Array, other: Uint8Array): Estimate => {
  const numberCount = Math.max(one[SIGNATURE_BYTES - 1] ?? 0, other[SIGNATURE_BYTES - 1] ?? 0);
  return {
    words: shareOf(one, other, 2 * BANDS, WORD_VALUES),
    numbers: numberCount === 0 ? 1 : shareOf(one, other, 2 * BANDS + WORD_VALUES, NUMBER_VALUES),
  };
};

/** FNV-1a, with the finish of MurmurHash3 so that all bits depend on all characters. */
const hashText = (text: string, seed = 0): number => {
  let hash = 0x811c9dc5 ^ seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mix(hash);
};

const mix = (value: number): number => {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
};

/** One hash function for each value of a sketch, made from one. Part of what is stored: a change makes all signatures useless. */
const seedsOf = (count: number): Uint32Array => Uint32Array.from({ length: count }, (_, at) => mix(Math.imul(at + 1, 0x9e3779b1)));

/**
 * MinHash of a set: of each of its hash functions the least value of all members. The share of values that two sketches have in common
 * estimates the Jaccard similarity of their sets.
 */
class MinHash {
  readonly #seeds: Uint32Array;
  readonly #least: Uint32Array;
  readonly #seen = new Set<number>();

  constructor(values: number) {
    this.#seeds = seedsOf(values);
    this.#least = new Uint32Array(values).fill(0xffffffff);
  }

  /** How many different members there are. */
  get size(): number {
    return this.#seen.size;
  }

  add(member: number): void {
    if (this.#seen.has(member)) return;
    this.#seen.add(member);
    const seeds = this.#seeds;
    const least = this.#least;
    for (let at = 0; at < seeds.length; at += 1) {
      const hash = mix(member ^ (seeds[at] ?? 0));
      if (hash < (least[at] ?? 0)) least[at] = hash;
    }
  }

  get values(): Uint32Array {
    return this.#least;
  }
}
