import { editDistance } from '@sheaf/contract';

const LONGEST = 100;

/** The one of `known` that is most like `name`, or undefined where none is like it. */
export const findNearest = (name: string, known: readonly string[]): string | undefined => {
  if (name.length > LONGEST) return undefined;
  const limit = Math.max(1, Math.floor(name.length / 3));
  const found = known
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance);
  return found[0]?.candidate;
};

/** `; did you mean "x"?` for the end of a message, or nothing. */
export const didYouMean = (name: string, known: readonly string[]): string => {
  const nearest = findNearest(name, known);
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
};
