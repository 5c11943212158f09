import { setImmediate } from 'node:timers/promises';
import type { ComparisonBody } from '@sheaf/contract/documents';
import { diffArrays } from 'diff';

type ComparedPage = ComparisonBody['pages'][number];
type Part = ComparedPage['parts'][number];

/** Of both texts of a page together: splitting them into words takes a few milliseconds. */
const MAX_CHARACTERS = 200_000;
/** Words and spaces in which two texts may differ, and how long one page may hold up everything else. */
const LIMITS = { maxEditLength: 2_000, timeout: 20 } as const;
/** Of one answer, after which pages are no longer compared in detail. */
const MAX_TOTAL_MS = 1_000;

const wordsOf = (text: string): string[] => text.match(/\s+|\S+/g) ?? [];

const whole = (before: string, after: string): Part[] =>
  [{ kind: 'removed', text: before } as const, { kind: 'added', text: after } as const].filter(({ text }) => text !== '');

/** The parts of two texts by word; undefined where they are too long or too different for that. */
const partsOf = (before: string, after: string): Part[] | undefined => {
  if (before.length + after.length > MAX_CHARACTERS) return undefined;
  return diffArrays(wordsOf(before), wordsOf(after), LIMITS)?.map(({ added, removed, value }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    text: value.join(''),
  }));
};

const comparePage = (page: number, before: string | undefined, after: string | undefined, isInTime: boolean): ComparedPage => {
  if (before === undefined) return { page, change: 'added', is_detailed: true, parts: whole('', after ?? '') };
  if (after === undefined) return { page, change: 'removed', is_detailed: true, parts: whole(before, '') };
  if (before === after) return { page, change: 'same', is_detailed: true, parts: [] };
  const parts = isInTime ? partsOf(before, after) : undefined;
  return { page, change: 'changed', is_detailed: parts !== undefined, parts: parts ?? whole(before, after) };
};

type Texts = ReadonlyMap<number, string>;

/** Compares texts page by page, leaving time for others in between: no page takes longer than a moment, nor all of them than a second. */
export const comparePages = async (before: Texts, after: Texts): Promise<ComparedPage[]> => {
  const startedMs = performance.now();
  const compared: ComparedPage[] = [];
  for (const page of [...new Set([...before.keys(), ...after.keys()])].toSorted((a, b) => a - b)) {
    compared.push(comparePage(page, before.get(page), after.get(page), performance.now() - startedMs < MAX_TOTAL_MS));
    await setImmediate();
  }
  return compared;
};
