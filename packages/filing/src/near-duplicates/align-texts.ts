import type { TextToken } from './text-tokens.ts';

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
