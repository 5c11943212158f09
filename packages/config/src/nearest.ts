/** How many characters have to be added, taken away, changed or swapped with the next one to make `a` into `b`. */
export const editDistance = (a: string, b: string): number => {
  let [before, row] = [[] as number[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? (before[j - 2] ?? 0) + 1 : changed;
      next[j] = Math.min(changed, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
};

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
