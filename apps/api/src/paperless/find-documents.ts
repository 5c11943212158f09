import { type DocumentCondition, TEXT_COMPARISONS, type TextComparison } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import { type DocumentFilter, findSelected, listDocuments, listDocumentsBy } from '@sheaf/documents';
import { documentOrder, findByNumbers, type OrderField, type OrderKey, type PaperlessKind, readFieldKinds } from '@sheaf/paperless';
import { type AnyCondition, type Comparison, type DateField, documentConditions, type ReferenceField, type TextField } from '@sheaf/search';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { DocumentSortField } from '@sheaf/vocabulary/sort-fields';
import { readFieldQuery } from './field-query.ts';
import type { PageRequest } from './paging.ts';
import { type AnyQuery, lastOf, readBoolean, readInteger, readIntegers, refuseField, requireKnown } from './query.ts';
import { findHits, type Hit, SEARCH_PARAMETERS } from './search-hits.ts';

/** Ids of documents beside a page of them. */
const MAX_ALL = 1_000;

const DEFAULT_ORDER = { by: 'own', sort: 'document_date', order: 'desc' } as const;

/** Documents that a query finds. */
export interface FoundDocuments {
  readonly count: number;
  /** Of the page. */
  readonly documents: Awaited<ReturnType<typeof listDocuments>>['rows'];
  /** Of the first documents in all. */
  readonly ids: readonly string[];
  /** What the words of the query have found, the best first; missing where it has none. */
  readonly hits?: readonly Hit[];
}

const idsOf = async (db: Db, principal: Principal, filter: DocumentFilter, limit: number): Promise<string[]> =>
  (await findSelected(db, principal, 'documents.read', { filter }, limit)).map(({ id }) => id);

const among = (db: Db, principal: Principal, ids: readonly string[]) =>
  documentConditions(db, principal, [{ kind: 'reference', field: 'document', match: 'any', ids: [...ids] }]);

/** Documents in the order in which the search has found them: of the hits, those that pass the other filters. */
const findByRank = async (
  db: Db,
  principal: Principal,
  filter: DocumentFilter,
  hits: readonly Hit[],
  page: PageRequest,
): Promise<FoundDocuments> => {
  const passing = new Set(await idsOf(db, principal, filter, hits.length));
  const ids = hits.map(({ id }) => id).filter((id) => passing.has(id));
  const shown = ids.slice((page.page - 1) * page.perPage, page.page * page.perPage);
  const { rows } = await listDocuments(db, principal, {
    sort: 'created_at',
    order: 'asc',
    page: 1,
    perPage: Math.max(1, shown.length),
    further: await among(db, principal, shown),
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return { count: ids.length, ids: ids.slice(0, MAX_ALL), hits, documents: shown.flatMap((id) => byId.get(id) ?? []) };
};

interface Filtered {
  readonly filter: DocumentFilter;
  readonly hits: readonly Hit[] | undefined;
}

/** What the filters among `query` say, its words as the documents that they have found. */
const readFilter = async (db: Db, principal: Principal, query: AnyQuery): Promise<Filtered> => {
  const hits = await findHits(db, principal, query);
  const conditions = await readConditions(db, principal, query);
  const found = hits === undefined ? [] : [{ kind: 'reference', field: 'document', match: 'any', ids: hits.map(({ id }) => id) } as const];
  return { hits, filter: { further: await documentConditions(db, principal, [...conditions, ...found]) } };
};

/** What lists of documents take beside filters. */
const OF_LISTS: ReadonlySet<string> = new Set(['ordering', 'fields', 'full_perms', 'truncate_content', 'include_selection_data']);

export const isFilter = (name: string): boolean => FILTER_RULES.has(name) || SEARCH_PARAMETERS.has(name) || name === 'custom_field_query';
export const isOfList = (name: string): boolean => OF_LISTS.has(name);

/**
 * One page of the documents that pass the filters among `query` and that `principal` may read. Throws VALIDATION_ERROR for parameters and orders that
 * do not exist, and for values that make no sense.
 */
export const findDocuments = async (db: Db, principal: Principal, query: AnyQuery, page: PageRequest): Promise<FoundDocuments> => {
  requireKnown(query, (name) => isFilter(name) || isOfList(name));
  const ordering = await readOrdering(db, lastOf(query, 'ordering'));
  const { filter, hits } = await readFilter(db, principal, query);
  if (ordering?.by === 'rank' && hits === undefined) throw refuseField('ordering', '"score" needs a query.');
  if (hits !== undefined && (ordering === undefined || ordering.by === 'rank'))
    return findByRank(db, principal, filter, ordering?.isWorstFirst === true ? hits.toReversed() : hits, page);
  const { rows, total } =
    ordering?.by === 'keys'
      ? await listDocumentsBy(db, principal, { ...filter, by: documentOrder(ordering.keys), ...page })
      : await listDocuments(db, principal, { ...filter, ...(ordering?.by === 'own' ? ordering : DEFAULT_ORDER), ...page });
  return { count: total, documents: rows, ids: await idsOf(db, principal, filter, MAX_ALL), ...(hits === undefined ? {} : { hits }) };
};

/** The ids of the documents that pass the filters among `query`, at most `limit`. */
export const findDocumentIds = async (db: Db, principal: Principal, query: AnyQuery, limit: number): Promise<string[]> =>
  idsOf(db, principal, (await readFilter(db, principal, query)).filter, limit);

/** Our own orders, which have an index each. */
const OWN: Readonly<Record<string, DocumentSortField>> = {
  id: 'created_at',
  created: 'document_date',
  added: 'created_at',
  modified: 'updated_at',
  title: 'title',
  archive_serial_number: 'archive_number',
  correspondent__name: 'correspondent',
  document_type__name: 'document_type',
};

const OTHER: Readonly<Record<string, OrderField>> = {
  owner: 'owner',
  num_notes: 'num_notes',
  notes: 'num_notes',
  page_count: 'page_count',
};
/** What all documents have alike, as there are no storage paths. */
const ALIKE: ReadonlySet<string> = new Set(['storage_path__name', 'storage_path']);

const CUSTOM_FIELD = /^custom_field_(\d{1,10})$/;
const MAX_KEYS = 10;

/** How documents are to be sorted: by our own order, by any keys, or by rank. */
type Ordering =
  | { readonly by: 'own'; readonly sort: DocumentSortField; readonly order: 'asc' | 'desc' }
  | { readonly by: 'keys'; readonly keys: readonly OrderKey[] }
  | { readonly by: 'rank'; readonly isWorstFirst: boolean };

const readKey = async (db: Db, name: string): Promise<OrderField> => {
  if (Object.hasOwn(OWN, name)) return name as OrderField;
  const other = Object.hasOwn(OTHER, name) ? OTHER[name] : undefined;
  if (other !== undefined) return other;
  const [, number] = CUSTOM_FIELD.exec(name) ?? [];
  const id = number === undefined ? undefined : (await findByNumbers(db, 'custom_field', [Number(number)])).get(Number(number));
  const kind = id === undefined ? undefined : (await readFieldKinds(db)).find((each) => each.id === id);
  if (kind === undefined) throw refuseField('ordering', `"${name}" is not supported.`);
  return { fieldId: kind.id, type: kind.type };
};

/** The order that `ordering` names; undefined where it names none. Throws VALIDATION_ERROR for one that does not exist. */
const readOrdering = async (db: Db, ordering: string | undefined): Promise<Ordering | undefined> => {
  const names = (ordering ?? '')
    .split(',', MAX_KEYS + 1)
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length > MAX_KEYS) throw refuseField('ordering', `has more than ${MAX_KEYS} fields`);
  const signed = names.map((name) => ({ name: name.replace(/^-/, ''), isDescending: name.startsWith('-') }));
  const [first, ...others] = signed;
  if (first === undefined) return undefined;
  if (first.name === 'score' && others.length === 0) return { by: 'rank', isWorstFirst: !first.isDescending };
  const sort = Object.hasOwn(OWN, first.name) ? OWN[first.name] : undefined;
  if (sort !== undefined && others.length === 0) return { by: 'own', sort, order: first.isDescending ? 'desc' : 'asc' };
  const keys: OrderKey[] = [];
  for (const { name, isDescending } of signed) if (!ALIKE.has(name)) keys.push({ field: await readKey(db, name), isDescending });
  return { by: 'keys', keys: keys.length > 0 ? keys : [{ field: 'id', isDescending: first.isDescending }] };
};

const KINDS = {
  document: 'document',
  tag: 'tag',
  correspondent: 'correspondent',
  document_type: 'document_type',
  owner: 'user',
  custom_field: 'custom_field',
} as const satisfies Record<ReferenceField, PaperlessKind>;

/** All that is asked for of what does not exist: then nothing has all of it, or any of it, and everything has none of it. */
const withIds = (
  { field, match, numbers }: Extract<NumberedCondition, { readonly kind: 'reference' }>,
  found: ReadonlyMap<number, string>,
): AnyCondition[] => {
  const ids = numbers.flatMap((number) => found.get(number) ?? []);
  const isMissing = match === 'all' ? ids.length < numbers.length : match === 'any' && ids.length === 0;
  if (isMissing) return [{ kind: 'never' }];
  return ids.length === 0 ? [] : [{ kind: 'reference', field, match, ids }];
};

/** Throws VALIDATION_ERROR for a number that nothing has. */
const requireAll = (numbers: readonly number[], found: ReadonlyMap<number, string>): void => {
  const missing = numbers.find((number) => !found.has(number));
  if (missing !== undefined) throw refuseField('id', `Invalid pk "${missing}" - object does not exist.`);
};

/** An id among several that must all hold, such as `correspondent__id__all`, is one condition for each. */
const apart = (condition: AnyCondition): AnyCondition[] =>
  condition.kind === 'reference' && condition.match === 'all' && condition.field !== 'tag' && condition.field !== 'custom_field'
    ? condition.ids.map((id) => ({ ...condition, match: 'any', ids: [id] }))
    : [condition];

/** The conditions that the filters among `query` make; what is no filter is left out. `mustExist`: what numbers name has to be there. Throws VALIDATION_ERROR for values that make no sense. */
export const readConditions = async (
  db: Db,
  principal: Principal,
  query: AnyQuery,
  { mustExist = false }: { readonly mustExist?: boolean } = {},
): Promise<AnyCondition[]> => {
  const numbered = Object.entries(query).flatMap(([name, value]) => {
    const rule = FILTER_RULES.get(name);
    return rule === undefined ? [] : [value].flat().flatMap((each) => rule(each, name));
  });
  const numbers = new Map<ReferenceField, number[]>();
  for (const condition of numbered)
    if (condition.kind === 'reference') numbers.set(condition.field, [...(numbers.get(condition.field) ?? []), ...condition.numbers]);
  const found = new Map<ReferenceField, ReadonlyMap<number, string>>();
  for (const [field, wanted] of numbers) {
    const ids = await findByNumbers(db, KINDS[field], wanted);
    if (mustExist) requireAll(wanted, ids);
    found.set(field, ids);
  }
  const byFields = lastOf(query, 'custom_field_query')?.trim() ?? '';
  return [
    ...numbered
      .flatMap((condition) => (condition.kind === 'reference' ? withIds(condition, found.get(condition.field) ?? new Map()) : [condition]))
      .flatMap(apart),
    ...(byFields === '' ? [] : [{ kind: 'fields', query: await readFieldQuery(db, principal, byFields) } as const]),
  ];
};

/** A condition whose ids are still numbers of Paperless. */
type NumberedCondition =
  | Exclude<AnyCondition, { readonly kind: 'reference' }>
  | {
      readonly kind: 'reference';
      readonly field: ReferenceField;
      readonly match: 'all' | 'any' | 'none';
      readonly numbers: readonly number[];
    };

/** What a parameter says: conditions, none where every document has it. Throws VALIDATION_ERROR for a value that it cannot have. */
type Rule = (value: string, name: string) => readonly NumberedCondition[];

const NEVER: readonly NumberedCondition[] = [{ kind: 'never' }];

const text =
  (field: TextField, compare: TextComparison): Rule =>
  (value) => [{ kind: 'text', field, compare, text: value }];

const reference =
  (field: ReferenceField, match: 'all' | 'any' | 'none'): Rule =>
  (value, name) => [{ kind: 'reference', field, match, numbers: readIntegers(name, value) }];

const given =
  (field: ReferenceField | 'archive_number', whenTrue: boolean): Rule =>
  (value, name) => [{ kind: 'given', field, is_given: readBoolean(name, value) === whenTrue }];

const DAY = /^\d{4}-\d{2}-\d{2}$/;

const isDay = (value: string): boolean => DAY.test(value) && new Date(`${value}T00:00:00Z`).toJSON()?.slice(0, 10) === value;

const day =
  (field: DateField, compare: Comparison): Rule =>
  (value, name) => {
    if (!isDay(value.slice(0, 10))) throw refuseField(name, 'Enter a valid date.');
    return [{ kind: 'day', field, compare, day: value.slice(0, 10) }];
  };

const moment =
  (field: DateField, compare: Comparison): Rule =>
  (value, name) => {
    if (isDay(value)) return [{ kind: 'day', field, compare, day: value }];
    const time = new Date(value);
    const year = time.getUTCFullYear();
    if (Number.isNaN(year) || year < 1 || year > 9_999 || value.length > 40) throw refuseField(name, 'Enter a valid date/time.');
    return [{ kind: 'moment', field, compare, moment: time.toISOString() }];
  };

const part =
  (field: DateField, name: 'year' | 'month' | 'day'): Rule =>
  (value, parameter) => [{ kind: 'part', field, part: name, value: readInteger(parameter, value) }];

const number =
  (compare: Comparison): Rule =>
  (value, name) => [{ kind: 'archive_number', compare, value: readInteger(name, value) }];

/** Of what no document has here: which of those it has, and whether it has one. */
const nothing: Rule = () => NEVER;
const everything: Rule = () => [];
const noneHas: Rule = (value, name) => (readBoolean(name, value) ? NEVER : []);
const allLack: Rule = (value, name) => (readBoolean(name, value) ? [] : NEVER);

const refused: Rule = (_value, name) => {
  throw refuseField(name, 'is not supported');
};

/** Words of a search of the whole document by what it is called and filed under. */
const MAX_WORDS = 20;
const SEARCHED = ['title', 'correspondent', 'document_type', 'tag'] as const satisfies readonly TextField[];

const somewhere = (word: string): NumberedCondition => ({
  kind: 'either',
  of: SEARCHED.map((field): DocumentCondition => ({ kind: 'text', field, compare: 'icontains', text: word })),
});

/** Each word has to stand somewhere. */
const names: Rule = (value) =>
  value
    .split(/[\s,]/)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS)
    .map(somewhere);

const ORDERS = ['gt', 'gte', 'lt', 'lte'] as const satisfies readonly Comparison[];

const TEXTS = {
  title: 'title',
  original_filename: 'original_filename',
  checksum: 'checksum',
  mime_type: 'mime_type',
  correspondent__name: 'correspondent',
  document_type__name: 'document_type',
  tags__name: 'tag',
  custom_fields: 'custom_fields',
} as const satisfies Record<string, TextField>;

const REFERENCES = {
  id: 'document',
  tags__id: 'tag',
  correspondent__id: 'correspondent',
  document_type__id: 'document_type',
  owner__id: 'owner',
  custom_fields__id: 'custom_field',
} as const satisfies Record<string, ReferenceField>;

const textRules = Object.entries(TEXTS).flatMap(([name, field]) =>
  TEXT_COMPARISONS.map((compare): [string, Rule] => [`${name}__${compare}`, text(field, compare)]),
);

const referenceRules = Object.entries(REFERENCES).flatMap(([name, field]): [string, Rule][] => [
  [name, reference(field, 'any')],
  [`${name}__in`, reference(field, 'any')],
  [`${name}__all`, reference(field, 'all')],
  [`${name}__none`, reference(field, 'none')],
]);

const dateRules = (['created', 'added', 'modified'] as const).flatMap((field): [string, Rule][] => [
  [`${field}__date`, day(field, 'equal')],
  ...ORDERS.map((compare): [string, Rule] => [`${field}__date__${compare}`, day(field, compare)]),
  ...ORDERS.map((compare): [string, Rule] => [`${field}__${compare}`, moment(field, compare)]),
  ...(['year', 'month', 'day'] as const).map((name): [string, Rule] => [`${field}__${name}`, part(field, name)]),
]);

/** Every filter of documents in Paperless that is known here, by its parameter. */
const FILTER_RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...textRules,
  ...referenceRules,
  ...dateRules,
  ['mime_type', text('mime_type', 'iexact')],
  ['search', names],
  ['is_tagged', given('tag', true)],
  ['has_custom_fields', given('custom_field', true)],
  ['correspondent__isnull', given('correspondent', false)],
  ['document_type__isnull', given('document_type', false)],
  ['archive_serial_number__isnull', given('archive_number', false)],
  ['archive_serial_number', number('equal')],
  ...ORDERS.map((compare): [string, Rule] => [`archive_serial_number__${compare}`, number(compare)]),
  ['owner__isnull', noneHas],
  ['is_in_inbox', noneHas],
  ['shared_by__id', nothing],
  ['storage_path__isnull', allLack],
  ['storage_path__id', nothing],
  ['storage_path__id__in', nothing],
  ['storage_path__id__all', nothing],
  ['storage_path__id__none', everything],
  ...TEXT_COMPARISONS.map((compare): [string, Rule] => [`storage_path__name__${compare}`, nothing]),
  ...(['istartswith', 'iendswith', 'iexact'] as const).map((compare): [string, Rule] => [`content__${compare}`, refused]),
]);
