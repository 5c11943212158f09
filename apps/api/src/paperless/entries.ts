import type { Principal, Scope } from '@sheaf/vocabulary/permissions';
import { NO_PERMISSIONS, type PaperlessEntry } from './bodies.ts';
import { type Asked, readPage, toPage } from './paging.ts';
import { type AnyQuery, isTrue, lastOf, readIntegers } from './query.ts';

/** Tags, correspondents, document types and the like of one page. */
const MAX_PAGE_SIZE = 10_000;

/** How an entry is to be shown, and who may change it. */
export interface ShownEntry {
  readonly fullPerms: boolean;
  readonly mayChange: (createdBy: string | null) => boolean;
}

export const entryShown = (query: AnyQuery, { username }: Principal, scope: Scope): ShownEntry => ({
  fullPerms: isTrue(lastOf(query, 'full_perms')),
  mayChange: (createdBy) => scope === 'all' || (scope === 'own' && createdBy === username),
});

/** What people would type of a name in an address. */
const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]/)
    .filter((part) => part !== '')
    .join('-');

interface OwnEntry {
  readonly name: string;
  readonly document_count: number;
  readonly created_by: string | null;
}

/** What tags, correspondents and document types have in common. Sheaf has rules instead of matching. */
export const entryFields = (
  id: number,
  { name, document_count, created_by }: OwnEntry,
  { fullPerms, mayChange }: ShownEntry,
): PaperlessEntry => ({
  id,
  slug: slugOf(name),
  name,
  match: '',
  matching_algorithm: 0,
  is_insensitive: true,
  document_count,
  owner: null,
  ...(fullPerms ? { permissions: NO_PERMISSIONS } : { user_can_change: mayChange(created_by) }),
});

interface Named {
  readonly id: number;
  readonly name: string;
  readonly document_count?: number | undefined;
}

const fold = (text: string): string => text.toLowerCase();

const TESTS: Readonly<Record<string, (name: string, wanted: string) => boolean>> = {
  icontains: (name, wanted) => name.includes(wanted),
  istartswith: (name, wanted) => name.startsWith(wanted),
  iendswith: (name, wanted) => name.endsWith(wanted),
  iexact: (name, wanted) => name === wanted,
};

const isWanted = (query: AnyQuery): ((entry: Named) => boolean) => {
  const tests = Object.entries(TESTS).flatMap(([compare, holds]) => {
    const wanted = lastOf(query, `name__${compare}`);
    return wanted === undefined ? [] : [(entry: Named) => holds(fold(entry.name), fold(wanted))];
  });
  const among = query['id__in'] === undefined ? undefined : new Set(readIntegers('id__in', query['id__in']));
  return (entry) => tests.every((holds) => holds(entry)) && among?.has(entry.id) !== false;
};

const ordered = <T extends Named>(entries: readonly T[], ordering: string | undefined): readonly T[] => {
  const isDown = ordering?.startsWith('-') === true;
  const field = isDown ? ordering.slice(1) : ordering;
  if (field === 'document_count') {
    const sorted = entries.toSorted((a, b) => (a.document_count ?? 0) - (b.document_count ?? 0));
    return isDown ? sorted.toReversed() : sorted;
  }
  return field === 'name' && isDown ? entries.toReversed() : entries; // they come by their names
};

/** A page of `entries`, which come by their names, with the filters and the order that the request asks for. */
export const pageOfEntries = <T extends Named>(entries: readonly T[], asked: Asked) => {
  const wanted = ordered(entries.filter(isWanted(asked.query)), lastOf(asked.query, 'ordering'));
  const page = readPage(asked.query, MAX_PAGE_SIZE);
  const from = (page.page - 1) * page.perPage;
  const listed = { count: wanted.length, all: wanted.map(({ id }) => id), results: wanted.slice(from, from + page.perPage) };
  return toPage(listed, page, asked);
};
