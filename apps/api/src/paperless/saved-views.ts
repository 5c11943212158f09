import { type SearchFilters, searchFilters } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import { type NumberOf, numbersOf, type PaperlessObject } from '@sheaf/paperless-api';
import { listSavedSearches, type SavedSearch } from '@sheaf/saved-searches';
import { MAX_SAVED_SEARCHES } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
import { pageOfEntries } from './entries.ts';
import { pageBody } from './paging.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { anyQuery, notThere, numberParams } from './query.ts';
import { PAPERLESS_PREFIX } from './requests.ts';

const PATH = `${PAPERLESS_PREFIX}/saved_views`;

const viewBody = z.strictObject({
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
type ViewBody = z.infer<typeof viewBody>;

/** What kinds of rules are called in Paperless. */
const RULE = {
  archiveNumber: 2,
  hasTag: 6,
  hasAnyTag: 7,
  fullText: 20,
  hasOneOfTags: 22,
  correspondent: 26,
  documentType: 28,
  owner: 32,
  createdTo: 43,
  createdFrom: 44,
} as const;

const SORT_FIELDS: Readonly<Record<string, string>> = {
  created_at: 'added',
  updated_at: 'modified',
  title: 'title',
  document_date: 'created',
  archive_number: 'archive_serial_number',
  correspondent: 'correspondent__name',
  document_type: 'document_type__name',
};

type Rule = ViewBody['filter_rules'][number];

/** What of the filters there are rules for; a search with another one is not shown, as it would find more there than it does here. */
const KNOWN: ReadonlySet<string> = new Set<keyof SearchFilters>([
  'label_ids',
  'label_match',
  'has_labels',
  'owner_id',
  'document_date_from',
  'document_date_to',
  'correspondent_ids',
  'document_type_ids',
  'archive_number',
]);

interface Question {
  readonly search: SavedSearch;
  readonly filters: SearchFilters;
}

const toQuestion = (search: SavedSearch): Question[] => {
  const filters = searchFilters.safeParse(search.filters);
  return filters.success && Object.keys(filters.data).every((name) => KNOWN.has(name)) ? [{ search, filters: filters.data }] : [];
};

const rule = (type: number, value: string | number | boolean | undefined): Rule[] =>
  value === undefined ? [] : [{ rule_type: type, value: String(value) }];

const toRules = ({ search, filters }: Question, numberOf: NumberOf): Rule[] => {
  const each = (type: number, kind: 'tag' | 'correspondent' | 'document_type', ids: readonly string[] = []): Rule[] =>
    ids.flatMap((id) => rule(type, numberOf(kind, id)));
  return [
    ...rule(RULE.fullText, search.query.trim() === '' ? undefined : search.query),
    ...each(filters.label_match === 'all' ? RULE.hasTag : RULE.hasOneOfTags, 'tag', filters.label_ids),
    ...rule(RULE.hasAnyTag, filters.has_labels),
    ...each(RULE.correspondent, 'correspondent', filters.correspondent_ids),
    ...each(RULE.documentType, 'document_type', filters.document_type_ids),
    ...rule(RULE.owner, filters.owner_id === undefined ? undefined : numberOf('user', filters.owner_id)),
    ...rule(RULE.createdFrom, filters.document_date_from),
    ...rule(RULE.createdTo, filters.document_date_to),
    ...rule(RULE.archiveNumber, filters.archive_number),
  ];
};

const objectsOf = ({ search, filters }: Question): PaperlessObject[] => [
  { kind: 'saved_view', id: search.id },
  { kind: 'user', id: search.owner.id },
  ...(filters.label_ids ?? []).map((id) => ({ kind: 'tag' as const, id })),
  ...(filters.correspondent_ids ?? []).map((id) => ({ kind: 'correspondent' as const, id })),
  ...(filters.document_type_ids ?? []).map((id) => ({ kind: 'document_type' as const, id })),
  ...(filters.owner_id === undefined ? [] : [{ kind: 'user' as const, id: filters.owner_id }]),
];

/** The saved searches that can be told in the rules of Paperless. None is changed by it. */
const readViews = async (db: Db, principal: Principal): Promise<ViewBody[]> => {
  const { rows } = await listSavedSearches(db, principal, { page: 1, perPage: 10 * MAX_SAVED_SEARCHES, sort: 'name', order: 'asc' });
  const questions = rows.flatMap(toQuestion);
  const numberOf = await numbersOf(db, questions.flatMap(objectsOf));
  return questions.map((question) => {
    const { id, name, sort, order, position, owner } = question.search;
    return {
      id: numberOf('saved_view', id),
      name,
      show_on_dashboard: false,
      show_in_sidebar: position !== undefined,
      sort_field: SORT_FIELDS[sort] ?? null,
      sort_reverse: order === 'desc',
      filter_rules: toRules(question, numberOf),
      page_size: null,
      display_mode: null,
      display_fields: null,
      owner: numberOf('user', owner.id),
      user_can_change: false,
    };
  });
};

export const list = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: PATH,
    access: 'search.query',
    summary: 'List saved searches',
    query: anyQuery,
    status: 200,
    response: pageBody(viewBody),
    handle: async ({ query, principal, context }) =>
      pageOfEntries(await readViews(db, principal), { path: '/saved_views', query, context }),
  });

export const read = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: `${PATH}/{id}`,
    access: 'search.query',
    summary: 'Get a saved search',
    params: numberParams,
    query: anyQuery,
    status: 200,
    response: viewBody,
    handle: async ({ params, principal }) => {
      const view = (await readViews(db, principal)).find(({ id }) => id === Number(params.id));
      if (view === undefined) throw notThere();
      return view;
    },
  });
