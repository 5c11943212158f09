/**
 * Letters to insert, delete, replace or swap with their neighbour until `a` is each beginning of `b`, from the empty one to the
 * whole; undefined where all of them take more than `limit`. Not fastest-levenshtein: there two swapped letters, the most frequent
 * typing error, count as two errors, and there is no distance to a beginning.
 */
const distancesToBeginnings = (a: string, b: string, limit: number): readonly number[] | undefined => {
  const [from, to] = [Array.from(a), Array.from(b)];
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row.push(
        Math.min(
          (last[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (last[j - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    if (Math.min(...row) > limit) return undefined;
    [beforeLast, last] = [last, row];
  }
  return last;
};

/** Letters to insert, delete, replace or swap with their neighbour until `a` is `b`; `limit + 1` where there are more. */
export const editDistance = (a: string, b: string, limit = Number.POSITIVE_INFINITY): number =>
  Math.min(distancesToBeginnings(a, b, limit)?.at(-1) ?? limit + 1, limit + 1);

/** The same until `a` is some beginning of `b`. */
export const editDistanceToBeginning = (a: string, b: string, limit: number): number =>
  Math.min(...(distancesToBeginnings(a, b, limit) ?? []), limit + 1);

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** `text` for the content or a quoted attribute of HTML. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

// Apart from the schemas, which the threads that read documents have no use for: they would load them for each thread.

/** `text` as PostgreSQL and JSON accept it: without NUL, and without halves of surrogate pairs. */
export const storableText = (text: string): string => {
  const withoutNul = text.includes('\0') ? text.replaceAll('\0', '') : text;
  return withoutNul.isWellFormed() ? withoutNul : withoutNul.toWellFormed();
};

/** A copy of `data` with every text in it made storable. */
export const storableJson = <T extends object>(data: T): T =>
  JSON.parse(JSON.stringify(data, (_key, value: unknown) => (typeof value === 'string' ? storableText(value) : value))) as T;

/**
 * `text` without the `character`s at its end. An expression such as `/x+$/` tries each of them anew where something follows,
 * which takes time in proportion to the square of their number.
 */
export const stripEnd = (text: string, character: string): string => {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
};

/** `text` without the `character`s at its beginning and its end. */
export const stripBoth = (text: string, character: string): string => {
  let start = 0;
  while (start < text.length && text[start] === character) start += 1;
  return stripEnd(text.slice(start), character);
};
