import { type SearchFilters, savedSearchBody, searchFilters } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import type { ViewRule } from '@sheaf/db/schema';
import {
  type NumberedField,
  numbersOf,
  objectsInRules,
  ownNames,
  type PaperlessObject,
  type RuleNumbers,
  readRules,
  refuseField,
  writeRules,
} from '@sheaf/paperless';
import { PAPERLESS_SORT_FIELDS, PAPERLESS_SORTS } from '@sheaf/paperless/archive';
import { listSavedSearches, type SavedSearch } from '@sheaf/search/saved-searches';
import { MAX_SAVED_SEARCHES } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { type ChangeRoutes, changeRoutes, createRoute, jsonRoute, type Route } from '../http/route.ts';
import { create as createOwn, remove as removeOwn, update as updateOwn } from '../saved-searches/routes.ts';
import { pageOfEntries } from './entries.ts';
import { refusePeople, requireOwner } from './one-document.ts';
import { anyQuery, numberParams, requireNumber, withNumber } from './query.ts';
import { askRoute, deleteRoute, PAPERLESS_PREFIX, type PaperlessServices, pageBody, requestBody } from './requests.ts';

export const VIEWS_PATH = `${PAPERLESS_PREFIX}/saved_views`;

export const viewBody = z.strictObject({
  id: z.int(),
  name: z.string(),
  show_on_dashboard: z.boolean(),
  show_in_sidebar: z.boolean(),
  sort_field: z.string().nullable(),
  sort_reverse: z.boolean(),
  filter_rules: z.array(z.strictObject({ rule_type: z.int(), value: z.string().nullable() })),
  page_size: z.null(),
  display_mode: z.null(),
  display_fields: z.null(),
  owner: z.int(),
  user_can_change: z.boolean(),
});
export type ViewBody = z.infer<typeof viewBody>;

const SORT_FIELDS: Readonly<Record<string, string>> = PAPERLESS_SORT_FIELDS;

/** The saved searches that can be told in the rules of Paperless. None is changed by it. */
const readViews = async (db: Db, principal: Principal): Promise<ViewBody[]> => {
  const { rows } = await listSavedSearches(db, principal, { page: 1, perPage: 10 * MAX_SAVED_SEARCHES, sort: 'name', order: 'asc' });
  const questions = rows.flatMap(toQuestion);
  const fields = await ownNames(db, principal).fields();
  const numberOf = await numbersOf(
    db,
    questions.flatMap((question) => objectsOf(question, fields)),
  );
  return questions.flatMap((question) => {
    const { id, name, sort, order, position, owner } = question.search;
    const rules = rulesOf(question, { fields, numberOf });
    if (rules === undefined) return [];
    return {
      id: numberOf('saved_view', id),
      name,
      show_on_dashboard: false,
      show_in_sidebar: position !== undefined,
      sort_field: SORT_FIELDS[sort] ?? null,
      sort_reverse: order === 'desc',
      filter_rules: [...rules],
      page_size: null,
      display_mode: null,
      display_fields: null,
      owner: numberOf('user', owner.id),
      user_can_change: owner.id === principal.userId,
    };
  });
};

/** The saved view with a number. Throws NOT_FOUND where there is none that the caller may read and that rules can tell. */
export const readView = async (db: Db, principal: Principal, number: number): Promise<ViewBody> =>
  withNumber(await readViews(db, principal), number);

export const list = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: VIEWS_PATH,
    access: 'search.query',
    summary: 'List saved searches',
    query: anyQuery,
    response: pageBody(viewBody),
    handle: async ({ query, principal, context }) =>
      pageOfEntries(await readViews(db, principal), { path: '/saved_views', query, context }),
  });

export const read = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: `${VIEWS_PATH}/{id}`,
    access: 'search.query',
    summary: 'Get a saved search',
    params: numberParams,
    query: anyQuery,
    response: viewBody,
    handle: ({ params, principal }) => readView(db, principal, Number(params.id)),
  });

/** A saved search, where its filters are known. */
interface Question {
  readonly search: SavedSearch;
  readonly filters: SearchFilters;
}

const toQuestion = (search: SavedSearch): Question[] => {
  const filters = searchFilters.safeParse(search.filters);
  return filters.success ? [{ search, filters: filters.data }] : [];
};

/** The rules as they were sent, or those that find the same; a search without is not shown, as it would find more there than it does here. */
const rulesOf = ({ search, filters }: Question, numbers: RuleNumbers): readonly ViewRule[] | undefined =>
  search.viewRules ?? writeRules({ query: search.query, filters }, numbers);

/** All that a saved view has a number for. */
const objectsOf = ({ search, filters }: Question, fields: readonly NumberedField[]): PaperlessObject[] => [
  { kind: 'saved_view', id: search.id },
  { kind: 'user', id: search.owner.id },
  ...(search.viewRules === null ? objectsInRules({ query: search.query, filters }, fields) : []),
];

const MAX_RULES = 200;

const viewRequest = requestBody(
  {
    name: z.string().optional(),
    show_in_sidebar: z.boolean().nullish(),
    sort_field: z.string().max(100).nullish(),
    sort_reverse: z.boolean().nullish(),
    filter_rules: z
      .array(requestBody({ rule_type: z.int(), value: z.string().max(10_000).nullish() }))
      .max(MAX_RULES)
      .optional(),
    owner: z.int().nullish(),
    set_permissions: z.unknown().optional(),
  },
  viewBody,
  ['permissions'],
);
type ViewRequest = z.infer<typeof viewRequest>;

const sortOf = (field: string | null | undefined): string | undefined => {
  if (field === undefined || field === null || field === '') return undefined;
  const sort = Object.hasOwn(PAPERLESS_SORTS, field) ? PAPERLESS_SORTS[field] : undefined;
  if (sort === undefined) throw refuseField('sort_field', `"${field}" is not supported.`);
  return sort;
};

/** The request in our own terms. What Paperless keeps for its own web client, such as columns, is ignored. */
const toRequest = async (db: Db, principal: Principal, request: ViewRequest): Promise<Record<string, unknown>> => {
  const { name, show_in_sidebar: isPinned, sort_field: field, sort_reverse: isReverse, filter_rules: rules } = request;
  refusePeople(request.set_permissions);
  await requireOwner(db, principal.userId, request.owner);
  const sort = sortOf(field);
  const given = rules?.map(({ rule_type, value = null }) => ({ rule_type, value }));
  const search =
    given === undefined ? {} : { ...(await readRules(ownNames(db, principal), given, { refuse: refuseRule })), view_rules: given };
  return {
    ...(name === undefined ? {} : { name }),
    ...(sort === undefined ? {} : { sort }),
    ...(typeof isReverse === 'boolean' ? { order: isReverse ? 'desc' : 'asc' } : {}),
    ...(typeof isPinned === 'boolean' ? { is_pinned: isPinned } : {}),
    ...search,
  };
};

export const create = (services: PaperlessServices): Route =>
  createRoute({
    path: VIEWS_PATH,
    access: 'search.query',
    summary: 'Save a search',
    query: anyQuery,
    body: viewRequest,
    response: viewBody,
    handle: async ({ body, principal, context }) => {
      const { db } = services.database;
      const request = { sort: 'document_date', ...(await toRequest(db, principal, body)) };
      const { id } = await askRoute(createOwn(services), savedSearchBody, { body: request, principal, context });
      return readView(db, principal, (await numbersOf(db, [{ kind: 'saved_view', id }]))('saved_view', id));
    },
  });

export const update = (services: PaperlessServices): ChangeRoutes =>
  changeRoutes({
    path: `${VIEWS_PATH}/{id}`,
    access: 'search.query',
    summary: 'Change a saved search',
    params: numberParams,
    query: anyQuery,
    body: viewRequest,
    response: viewBody,
    handle: async ({ params, body, principal, context }) => {
      const { db } = services.database;
      const id = await requireNumber(db, 'saved_view', params);
      await readView(db, principal, Number(params.id));
      const request = await toRequest(db, principal, body);
      if (Object.keys(request).length > 0)
        await askRoute(updateOwn(services)[0], savedSearchBody, { params: { id }, body: request, principal, context });
      return readView(db, principal, Number(params.id));
    },
  });

export const remove = (services: PaperlessServices): Route =>
  deleteRoute(services.database.db, 'saved_view', removeOwn(services), {
    path: `${VIEWS_PATH}/{id}`,
    access: 'search.query',
    summary: 'Delete a saved search',
  });

/** Throws VALIDATION_ERROR for a rule that makes no sense. */
const refuseRule = (_rules: readonly ViewRule[], reason: string): never => {
  throw refuseField('filter_rules', reason);
};
