import type { Line } from '../text/page-lines.ts';
import { wordsOf } from '../text/phrases.ts';
import { BEGINNING, type Correspondent, type CorrespondentIndex, type KnownName, squeeze } from './correspondents.ts';

export interface NameHit {
  readonly correspondent: Correspondent;
  readonly line: Line;
  /** 1 for the name as it is, less where characters differ. */
  readonly likeness: number;
  /** Characters that are alike: of two names in one place the longer is meant. */
  readonly length: number;
}

const MAX_HITS = 200;
/** Of names with places in the text, so that thousands of names that begin alike take no longer than other text. */
const MAX_COMPARISONS = 500_000;

/** The names that begin in a line of `lines`, also across its end. */
export const findNames = (lines: readonly Line[], index: CorrespondentIndex): NameHit[] => {
  const hits: NameHit[] = [];
  const texts = lines.map(({ text }) => squeeze(text));
  let comparisons = 0;
  lines.forEach((line, at) => {
    const own = texts[at] ?? '';
    const text = own + (texts[at + 1] ?? '') + (texts[at + 2] ?? '');
    for (let from = 0; from < own.length && hits.length < MAX_HITS && comparisons < MAX_COMPARISONS; from += 1) {
      const names = index.byBeginning.get(text.slice(from, from + BEGINNING)) ?? [];
      comparisons += names.length;
      for (const { correspondent, squeezed } of names)
        if (text.startsWith(squeezed, from)) hits.push({ correspondent, line, likeness: 1, length: squeezed.length });
    }
  });
  return hits;
};

const MAX_COMPARED = 40;
const MIN_LIKENESS = 0.75;

/** The names that lines of a letterhead are like, with characters that OCR got wrong: those that share a word, compared by pairs. */
export const findSimilarNames = (lines: readonly Line[], index: CorrespondentIndex): NameHit[] => {
  const hits: NameHit[] = [];
  lines.forEach((line, at) => {
    const names = new Set<KnownName>();
    for (const word of wordsOf(line.text)) for (const name of index.byWord.get(word) ?? []) if (names.size < MAX_COMPARED) names.add(name);
    const own = squeeze(line.text);
    const both = own + squeeze(lines[at + 1]?.text ?? '');
    for (const { correspondent, squeezed } of names) {
      const likeness = Math.max(
        likenessOf(squeezed, own.slice(0, squeezed.length + 2)),
        likenessOf(squeezed, both.slice(0, squeezed.length + 2)),
      );
      if (likeness >= MIN_LIKENESS) hits.push({ correspondent, line, likeness, length: squeezed.length });
    }
  });
  return hits;
};

const pairsOf = (text: string): Set<string> =>
  new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2)));

/** The coefficient of Dice (1945) over pairs of characters: 1 for the same, 0 for nothing in common. */
export const likenessOf = (one: string, other: string): number => {
  const [pairs, others] = [pairsOf(one), pairsOf(other)];
  const shared = [...pairs].filter((pair) => others.has(pair)).length;
  return pairs.size + others.size === 0 ? 0 : (2 * shared) / (pairs.size + others.size);
};
