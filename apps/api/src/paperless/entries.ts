import { TEXT_COMPARISONS } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import { type FilingEntry, getEntry, listEntries } from '@sheaf/filing';
import { isTrue, numbersOf, readIntegers, refuseField } from '@sheaf/paperless';
import { type Principal, type Scope, scopeOf } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import {
  CORRESPONDENT_RESOURCE,
  create as createOwn,
  DOCUMENT_TYPE_RESOURCE,
  type FilingResource,
  remove as removeOwn,
  update as updateOwn,
} from '../filing/routes.ts';
import { changeRoutes, createRoute, jsonRoute, type Route } from '../http/route.ts';
import { refusePeople, requireOwner } from './one-document.ts';
import { NO_PERMISSIONS, type PaperlessEntry, paperlessEntry } from './present-documents.ts';
import { type AnyQuery, anyQuery, lastOf, numberParams, presentOne, requireKnown, requireNumber } from './query.ts';
import {
  type Asked,
  askRoute,
  deleteRoute,
  PAPERLESS_PREFIX,
  type PaperlessServices,
  pageBody,
  readPage,
  requestBody,
  toPage,
} from './requests.ts';

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

/** What tags, correspondents and document types may carry beside what they have here. */
export const foreignFields = {
  match: z.string().nullish(),
  matching_algorithm: z.int().nullish(),
  is_insensitive: z.boolean().nullish(),
  owner: z.int().nullish(),
  set_permissions: z.unknown().optional(),
};

/**
 * Refuses what there is no place for. An algorithm without a text to match does nothing in Paperless either, and programs make the user who
 * creates an entry its owner.
 */
export const refuseForeignFields = async (
  db: Db,
  { userId }: Principal,
  { match, owner, set_permissions: permissions }: z.infer<z.ZodObject<typeof foreignFields>>,
): Promise<void> => {
  await requireOwner(db, userId, owner);
  if (typeof match === 'string' && match.trim() !== '') throw refuseField('match', 'is not supported: add a rule in Sheaf');
  refusePeople(permissions);
};

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

const FILTERS: ReadonlySet<string> = new Set([
  'id',
  'id__in',
  'ordering',
  'full_perms',
  ...TEXT_COMPARISONS.map((compare) => `name__${compare}`),
]);

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
  const among = ['id', 'id__in'].flatMap((name) => (query[name] === undefined ? [] : [new Set(readIntegers(name, query[name]))]));
  return (entry) => tests.every((holds) => holds(entry)) && among.every((ids) => ids.has(entry.id));
};

type Compare = (a: Named, b: Named) => number;

/** Entries come by their names, which part those that are equal. What has no matching is equal in all that has to do with it. */
const ORDERS: Readonly<Record<string, Compare>> = {
  name: () => 0,
  id: (a, b) => a.id - b.id,
  document_count: (a, b) => (a.document_count ?? 0) - (b.document_count ?? 0),
  match: () => 0,
  matching_algorithm: () => 0,
};

const ordered = <T extends Named>(entries: readonly T[], ordering: string | undefined): readonly T[] => {
  if (ordering === undefined || ordering === '') return entries;
  const isDown = ordering.startsWith('-');
  const field = isDown ? ordering.slice(1) : ordering;
  const compare = Object.hasOwn(ORDERS, field) ? ORDERS[field] : undefined;
  if (compare === undefined) throw refuseField('ordering', `"${field}" is not supported.`);
  const sorted = entries.toSorted(compare);
  return isDown ? sorted.toReversed() : sorted;
};

/** A page of `entries`, which come by their names, with the filters and the order that the request asks for. Throws VALIDATION_ERROR for others. */
export const pageOfEntries = <T extends Named>(entries: readonly T[], asked: Asked, further: readonly string[] = []) => {
  requireKnown(asked.query, (name) => FILTERS.has(name) || further.includes(name));
  const wanted = ordered(entries.filter(isWanted(asked.query)), lastOf(asked.query, 'ordering'));
  const page = readPage(asked.query, MAX_PAGE_SIZE);
  const from = (page.page - 1) * page.perPage;
  const listed = { count: wanted.length, all: wanted.map(({ id }) => id), results: wanted.slice(from, from + page.perPage) };
  return toPage(listed, page, asked);
};

/** Entries of one answer. */
const MAX_ENTRIES = 10_000;

/** Correspondents or document types, as Paperless names them. */
interface Kind<D extends string, C, U, B extends object> {
  readonly name: 'correspondent' | 'document_type';
  readonly path: '/correspondents' | '/document_types';
  readonly own: FilingResource<D, C, U, B>;
}

const named = z.looseObject({ id: z.uuid() });
const entryRequest = requestBody({ name: z.string().optional(), ...foreignFields }, paperlessEntry, ['last_correspondence']);

interface AskedEntry {
  readonly query: AnyQuery;
  readonly principal: Principal;
}

const present = async <D extends string>(
  db: Db,
  name: Kind<D, unknown, unknown, object>['name'],
  entries: readonly FilingEntry<D>[],
  { query, principal }: AskedEntry,
): Promise<PaperlessEntry[]> => {
  const numberOf = await numbersOf(
    db,
    entries.map(({ id }) => ({ kind: name, id })),
  );
  const shown = entryShown(query, principal, scopeOf(principal.permissions, 'labels.update'));
  return entries.map((entry) =>
    entryFields(numberOf(name, entry.id), { name: entry.name, document_count: entry.documents, created_by: entry.createdBy }, shown),
  );
};

const routesOf = <D extends string, C, U, B extends object>(services: PaperlessServices, kind: Kind<D, C, U, B>): readonly Route[] => {
  const { db } = services.database;
  const { name, own } = kind;
  const path = `${PAPERLESS_PREFIX}${kind.path}`;
  const one = { path: `${path}/{id}`, params: numberParams, query: anyQuery } as const;
  const readOne = async (id: string, asked: AskedEntry): Promise<PaperlessEntry> =>
    presentOne(await present(db, name, [await getEntry(db, own.kind, asked.principal, id)], asked));
  return [
    jsonRoute({
      method: 'get',
      path,
      access: 'labels.read',
      summary: `List ${own.many}`,
      query: anyQuery,
      response: pageBody(paperlessEntry),
      handle: async (input) => {
        const { rows } = await listEntries(db, own.kind, input.principal, { page: 1, perPage: MAX_ENTRIES, sort: 'name', order: 'asc' });
        return pageOfEntries(await present(db, name, rows, input), { ...input, path: kind.path });
      },
    }),
    createRoute({
      path,
      access: 'labels.create',
      summary: `Create ${own.one}`,
      query: anyQuery,
      body: entryRequest,
      response: paperlessEntry,
      handle: async ({ body, ...input }) => {
        await refuseForeignFields(db, input.principal, body);
        const { id } = await askRoute(createOwn(services, own), named, { ...input, query: {}, body: { name: body.name } });
        return readOne(id, input);
      },
    }),
    jsonRoute({
      ...one,
      method: 'get',
      access: 'labels.read',
      summary: `Get ${own.one}`,
      response: paperlessEntry,
      handle: async ({ params, ...input }) => readOne(await requireNumber(db, name, params), input),
    }),
    ...changeRoutes({
      ...one,
      access: 'labels.update',
      summary: `Change ${own.one}`,
      body: entryRequest,
      response: paperlessEntry,
      handle: async ({ params, body, ...input }) => {
        const id = await requireNumber(db, name, params);
        await refuseForeignFields(db, input.principal, body);
        if (body.name !== undefined)
          await askRoute(updateOwn(services, own)[0], named, { ...input, params: { id }, query: {}, body: { name: body.name } });
        return readOne(id, input);
      },
    }),
    deleteRoute(db, name, removeOwn(services, own), {
      path: one.path,
      access: 'labels.delete',
      summary: `Delete ${own.one}; its documents remain`,
    }),
  ];
};

export const correspondentRoutes = (services: PaperlessServices): readonly Route[] =>
  routesOf(services, { name: 'correspondent', path: '/correspondents', own: CORRESPONDENT_RESOURCE });

export const documentTypeRoutes = (services: PaperlessServices): readonly Route[] =>
  routesOf(services, { name: 'document_type', path: '/document_types', own: DOCUMENT_TYPE_RESOURCE });
