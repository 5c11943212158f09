/** Longer ones have no place in a WebP. */
const MAX_BITS = 15;

/** The codes of some symbols, by the number of the symbol: the more frequent, the shorter. A length of 0 is a symbol that is never written. */
export interface PrefixCode {
  readonly lengths: Uint8Array;
  /** Written from the lowest bit up. */
  readonly codes: Uint16Array;
}

/** The best code for symbols that are as frequent as `counts` say; at least two of them have one. */
export const makePrefixCode = (counts: Uint32Array): PrefixCode => {
  const wanted = Uint32Array.from(counts);
  // a code of one symbol has no bits, which is written in another way: a second one costs nothing
  for (let at = 0; wanted.filter((count) => count > 0).length < 2; at += 1) wanted[at] ||= 1;
  let lengths = lengthsOf(wanted);
  // with rare symbols counted as more frequent than they are, no code gets longer than is allowed
  for (let least = 2; Math.max(...lengths) > MAX_BITS; least *= 2)
    lengths = lengthsOf(wanted.map((count) => count && Math.max(count, least)));
  return { lengths, codes: codesOf(lengths) };
};

interface Node {
  readonly count: number;
  readonly symbols: readonly number[];
}

/** Huffman's way: the two rarest become one, until one is left; each symbol in it is a bit longer by that. */
const lengthsOf = (counts: Uint32Array): Uint8Array => {
  const lengths = new Uint8Array(counts.length);
  const leaves: Node[] = [...counts.entries()].flatMap(([symbol, count]) => (count > 0 ? [{ count, symbols: [symbol] }] : []));
  leaves.sort((a, b) => a.count - b.count);
  const joined: Node[] = []; // in the order of their counts, as they are made
  let [nextLeaf, nextJoined] = [0, 0];
  const takeRarest = (): Node | undefined => {
    const [leaf, join] = [leaves[nextLeaf], joined[nextJoined]];
    if (leaf !== undefined && (join === undefined || leaf.count <= join.count)) {
      nextLeaf += 1;
      return leaf;
    }
    nextJoined += 1;
    return join;
  };
  for (let left = leaves.length; left > 1; left -= 1) {
    const [one, other] = [takeRarest(), takeRarest()];
    if (one === undefined || other === undefined) break;
    const symbols = [...one.symbols, ...other.symbols];
    for (const symbol of symbols) lengths[symbol] = (lengths[symbol] ?? 0) + 1;
    joined.push({ count: one.count + other.count, symbols });
  }
  return lengths;
};

/** Codes of one length follow each other, behind those that are shorter. */
const codesOf = (lengths: Uint8Array): Uint16Array => {
  const codes = new Uint16Array(lengths.length);
  let next = 0;
  for (let length = 1; length <= MAX_BITS; length += 1) {
    for (const [symbol, own] of lengths.entries()) {
      if (own !== length) continue;
      codes[symbol] = reversed(next, length);
      next += 1;
    }
    next <<= 1;
  }
  return codes;
};

const reversed = (code: number, length: number): number => {
  let result = 0;
  for (let bit = 0; bit < length; bit += 1) result |= ((code >> bit) & 1) << (length - 1 - bit);
  return result;
};
