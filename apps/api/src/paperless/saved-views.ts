import { type SearchFilters, searchFilters } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import type { ViewRule } from '@sheaf/db/schema';
import {
  type NumberedField,
  numbersOf,
  objectsInRules,
  ownNames,
  type PaperlessObject,
  type RuleNumbers,
  writeRules,
} from '@sheaf/paperless';
import { PAPERLESS_SORT_FIELDS } from '@sheaf/paperless/archive';
import { listSavedSearches, type SavedSearch } from '@sheaf/search/saved-searches';
import { MAX_SAVED_SEARCHES } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
import { pageOfEntries } from './entries.ts';
import { pageBody } from './paging.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { anyQuery, numberParams, withNumber } from './query.ts';
import { PAPERLESS_PREFIX } from './requests.ts';

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
