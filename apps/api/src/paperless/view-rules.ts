import { type SearchFilters, searchFilters } from '@sheaf/contract/search';
import type { ViewRule } from '@sheaf/db/schema';
import type { FieldKind, NumberOf, PaperlessKind, PaperlessObject } from '@sheaf/paperless';
import { PAPERLESS_RULES as RULE } from '@sheaf/paperless/archive';
import { isPaperlessQuery } from '@sheaf/search';
import type { SavedSearch } from '@sheaf/search/saved-searches';

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
export interface Question {
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
export const toQuestion = (search: SavedSearch): Question[] => {
  const filters = searchFilters.safeParse(search.filters);
  if (!filters.success) return [];
  const isTold = search.viewRules !== null || (isKnown(filters.data) && isPaperlessQuery(search.query));
  return isTold ? [{ search, filters: filters.data }] : [];
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
export const toRules = ({ search, filters }: Question, kinds: ReadonlyMap<string, FieldKind>, numberOf: NumberOf): ViewRule[] => {
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
export const objectsOf = ({ search, filters }: Question, kinds: ReadonlyMap<string, FieldKind>): PaperlessObject[] => {
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
