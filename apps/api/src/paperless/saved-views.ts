import { type SearchFilters, searchFilters } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import type { ViewRule } from '@sheaf/db/schema';
import { type FieldKind, type NumberOf, numbersOf, type PaperlessKind, type PaperlessObject, readFieldKinds } from '@sheaf/paperless';
import { PAPERLESS_SORT_FIELDS, PAPERLESS_RULES as RULE } from '@sheaf/paperless/archive';
import { isPaperlessQuery } from '@sheaf/search';
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
  const kinds = new Map<string, FieldKind>((await readFieldKinds(db)).map((kind) => [kind.name, kind]));
  const numberOf = await numbersOf(
    db,
    questions.flatMap((question) => objectsOf(question, kinds)),
  );
  return questions.map((question) => {
    const { id, name, sort, order, position, owner } = question.search;
    return {
      id: numberOf('saved_view', id),
      name,
      show_on_dashboard: false,
      show_in_sidebar: position !== undefined,
      sort_field: SORT_FIELDS[sort] ?? null,
      sort_reverse: order === 'desc',
      filter_rules: toRules(question, kinds, numberOf),
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
    status: 200,
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
    status: 200,
    response: viewBody,
    handle: ({ params, principal }) => readView(db, principal, Number(params.id)),
  });

/** What of the filters there are rules for; a search with another one is not shown, as it would find more there than it does here. */
const KNOWN: ReadonlySet<string> = new Set<keyof SearchFilters>([
  'label_ids',
  'label_match',
  'has_labels',
  'owner_id',
  'document_date_from',
  'document_date_to',
  'date_from',
  'date_to',
  'correspondent_ids',
  'document_type_ids',
  'archive_number',
  'fields',
]);

/** A saved search whose filters can be told in rules. */
interface Question {
  readonly search: SavedSearch;
  readonly filters: SearchFilters;
}

/** Whether there is no document that a filter leaves out which no rule can tell. */
const isKnown = (filters: SearchFilters): boolean =>
  Object.keys(filters).every(
    (name) =>
      KNOWN.has(name) ||
      (name === 'has_correspondent' && filters.has_correspondent === false) ||
      (name === 'has_document_type' && filters.has_document_type === false) ||
      (name === 'mime_types' && filters.mime_types?.length === 1),
  );

/** The search as a question, where rules can tell it. */
const toQuestion = (search: SavedSearch): Question[] => {
  const filters = searchFilters.safeParse(search.filters);
  if (!filters.success) return [];
  const isRepresentable = search.viewRules !== null || (isKnown(filters.data) && isPaperlessQuery(search.query));
  return isRepresentable ? [{ search, filters: filters.data }] : [];
};

const rule = (type: number, value: string | number | boolean | undefined): ViewRule[] =>
  value === undefined ? [] : [{ rule_type: type, value: String(value) }];

const OPERATORS = { eq: 'exact', gt: 'gt', gte: 'gte', lt: 'lt', lte: 'lte', contains: 'icontains' } as const;

/** The conditions on custom fields as one `custom_field_query`. */
const fieldRules = (fields: SearchFilters['fields'], kinds: ReadonlyMap<string, FieldKind>, numberOf: NumberOf): ViewRule[] => {
  const comparisons = Object.entries(fields ?? {}).flatMap(([name, tests]) => {
    const kind = kinds.get(name);
    if (kind === undefined) return [];
    return Object.entries(tests).map(([operator, value]) => [
      numberOf('custom_field', kind.id),
      OPERATORS[operator as keyof typeof OPERATORS],
      value,
    ]);
  });
  return comparisons.length === 0 ? [] : rule(RULE.customFields, JSON.stringify(['AND', comparisons]));
};

/** The rules of a question. `numberOf` knows what `objectsOf` has named. */
const toRules = ({ search, filters }: Question, kinds: ReadonlyMap<string, FieldKind>, numberOf: NumberOf): ViewRule[] => {
  if (search.viewRules !== null) return [...search.viewRules];
  const each = (type: number, kind: 'tag' | 'correspondent' | 'document_type', ids: readonly string[] = []): ViewRule[] =>
    ids.flatMap((id) => rule(type, numberOf(kind, id)));
  const none = (type: number, has: boolean | undefined): ViewRule[] => (has === false ? [{ rule_type: type, value: null }] : []);
  return [
    ...rule(RULE.fullText, search.query.trim() === '' ? undefined : search.query),
    ...each(filters.label_match === 'all' ? RULE.hasTag : RULE.hasOneOfTags, 'tag', filters.label_ids),
    ...rule(RULE.hasAnyTag, filters.has_labels),
    ...each(RULE.correspondent, 'correspondent', filters.correspondent_ids),
    ...none(RULE.oneCorrespondent, filters.has_correspondent),
    ...each(RULE.documentType, 'document_type', filters.document_type_ids),
    ...none(RULE.oneDocumentType, filters.has_document_type),
    ...rule(RULE.owner, filters.owner_id === undefined ? undefined : numberOf('user', filters.owner_id)),
    ...rule(RULE.createdFrom, filters.document_date_from),
    ...rule(RULE.createdTo, filters.document_date_to),
    ...rule(RULE.addedFrom, filters.date_from),
    ...rule(RULE.addedTo, filters.date_to),
    ...rule(RULE.archiveNumber, filters.archive_number),
    ...rule(RULE.mimeType, filters.mime_types?.[0]),
    ...fieldRules(filters.fields, kinds, numberOf),
  ];
};

/** All that a saved view has a number for. */
const objectsOf = ({ search, filters }: Question, kinds: ReadonlyMap<string, FieldKind>): PaperlessObject[] => {
  const each = (kind: PaperlessKind, ids: readonly string[] = []): PaperlessObject[] => ids.map((id) => ({ kind, id }));
  const fields = Object.keys(filters.fields ?? {}).flatMap((name) => kinds.get(name)?.id ?? []);
  return [
    { kind: 'saved_view', id: search.id },
    { kind: 'user', id: search.owner.id },
    ...each('tag', filters.label_ids),
    ...each('correspondent', filters.correspondent_ids),
    ...each('document_type', filters.document_type_ids),
    ...each('user', filters.owner_id === undefined ? [] : [filters.owner_id]),
    ...each('custom_field', fields),
  ];
};
