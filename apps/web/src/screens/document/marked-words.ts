/** The words of a query that are looked for: without operators, and without what must not occur. A star before one: it may begin earlier. */
export const wordsOf = (query: string): readonly string[] => {
  const words = query
    .replaceAll(/(?:^|\s)-(?:"[^"]*"|\S+)/g, ' ')
    .replaceAll(/\b(?:label|filename|title|content):/g, ' ')
    .replaceAll(/\bOR\b/g, ' ')
    .match(/(?<![\p{L}\p{N}])\*[\p{L}\p{N}]+|[\p{L}\p{N}]+/gu);
  return [...new Set((words ?? []).map(plainOf))];
};

/** As the search compares words: small letters, no accents. */
const plainOf = (word: string): string => word.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

const INSIDE = '*';
const MIN_STEM = 4;
const MAX_ENDING = 3;

/** Whether a word of the text is one that was looked for, give or take an ending. */
const isMeant = (word: string, wanted: readonly string[]): boolean =>
  wanted.some((one) => {
    if (word === one) return true;
    if (one.startsWith(INSIDE)) return word.includes(one.slice(INSIDE.length));
    const [short, long] = word.length < one.length ? [word, one] : [one, word];
    if (long.length - short.length > MAX_ENDING) return false;
    const stem = short.slice(0, Math.max(MIN_STEM, short.length - 1));
    return stem.length >= MIN_STEM && long.startsWith(stem);
  });

export interface Part {
  readonly text: string;
  readonly isMarked: boolean;
}

/** A text in parts, of which those are marked that were looked for. */
export const markWords = (text: string, wanted: readonly string[]): readonly Part[] => {
  if (wanted.length === 0) return [{ text, isMarked: false }];
  return text
    .split(/([\p{L}\p{N}]+)/u)
    .filter((part) => part !== '')
    .reduce<Part[]>((parts, part) => {
      const isMarked = isMeant(plainOf(part), wanted);
      const last = parts.at(-1);
      if (last !== undefined && !isMarked && !last.isMarked) parts[parts.length - 1] = { text: last.text + part, isMarked: false };
      else parts.push({ text: part, isMarked });
      return parts;
    }, []);
};
