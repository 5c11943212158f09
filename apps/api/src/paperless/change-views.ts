import { AppError } from '@sheaf/contract';
import { type DocumentCondition, type SearchFilters, savedSearchBody } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import type { ViewRule } from '@sheaf/db/schema';
import { findByNumbers, numbersOf } from '@sheaf/paperless';
import { PAPERLESS_SORTS } from '@sheaf/paperless/archive';
import { type AnyCondition, readPaperlessQuery, writePaperlessQuery } from '@sheaf/search';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
import { create as createOwn, patch as patchOwn, remove as removeOwn } from '../saved-searches/routes.ts';
import { askRoute, deleteRoute } from './ask-route.ts';
import { refusePeople, requireOwner } from './document-changes.ts';
import { readConditions } from './find-documents.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { anyQuery, numberParams, readInteger, refuseField, requireNumber } from './query.ts';
import { requestBody } from './request-body.ts';
import { readView, VIEWS_PATH, viewBody } from './saved-views.ts';
import { requireLetters } from './search-hits.ts';

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
  const search = given === undefined ? {} : { ...(await readRules(db, principal, given)), view_rules: given };
  return {
    ...(name === undefined ? {} : { name }),
    ...(sort === undefined ? {} : { sort }),
    ...(typeof isReverse === 'boolean' ? { order: isReverse ? 'desc' : 'asc' } : {}),
    ...(typeof isPinned === 'boolean' ? { is_pinned: isPinned } : {}),
    ...search,
  };
};

export const create = (services: PaperlessServices): Route =>
  jsonRoute({
    method: 'post',
    path: VIEWS_PATH,
    access: 'search.query',
    summary: 'Save a search',
    query: anyQuery,
    body: viewRequest,
    status: 201,
    response: viewBody,
    handle: async ({ body, principal, context }) => {
      const { db } = services.database;
      const request = { sort: 'document_date', ...(await toRequest(db, principal, body)) };
      const { id } = await askRoute(createOwn(services), savedSearchBody, { body: request, principal, context });
      return readView(db, principal, (await numbersOf(db, [{ kind: 'saved_view', id }]))('saved_view', id));
    },
  });

const updateBy = (method: 'put' | 'patch', services: PaperlessServices): Route =>
  jsonRoute({
    method,
    path: `${VIEWS_PATH}/{id}`,
    access: 'search.query',
    summary: 'Change a saved search',
    params: numberParams,
    query: anyQuery,
    body: viewRequest,
    status: 200,
    response: viewBody,
    handle: async ({ params, body, principal, context }) => {
      const { db } = services.database;
      const id = await requireNumber(db, 'saved_view', params);
      await readView(db, principal, Number(params.id));
      const request = await toRequest(db, principal, body);
      if (Object.keys(request).length > 0)
        await askRoute(patchOwn(services), savedSearchBody, { params: { id }, body: request, principal, context });
      return readView(db, principal, Number(params.id));
    },
  });

export const put = (services: PaperlessServices): Route => updateBy('put', services);
export const patch = (services: PaperlessServices): Route => updateBy('patch', services);

export const remove = (services: PaperlessServices): Route =>
  deleteRoute(services.database.db, 'saved_view', removeOwn(services), {
    path: `${VIEWS_PATH}/{id}`,
    access: 'search.query',
    summary: 'Delete a saved search',
  });

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
const readRules = async (
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

/** A kind of filter rule of saved views: the parameter of the list of documents that it is. */
interface RuleType {
  readonly parameter: string;
  /** Several rules of the kind are one parameter with all of their values. */
  readonly isMulti?: true;
  readonly isBoolean?: true;
  /** The parameter that the rule is without a value: whether there is none of the kind. */
  readonly missing?: string;
}

const CORRESPONDENT = { missing: 'correspondent__isnull' };
const DOCUMENT_TYPE = { missing: 'document_type__isnull' };
const STORAGE_PATH = { missing: 'storage_path__isnull' };
const MULTI = { isMulti: true } as const;
const BOOLEAN = { isBoolean: true } as const;

/** All kinds of filter rules of Paperless-ngx by their numbers. */
export const RULE_TYPES: Readonly<Record<number, RuleType>> = {
  0: { parameter: 'title__icontains' },
  1: { parameter: 'content__icontains' },
  2: { parameter: 'archive_serial_number' },
  3: { parameter: 'correspondent__id', ...CORRESPONDENT },
  4: { parameter: 'document_type__id', ...DOCUMENT_TYPE },
  5: { parameter: 'is_in_inbox', ...BOOLEAN },
  6: { parameter: 'tags__id__all', ...MULTI },
  7: { parameter: 'is_tagged', ...BOOLEAN },
  8: { parameter: 'created__date__lt' },
  9: { parameter: 'created__date__gt' },
  10: { parameter: 'created__year' },
  11: { parameter: 'created__month' },
  12: { parameter: 'created__day' },
  13: { parameter: 'added__date__lt' },
  14: { parameter: 'added__date__gt' },
  15: { parameter: 'modified__date__lt' },
  16: { parameter: 'modified__date__gt' },
  17: { parameter: 'tags__id__none', ...MULTI },
  18: { parameter: 'archive_serial_number__isnull', ...BOOLEAN },
  19: { parameter: 'title_content' },
  20: { parameter: 'query' },
  21: { parameter: 'more_like_id' },
  22: { parameter: 'tags__id__in', ...MULTI },
  23: { parameter: 'archive_serial_number__gt' },
  24: { parameter: 'archive_serial_number__lt' },
  25: { parameter: 'storage_path__id', ...STORAGE_PATH },
  26: { parameter: 'correspondent__id__in', ...MULTI, ...CORRESPONDENT },
  27: { parameter: 'correspondent__id__none', ...MULTI },
  28: { parameter: 'document_type__id__in', ...MULTI, ...DOCUMENT_TYPE },
  29: { parameter: 'document_type__id__none', ...MULTI },
  30: { parameter: 'storage_path__id__in', ...MULTI, ...STORAGE_PATH },
  31: { parameter: 'storage_path__id__none', ...MULTI },
  32: { parameter: 'owner__id' },
  33: { parameter: 'owner__id__in', ...MULTI },
  34: { parameter: 'owner__isnull', ...BOOLEAN },
  35: { parameter: 'owner__id__none', ...MULTI },
  36: { parameter: 'custom_fields__icontains' },
  37: { parameter: 'shared_by__id', ...MULTI },
  38: { parameter: 'custom_fields__id__all', ...MULTI },
  39: { parameter: 'custom_fields__id__in', ...MULTI },
  40: { parameter: 'custom_fields__id__none', ...MULTI },
  41: { parameter: 'has_custom_fields', ...BOOLEAN },
  42: { parameter: 'custom_field_query' },
  43: { parameter: 'created__date__lte' },
  44: { parameter: 'created__date__gte' },
  45: { parameter: 'added__date__lte' },
  46: { parameter: 'added__date__gte' },
  47: { parameter: 'mime_type' },
  48: { parameter: 'title_search' },
  49: { parameter: 'text' },
};
