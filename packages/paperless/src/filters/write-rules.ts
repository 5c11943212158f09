import type { DocumentCondition, FieldQuery, SearchFilters } from '@sheaf/contract/search';
import type { ViewRule } from '@sheaf/db/schema';
import { isPaperlessQuery } from '@sheaf/search';
import type { PaperlessKind, PaperlessObject } from '../ids.ts';
import { type NumberedField, writeFieldQuery } from './field-query.ts';
import { type Parameter, toParameter, toRules } from './parameters.ts';
import { KINDS, type RuleSearch } from './read-rules.ts';
import { isDay } from './values.ts';

/** What rules are written with. */
export interface RuleNumbers {
  readonly fields: readonly NumberedField[];
  /** Undefined for what has no number there. */
  readonly numberOf: (kind: PaperlessKind, id: string) => number | undefined;
}

/** Filters in whose place there is a condition that rules can tell. */
type WrittenFilter = Exclude<
  keyof SearchFilters,
  'source_id' | 'status' | 'language' | 'date_range' | 'has_similar' | 'min_confidence' | 'min_size' | 'max_size'
>;

type Conditions = readonly DocumentCondition[] | undefined;

const among = (
  field: 'tag' | 'correspondent' | 'document_type' | 'owner',
  ids: readonly string[],
  match: 'any' | 'all' = 'any',
): Conditions => (ids.length === 0 ? [] : [{ kind: 'reference', field, match, ids: [...ids] }]);

/** Times of a day have no rule. */
const onDay = (field: 'created' | 'added', compare: 'gte' | 'lte', day: string): Conditions =>
  isDay(day) ? [{ kind: 'day', field, compare, day }] : undefined;

const given = (field: 'tag' | 'correspondent' | 'document_type', isGiven: boolean): Conditions => [
  { kind: 'given', field, is_given: isGiven },
];

type ConditionsOf = {
  readonly [K in WrittenFilter]: (value: NonNullable<SearchFilters[K]>, filters: SearchFilters, numbers: RuleNumbers) => Conditions;
};

/** What each filter is as conditions; undefined where they would find something else. */
const CONDITIONS: ConditionsOf = {
  label_ids: (ids, { label_match: match = 'any' }) => among('tag', ids, match),
  label_match: () => [],
  has_labels: (has) => given('tag', has),
  owner_id: (id) => among('owner', [id]),
  correspondent_ids: (ids) => among('correspondent', ids),
  has_correspondent: (has) => given('correspondent', has),
  document_type_ids: (ids) => among('document_type', ids),
  has_document_type: (has) => given('document_type', has),
  document_date_from: (day) => onDay('created', 'gte', day),
  document_date_to: (day) => onDay('created', 'lte', day),
  date_from: (day) => onDay('added', 'gte', day),
  date_to: (day) => onDay('added', 'lte', day),
  archive_number: (value) => [{ kind: 'archive_number', compare: 'equal', value }],
  mime_types: ([first, ...others]) =>
    first === undefined || others.length > 0 ? undefined : [{ kind: 'text', field: 'mime_type', compare: 'iexact', text: first }],
  fields: (fields, _filters, numbers) => {
    const all = Object.entries(fields).flatMap(([name, tests]) => {
      const id = numbers.fields.find(({ kind }) => kind.name === name)?.kind.id;
      return Object.entries(tests).map(([operator, value]) => ({ id, operator, value }));
    });
    const queries = all.flatMap(({ id, operator, value }): FieldQuery[] =>
      id === undefined || value === undefined ? [] : [{ kind: 'compared', field_id: id, operator: operator as Operator, value }],
    );
    return queries.length < all.length ? undefined : queries.map((query) => ({ kind: 'fields', query }));
  },
  conditions: (conditions) => conditions,
};

type Operator = Extract<FieldQuery, { readonly kind: 'compared' }>['operator'];

/** What the filters are as conditions; undefined where one of them is none. */
const conditionsOf = (filters: SearchFilters, numbers: RuleNumbers): Conditions => {
  const all: DocumentCondition[] = [];
  for (const [name, value] of Object.entries(filters)) {
    if (value === undefined) continue;
    const toConditions = Object.hasOwn(CONDITIONS, name)
      ? (CONDITIONS[name as WrittenFilter] as (value: unknown, filters: SearchFilters, numbers: RuleNumbers) => Conditions)
      : undefined;
    const conditions = toConditions?.(value, filters, numbers);
    if (conditions === undefined) return undefined;
    all.push(...conditions);
  }
  return all;
};

const parameterOf = (condition: Exclude<DocumentCondition, { kind: 'fields' }>, { numberOf }: RuleNumbers): Parameter | undefined => {
  if (condition.kind === 'like') {
    const number = numberOf('document', condition.id);
    return number === undefined ? undefined : { name: 'more_like_id', values: [String(number)] };
  }
  if (condition.kind !== 'reference') return toParameter(condition);
  const { field, match, ids } = condition;
  const numbers = ids.flatMap((id) => numberOf(KINDS[field], id) ?? []);
  return numbers.length < ids.length ? undefined : toParameter({ kind: 'reference', field, match, numbers });
};

/** All conditions on custom fields are one filter. */
const fieldParameters = (queries: readonly FieldQuery[], numbers: RuleNumbers): (Parameter | undefined)[] => {
  const [first] = queries;
  if (first === undefined) return [];
  const query: FieldQuery = queries.length === 1 ? first : { kind: 'and', of: queries };
  const fieldOf = (id: string): NumberedField | undefined => numbers.fields.find(({ kind }) => kind.id === id);
  const value = writeFieldQuery(query, { fieldOf, numberOf: (kind, id) => numbers.numberOf(kind, id) });
  return [value === undefined ? undefined : { name: 'custom_field_query', values: [value] }];
};

/** The rules of a saved view that find what a search finds; undefined where no rules do. */
export const writeRules = ({ query, filters }: RuleSearch, numbers: RuleNumbers): ViewRule[] | undefined => {
  const conditions = conditionsOf(filters, numbers);
  if (conditions === undefined || !isPaperlessQuery(query)) return undefined;
  const words = query.trim();
  const parameters = [
    ...(words === '' ? [] : [{ name: 'query', values: [words] }]),
    ...conditions.flatMap((condition) => (condition.kind === 'fields' ? [] : [parameterOf(condition, numbers)])),
    ...fieldParameters(
      conditions.flatMap((condition) => (condition.kind === 'fields' ? [condition.query] : [])),
      numbers,
    ),
  ];
  const known = parameters.filter((parameter) => parameter !== undefined);
  return known.length < parameters.length ? undefined : toRules(known);
};

/** All that has a number in the rules of a search, beside its fields. */
export const objectsInRules = (search: RuleSearch, fields: readonly NumberedField[]): PaperlessObject[] => {
  const found: PaperlessObject[] = [];
  const numberOf = (kind: PaperlessKind, id: string): number => found.push({ kind, id });
  writeRules(search, { fields, numberOf });
  return found;
};
