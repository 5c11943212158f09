/** FNV-1a, with the finish of MurmurHash3 so that all bits depend on all characters. */
export const hashText = (text: string, seed = 0): number => {
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
export class MinHash {
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
