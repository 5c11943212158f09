import type { SplitFrom, SplitInto } from '@sheaf/contract/documents';
import { SPLIT_FROM, SPLIT_INTO } from '@sheaf/vocabulary/documents';
import type { Document } from '../document-facts.tsx';

/** Page numbers as they are written: 3–5, 7. */
export const pageRanges = (pages: readonly number[], format: (page: number) => string): string => {
  const ranges: [first: number, last: number][] = [];
  for (const page of pages) {
    const range = ranges.at(-1);
    if (range !== undefined && range[1] === page - 1) range[1] = page;
    else ranges.push([page, page]);
  }
  return ranges.map(([first, last]) => (first === last ? format(first) : `${format(first)}–${format(last)}`)).join(', ');
};

type Noted = Pick<Document, 'metadata'>;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

// older documents may have anything under these keys
const isFrom = (value: unknown): value is SplitFrom =>
  isObject(value) && typeof value['document_id'] === 'string' && Array.isArray(value['pages']);

/** Which document the pages of this one come from; undefined where it was not split off. */
export const splitFromOf = ({ metadata }: Noted): SplitFrom | undefined => {
  const from = metadata[SPLIT_FROM];
  return isFrom(from) ? from : undefined;
};

/** What this document was split into, itself included; undefined where it was not split. */
export const splitIntoOf = ({ metadata }: Noted): SplitInto | undefined => {
  const into = metadata[SPLIT_INTO];
  if (!isObject(into) || typeof into['version'] !== 'number' || !Array.isArray(into['parts']) || !into['parts'].every(isFrom))
    return undefined;
  return { version: into['version'], parts: into['parts'] };
};
