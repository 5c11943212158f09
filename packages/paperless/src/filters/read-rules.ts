import { AppError } from '@sheaf/contract';
import type { DocumentCondition, FieldQuery, SearchFilters } from '@sheaf/contract/search';
import { type Db, readingReach } from '@sheaf/db';
import type { ViewRule } from '@sheaf/db/schema';
import { type AnyCondition, type ReferenceField, readPaperlessQuery, writePaperlessQuery } from '@sheaf/search';
import { MAX_FIELD_FILTERS } from '@sheaf/vocabulary/custom-fields';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { type FieldKind, readFieldKinds } from '../document-parts.ts';
import { findByNumbers, numbersOf, type PaperlessKind } from '../ids.ts';
import { type FieldNames, type NumberedField, readFieldQuery } from './field-query.ts';
import { FILTERS, isRuleType, type NumberedCondition, parametersOf, WORDS } from './parameters.ts';
import { isDay, readInteger, refuseField, requireLetters } from './values.ts';

/** What the numbers of filters mean. */
export interface PaperlessNames extends FieldNames {
  /** What the tags are here that mark the inbox. */
  readonly inboxTags?: readonly string[];
  /** The field that has the names of storage paths here. */
  readonly paths?: { readonly field: FieldKind; readonly names: ReadonlyMap<number, string> } | undefined;
}

/** The numbers that this instance gives. */
export const ownNames = (db: Db, principal: Principal): PaperlessNames => ({
  reach: readingReach(principal),
  find: (kind, numbers) => findByNumbers(db, kind, numbers),
  fields: async () => {
    const kinds = await readFieldKinds(db);
    const numberOf = await numbersOf(
      db,
      kinds.map(({ id }) => ({ kind: 'custom_field', id })),
    );
    return kinds.map((kind) => ({ number: numberOf('custom_field', kind.id), name: kind.name, kind }));
  },
});

export const KINDS = {
  document: 'document',
  tag: 'tag',
  correspondent: 'correspondent',
  document_type: 'document_type',
  owner: 'user',
  custom_field: 'custom_field',
} as const satisfies Record<ReferenceField, PaperlessKind>;

type NumberedReference = Extract<NumberedCondition, { readonly kind: 'reference' }>;

/** All that is asked for of what does not exist: then nothing has all of it, or any of it, and everything has none of it. */
const withIds = ({ field, match, numbers }: NumberedReference, found: ReadonlyMap<number, string>): AnyCondition[] => {
  const ids = numbers.flatMap((number) => found.get(number) ?? []);
  const isMissing = match === 'all' ? ids.length < numbers.length : match === 'any' && ids.length === 0;
  if (isMissing) return [{ kind: 'never' }];
  return ids.length === 0 ? [] : [{ kind: 'reference', field, match, ids }];
};

/** Throws VALIDATION_ERROR for a number that nothing has. */
const requireAll = (numbers: readonly number[], found: ReadonlyMap<number, unknown>): void => {
  const missing = numbers.find((number) => !found.has(number));
  if (missing !== undefined) throw refuseField('id', `Invalid pk "${missing}" - object does not exist.`);
};

/** An id among several that must all hold, such as `correspondent__id__all`, is one condition for each. */
const apart = (condition: AnyCondition): AnyCondition[] =>
  condition.kind === 'reference' && condition.match === 'all' && condition.field !== 'tag' && condition.field !== 'custom_field'
    ? condition.ids.map((id) => ({ ...condition, match: 'any', ids: [id] }))
    : [condition];

const NEVER: readonly AnyCondition[] = [{ kind: 'never' }];

const inInbox = (tags: readonly string[], isGiven: boolean): readonly AnyCondition[] => {
  if (tags.length === 0) return isGiven ? NEVER : [];
  return [{ kind: 'reference', field: 'tag', match: isGiven ? 'any' : 'none', ids: [...tags] }];
};

/** Conditions on the field that has the names of storage paths; where there is none, no document has a storage path. */
const ofPaths = (
  condition: Extract<NumberedCondition, { readonly kind: 'path' | 'path given' }>,
  { paths }: PaperlessNames,
  mustExist: boolean,
): readonly AnyCondition[] => {
  const isWithout = condition.kind === 'path' ? condition.match === 'none' : !condition.is_given;
  if (paths === undefined) return isWithout ? [] : NEVER;
  const { id } = paths.field;
  if (condition.kind === 'path given') return [{ kind: 'fields', query: { kind: 'given', field_id: id, is_given: condition.is_given } }];
  if (mustExist) requireAll(condition.numbers, paths.names);
  const of = condition.numbers
    .flatMap((number) => paths.names.get(number) ?? [])
    .map((value): FieldQuery => ({ kind: 'compared', field_id: id, operator: 'eq', value }));
  const [first] = of;
  const query: FieldQuery = of.length === 1 && first !== undefined ? first : { kind: 'or', of };
  return [{ kind: 'fields', query: isWithout ? { kind: 'not', of: query } : query }];
};

type Query = Readonly<Record<string, string | readonly string[]>>;

/** All parts of the query that must hold, each by itself. */
const partsOf = (query: FieldQuery): readonly FieldQuery[] => (query.kind === 'and' ? query.of.flatMap(partsOf) : [query]);

const byFields = async (names: PaperlessNames, given: string | readonly string[] | undefined): Promise<AnyCondition[]> => {
  const text = [given ?? ''].flat().at(-1)?.trim() ?? '';
  return text === '' ? [] : partsOf(await readFieldQuery(names, text)).map((query) => ({ kind: 'fields', query }));
};

/** The conditions that the filters among `query` make; what is no filter is left out. `mustExist`: what numbers name has to be there. Throws VALIDATION_ERROR for values that make no sense. */
export const readConditions = async (
  names: PaperlessNames,
  query: Query,
  { mustExist = false }: { readonly mustExist?: boolean } = {},
): Promise<AnyCondition[]> => {
  const numbered = Object.entries(query).flatMap(([name, value]) => {
    const filter = FILTERS.get(name);
    return filter === undefined ? [] : [value].flat().flatMap((each) => filter(each, name));
  });
  const numbers = new Map<ReferenceField, number[]>();
  for (const condition of numbered)
    if (condition.kind === 'reference') numbers.set(condition.field, [...(numbers.get(condition.field) ?? []), ...condition.numbers]);
  const found = new Map<ReferenceField, ReadonlyMap<number, string>>();
  for (const [field, wanted] of numbers) {
    const ids = await names.find(KINDS[field], wanted);
    if (mustExist) requireAll(wanted, ids);
    found.set(field, ids);
  }
  const toOwn = (condition: NumberedCondition): readonly AnyCondition[] => {
    if (condition.kind === 'reference') return withIds(condition, found.get(condition.field) ?? new Map());
    if (condition.kind === 'inbox') return inInbox(names.inboxTags ?? [], condition.is_given);
    return condition.kind === 'path' || condition.kind === 'path given' ? ofPaths(condition, names, mustExist) : [condition];
  };
  const fieldQuery = Object.hasOwn(query, 'custom_field_query') ? query['custom_field_query'] : undefined;
  return [...numbered.flatMap(toOwn).flatMap(apart), ...(await byFields(names, fieldQuery))];
};

type Filters = { -readonly [K in keyof SearchFilters]: SearchFilters[K] };

/** Whether nothing of the kind was asked yet, so that it can be. */
const set = <K extends keyof Filters>(filters: Filters, name: K, value: NonNullable<Filters[K]>): boolean => {
  if (filters[name] !== undefined) return false;
  filters[name] = value;
  return true;
};

const MAX_FILTER_IDS = 100;

const asReference = (filters: Filters, { field, match, ids }: Extract<AnyCondition, { readonly kind: 'reference' }>): boolean => {
  const [first, ...others] = ids;
  if (first === undefined || ids.length > MAX_FILTER_IDS || match === 'none') return false;
  if (field === 'tag') return filters.label_ids === undefined && set(filters, 'label_ids', ids) && set(filters, 'label_match', match);
  if (match === 'all') return false;
  if (field === 'correspondent') return set(filters, 'correspondent_ids', ids);
  if (field === 'document_type') return set(filters, 'document_type_ids', ids);
  return field === 'owner' && others.length === 0 && set(filters, 'owner_id', first);
};

const asGiven = (filters: Filters, { field, is_given: isGiven }: Extract<AnyCondition, { readonly kind: 'given' }>): boolean => {
  if (field === 'tag') return set(filters, 'has_labels', isGiven);
  if (field === 'correspondent') return set(filters, 'has_correspondent', isGiven);
  return field === 'document_type' && set(filters, 'has_document_type', isGiven);
};

const MAX_ARCHIVE_NUMBER = 2_147_483_647;

const dayAfter = (day: string, days: number): string => new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toJSON().slice(0, 10);

/** From and to which day a condition is asked, where it is one of these. */
const boundOf = ({ compare, day }: Extract<AnyCondition, { readonly kind: 'day' }>): { readonly from?: string; readonly to?: string } => {
  const [next, previous] = [dayAfter(day, 1), dayAfter(day, -1)];
  if (compare === 'gte') return { from: day };
  if (compare === 'lte') return { to: day };
  // before the first year and after the last there are no days
  if (compare === 'gt') return isDay(next) ? { from: next } : {};
  return compare === 'lt' && isDay(previous) ? { to: previous } : {};
};

const asDay = (filters: Filters, condition: Extract<AnyCondition, { readonly kind: 'day' }>, isPlain: boolean): boolean => {
  const { from, to } = boundOf(condition);
  if (condition.field === 'added')
    return from === undefined ? to !== undefined && set(filters, 'date_to', to) : set(filters, 'date_from', from);
  if (condition.field !== 'created' || !isPlain) return false;
  if (from !== undefined) return set(filters, 'document_date_from', from);
  return to !== undefined && set(filters, 'document_date_to', to);
};

const asYear = (filters: Filters, { field, part, value }: Extract<AnyCondition, { readonly kind: 'part' }>): boolean => {
  const isYear = field === 'created' && part === 'year' && value >= 1_000 && value <= 9_999;
  if (!isYear || filters.document_date_from !== undefined || filters.document_date_to !== undefined) return false;
  return set(filters, 'document_date_from', `${value}-01-01`) && set(filters, 'document_date_to', `${value}-12-31`);
};

const asField = (filters: Filters, query: FieldQuery, fields: readonly NumberedField[]): boolean => {
  const name = query.kind === 'compared' ? fields.find(({ kind }) => kind.id === query.field_id)?.kind.name : undefined;
  if (query.kind !== 'compared' || name === undefined || name === '__proto__') return false;
  const known = { ...filters.fields };
  const before = Object.hasOwn(known, name) ? known[name] : undefined;
  if (before === undefined ? Object.keys(known).length >= MAX_FIELD_FILTERS : before[query.operator] !== undefined) return false;
  filters.fields = { ...known, [name]: { ...before, [query.operator]: query.value } };
  return true;
};

/** Whether one of the plain filters says the same, which then does: people see and change these on the screen. */
const asFilter = (
  filters: Filters,
  condition: DocumentCondition,
  { plain = false }: Pick<Reading, 'plain'>,
  fields: readonly NumberedField[],
): boolean => {
  switch (condition.kind) {
    case 'reference':
      return asReference(filters, condition);
    case 'given':
      return asGiven(filters, condition);
    case 'archive_number': {
      const { compare, value } = condition;
      return compare === 'equal' && value >= 1 && value <= MAX_ARCHIVE_NUMBER && set(filters, 'archive_number', value);
    }
    case 'text':
      return (
        condition.field === 'mime_type' && condition.compare === 'iexact' && set(filters, 'mime_types', [condition.text.toLowerCase()])
      );
    case 'day':
      return asDay(filters, condition, plain);
    case 'part':
      return plain && asYear(filters, condition);
    case 'fields':
      return plain && asField(filters, condition.query, fields);
    default:
      return false;
  }
};

/** What one filter asks: a query, or conditions. */
interface Asked {
  readonly query?: string;
  readonly conditions: readonly AnyCondition[];
}

const likeDocument = async (names: PaperlessNames, value: string): Promise<DocumentCondition> => {
  const number = readInteger('more_like_id', value);
  const id = (await names.find('document', [number])).get(number);
  if (id === undefined) throw refuseField('more_like_id', `Invalid pk "${number}" - object does not exist.`);
  return { kind: 'like', id };
};

const readParameter = async (names: PaperlessNames, name: string, value: string): Promise<Asked> => {
  if (name === 'query') {
    const read = readPaperlessQuery(value);
    if ('problem' in read) throw refuseField('query', read.problem);
    const query = writePaperlessQuery(read.query);
    if (query === undefined) throw refuseField('query', 'cannot be kept');
    return { query, conditions: [] };
  }
  if (name === 'more_like_id') return { conditions: [await likeDocument(names, value)] };
  const fields = WORDS[name];
  if (fields === undefined) return { conditions: await readConditions(names, { [name]: value }, { mustExist: true }) };
  requireLetters(name, value);
  return { conditions: [{ kind: 'words', fields: [...fields], text: value }] };
};

/** A search as it is kept. */
export interface RuleSearch {
  readonly query: string;
  readonly filters: SearchFilters;
}

export interface Reading {
  /**
   * Whether conditions on days and on custom fields become plain filters too: where every document bears a day, as in Paperless, `created` is
   * the day that documents bear.
   */
  readonly plain?: boolean;
  /** Called for rules that make no sense, and why; may throw. The search is then that of the other rules. */
  readonly refuse: (rules: readonly ViewRule[], reason: string) => void;
}

/**
 * The search that finds what the list of documents finds by the same rules: those that plain filters say as these, queries in our own syntax, and
 * the others as conditions.
 */
export const readRules = async (names: PaperlessNames, rules: readonly ViewRule[], reading: Reading): Promise<RuleSearch> => {
  const filters: Filters = {};
  const queries: string[] = [];
  const conditions: DocumentCondition[] = [];
  const fields = await names.fields();
  for (const rule of rules) if (!isRuleType(rule.rule_type)) reading.refuse([rule], `There is no rule of type ${rule.rule_type}.`);
  for (const { rules: of, name, value } of parametersOf(rules.filter(({ rule_type: type }) => isRuleType(type)))) {
    try {
      const asked = await readParameter(names, name, value);
      if (asked.query !== undefined) queries.push(asked.query);
      for (const condition of asked.conditions)
        if (condition.kind !== 'either' && !asFilter(filters, condition, reading, fields)) conditions.push(condition);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') throw error;
      reading.refuse(of, `Rule ${of[0]?.rule_type} with the value "${value.slice(0, 100)}": ${error.message}`);
    }
  }
  return { query: queries.join(' '), filters: { ...filters, ...(conditions.length === 0 ? {} : { conditions }) } };
};
