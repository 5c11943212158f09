import { AppError } from '@sheaf/contract';
import type { DocumentCondition, SearchFilters } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import type { ViewRule } from '@sheaf/db/schema';
import { findByNumbers } from '@sheaf/paperless';
import { type AnyCondition, readPaperlessQuery, writePaperlessQuery } from '@sheaf/search';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { readConditions } from './document-filter.ts';
import { readInteger, refuseField } from './query.ts';
import { RULE_TYPES } from './rule-types.ts';
import { requireLetters } from './search-hits.ts';

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

/** Whether one of the plain filters says the same, which then does: people see and change these on the screen. */
const asFilter = (filters: Filters, condition: DocumentCondition): boolean => {
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
      if (condition.field !== 'added') return false;
      if (condition.compare === 'gte') return set(filters, 'date_from', condition.day);
      return condition.compare === 'lte' && set(filters, 'date_to', condition.day);
    default:
      return false;
  }
};

/** What one parameter asks: a query, or conditions. */
interface Asked {
  readonly query?: string;
  readonly conditions: readonly AnyCondition[];
}

const likeDocument = async (db: Db, value: string): Promise<DocumentCondition> => {
  const number = readInteger('more_like_id', value);
  const id = (await findByNumbers(db, 'document', [number])).get(number);
  if (id === undefined) throw refuseField('more_like_id', `Invalid pk "${number}" - object does not exist.`);
  return { kind: 'like', id };
};

const FIELDS_OF_WORDS: Readonly<Record<string, ('title' | 'content')[]>> = {
  content__icontains: ['content'],
  title_content: ['title', 'content'],
  text: ['title', 'content'],
  title_search: ['title'],
};

const readParameter = async (db: Db, principal: Principal, name: string, value: string): Promise<Asked> => {
  if (name === 'query') {
    const read = readPaperlessQuery(value);
    if ('problem' in read) throw refuseField('query', read.problem);
    const query = writePaperlessQuery(read.query);
    if (query === undefined) throw refuseField('query', 'cannot be kept');
    return { query, conditions: [] };
  }
  if (name === 'more_like_id') return { conditions: [await likeDocument(db, value)] };
  const fields = FIELDS_OF_WORDS[name];
  if (fields === undefined) return { conditions: await readConditions(db, principal, { [name]: value }, { mustExist: true }) };
  requireLetters(name, value);
  return { conditions: [{ kind: 'words', fields, text: value }] };
};

/** The parameter that a rule is, with its value; undefined for one that asks for nothing. */
const parameterOf = ({ rule_type: type, value }: ViewRule): { readonly name: string; readonly value: string } | undefined => {
  const kind = Object.hasOwn(RULE_TYPES, type) ? RULE_TYPES[type] : undefined;
  if (kind === undefined) throw refuseField('filter_rules', `There is no rule of type ${type}.`);
  const isNone = value === null || value === '' || value === 'null';
  if (kind.missing !== undefined && (isNone || value === '-1')) return { name: kind.missing, value: isNone ? '1' : '0' };
  if (kind.isBoolean === true) return { name: kind.parameter, value: value ?? '0' };
  return isNone ? undefined : { name: kind.parameter, value };
};

/** The parameters of the list of documents that rules are, each with the type of its first rule. */
const parametersOf = (rules: readonly ViewRule[]): readonly { type: number; name: string; value: string }[] => {
  const found: { type: number; name: string; value: string }[] = [];
  for (const rule of rules) {
    const parameter = parameterOf(rule);
    if (parameter === undefined) continue;
    const kind = RULE_TYPES[rule.rule_type];
    const same =
      kind?.isMulti === true && parameter.name === kind.parameter ? found.find(({ name }) => name === parameter.name) : undefined;
    if (same === undefined) found.push({ type: rule.rule_type, ...parameter });
    else same.value += `,${parameter.value}`;
  }
  return found;
};

/**
 * The search that finds what the list of documents finds by the same rules: those that plain filters say as these, queries in our own syntax, and
 * the others as conditions. Throws VALIDATION_ERROR for a rule that makes no sense.
 */
export const readRules = async (
  db: Db,
  principal: Principal,
  rules: readonly ViewRule[],
): Promise<{ readonly query: string; readonly filters: SearchFilters }> => {
  const filters: Filters = {};
  const queries: string[] = [];
  const conditions: DocumentCondition[] = [];
  for (const { type, name, value } of parametersOf(rules)) {
    try {
      const asked = await readParameter(db, principal, name, value);
      if (asked.query !== undefined) queries.push(asked.query);
      for (const condition of asked.conditions)
        if (condition.kind !== 'either' && !asFilter(filters, condition)) conditions.push(condition);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') throw error;
      throw refuseField('filter_rules', `Rule ${type} with the value "${value.slice(0, 100)}": ${error.message}`);
    }
  }
  return { query: queries.join(' '), filters: { ...filters, ...(conditions.length === 0 ? {} : { conditions }) } };
};
