import { type Queries, seededRandom } from './search-queries.ts';

/** What people ask, in parts of a hundred. */
const MIX = { rare: 40, two: 30, phrase: 10, common: 10, filtered: 10 } as const satisfies Record<keyof Queries['draw'], number>;
export type MixKind = keyof typeof MIX;
export const MIX_KINDS = Object.keys(MIX) as MixKind[];

/** Always the same ones for the same queries and count. */
export const drawMix = ({ draw }: Queries, count: number): { kind: MixKind; path: string }[] => {
  const random = seededRandom(7);
  return Array.from({ length: count }, () => {
    let left = random() * 100;
    const kind = MIX_KINDS.find((name) => (left -= MIX[name]) < 0) ?? 'rare';
    return { kind, path: draw[kind]() };
  });
};
