import { isDeepStrictEqual } from 'node:util';
import { AppError } from '@sheaf/contract';
import { createSavedSearchRequest, type SearchFilters } from '@sheaf/contract/search';
import { savedSearches } from '@sheaf/db/schema';
import { PAPERLESS_SORTS } from '@sheaf/paperless/archive';
import { parseQuery, type Query, writeQuery } from '@sheaf/search';
import { createSavedSearch, type SavedSearchFields } from '@sheaf/search/saved-searches';
import { MAX_SAVED_SEARCH_NAME_CHARACTERS } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { toName } from '../names.ts';
import { type ImportContext, readAll } from './context.ts';
import { filterRuleFields, type SavedViewFields, savedViewFields } from './records.ts';
import type { ImportedUser } from './users.ts';

const MODEL = 'documents.savedview';

const readRules = (context: ImportContext): ReadonlyMap<string, FilterRule[]> =>
  Map.groupBy(readAll(context, 'documents.savedviewfilterrule', filterRuleFields).values(), ({ saved_view: view }) => view);

const principalOf = ({ by }: ImportContext, user: ImportedUser | undefined): Principal =>
  user === undefined ? by : { userId: user.id, username: user.username, role: '', permissions: [], via: 'token' };

const toFields = (
  { report }: ImportContext,
  view: SavedViewFields,
  rules: readonly FilterRule[],
  tables: ViewTables,
): SavedSearchFields | undefined => {
  const { query, filters, left } = toSearch(rules, tables);
  for (const { rule_type: type, value } of left)
    report.leave(
      'saved view rule',
      `${view.name}: rule ${type}`,
      `Searches cannot say this, so the saved search finds more. Value: ${value || 'none'}`,
    );
  const sort = PAPERLESS_SORTS[view.sort_field];
  if (sort === undefined && view.sort_field !== '')
    report.leave('saved view order', view.name, `Searches are not ordered by ${view.sort_field}`);
  if (view.show_on_dashboard === true) report.leave('saved view', view.name, 'There is no dashboard; pin the saved search instead');
  const parsed = createSavedSearchRequest.safeParse({
    name: toName(view.name, MAX_SAVED_SEARCH_NAME_CHARACTERS),
    query,
    filters,
    sort: sort ?? 'created_at',
    order: view.sort_reverse || sort === undefined ? 'desc' : 'asc',
  });
  if (parsed.success) {
    const { is_shared: _shared, is_pinned: _pinned, view_rules: viewRules, ...fields } = parsed.data;
    return { ...fields, viewRules, isShared: view.owner === undefined };
  }
  report.leave('saved view', view.name, `${parsed.error.issues[0]?.path.join('.') ?? ''} ${parsed.error.issues[0]?.message ?? ''}`.trim());
  return undefined;
};

/** Takes over saved views as saved searches of their owners, as far as searches can say what their rules do. */
export const importViews = async (context: ImportContext, users: ReadonlyMap<string, ImportedUser>, tables: ViewTables): Promise<void> => {
  const { db, items, report } = context;
  const views = readAll(context, MODEL, savedViewFields);
  const rules = readRules(context);
  const known = await items.findRows(db, MODEL, savedSearches);
  for (const [pk, view] of views) {
    if (known.has(pk)) continue;
    const fields = toFields(context, view, rules.get(pk) ?? [], tables);
    if (fields === undefined) continue;
    const owner = view.owner === undefined ? undefined : users.get(view.owner);
    if (view.owner !== undefined && owner === undefined)
      report.leave('owner', view.name, 'The owner of the saved view is not there; it belongs to the requester of the import');
    try {
      await db.transaction(async (tx) => {
        const id = await createSavedSearch(tx, { principal: principalOf(context, owner), address: undefined }, fields, {
          isPinned: view.show_in_sidebar === true,
        });
        await items.add(tx, MODEL, [{ foreignId: pk, localId: id }]);
      });
      report.count('saved_searches');
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      report.leave('saved view', view.name, error.message);
    }
  }
};

/** What entries of the other system became here. */
export interface ViewTables {
  readonly labels: ReadonlyMap<string, string>;
  readonly labelNames: ReadonlyMap<string, string>;
  readonly inboxLabels: readonly string[];
  readonly correspondents: ReadonlyMap<string, string>;
  readonly documentTypes: ReadonlyMap<string, string>;
  readonly users: ReadonlyMap<string, { readonly id: string }>;
  readonly fieldNames: ReadonlyMap<string, string>;
  readonly paths: ReadonlyMap<string, string>;
  readonly pathField: string | undefined;
}

/** A search as it is put together, rule by rule. */
interface Draft {
  readonly filters: Record<string, unknown>;
  readonly must: Query['must'][number][];
  readonly mustNot: Query['mustNot'][number][];
  readonly parts: string[];
}

/** Adds a rule; false where it cannot be said here. */
type Adder = (draft: Draft, value: string, tables: ViewTables) => boolean;

/** Sets a filter that no other rule has set otherwise. */
const set = ({ filters }: Draft, more: Readonly<Record<string, unknown>>): boolean => {
  if (Object.entries(more).some(([key, value]) => Object.hasOwn(filters, key) && !isDeepStrictEqual(filters[key], value))) return false;
  Object.assign(filters, more);
  return true;
};

const DAY = /^\d{4}-\d{2}-\d{2}/;

/** The day of a rule, or one beside it; undefined for what is relative to today. */
const dayOf = (value: string, more: number): string | undefined => {
  const [day] = DAY.exec(value) ?? [];
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(at) ? undefined : new Date(at + more * 86_400_000).toJSON().slice(0, 10);
};

const byDay =
  (key: keyof SearchFilters, more = 0): Adder =>
  (draft, value) => {
    const day = dayOf(value, more);
    return day !== undefined && set(draft, { [key]: day });
  };

type TableName = 'correspondents' | 'documentTypes';

const idsOf = (value: string, ids: ReadonlyMap<string, string>): string[] | undefined => {
  const found = value.split(',').map((pk) => ids.get(pk.trim()));
  return found.some((id) => id === undefined) ? undefined : found.filter((id) => id !== undefined);
};

const byEntries =
  (table: TableName, key: 'correspondent_ids' | 'document_type_ids', missing: 'has_correspondent' | 'has_document_type'): Adder =>
  (draft, value, tables) => {
    if (value === '' || value === 'null') return set(draft, { [missing]: false });
    const ids = idsOf(value, tables[table]);
    return ids !== undefined && set(draft, { [key]: ids });
  };

const withLabels = (draft: Draft, ids: readonly string[], match: 'any' | 'all'): boolean => {
  const { label_ids: before, label_match: how } = draft.filters as { label_ids?: string[]; label_match?: string };
  if (before === undefined) return set(draft, { label_ids: [...ids], label_match: match });
  if (match === 'any' || how === 'any') return false;
  draft.filters['label_ids'] = [...new Set([...before, ...ids])];
  return true;
};

const byLabels =
  (match: 'any' | 'all'): Adder =>
  (draft, value, { labels }) => {
    const ids = idsOf(value, labels);
    return ids !== undefined && withLabels(draft, ids, match);
  };

const byWords =
  (field: 'title' | 'content' | undefined): Adder =>
  ({ must }, value) => {
    const text = value.replaceAll('"', ' ').trim();
    if (!/[\p{L}\p{N}]/u.test(text)) return false;
    must.push([{ ...(field === undefined ? {} : { field }), text, prefix: true, inside: true }]);
    return true;
  };

const byNumber =
  (sign: '>' | '<'): Adder =>
  ({ parts }, value) => {
    if (!/^\d{1,10}$/.test(value)) return false;
    parts.push(`asn:${sign}${value}`);
    return true;
  };

const OPERATORS: Readonly<Record<string, string>> = { exact: 'eq', gt: 'gt', gte: 'gte', lt: 'lt', lte: 'lte', icontains: 'contains' };

const toCondition = (condition: unknown, { fieldNames }: ViewTables): readonly [string, Record<string, unknown>] | undefined => {
  if (!Array.isArray(condition)) return undefined;
  const [field, operator, value] = condition as unknown[];
  const name = fieldNames.get(String(field)) ?? [...fieldNames.values()].find((known) => known === field);
  const own = OPERATORS[String(operator)];
  const isSimple = ['string', 'number', 'boolean'].includes(typeof value);
  return name === undefined || own === undefined || !isSimple ? undefined : [name, { [own]: value }];
};

/** `["AND", [[field, operator, value], ...]]`, all of whose conditions can be said here. */
const byFieldQuery: Adder = (draft, value, tables) => {
  let query: unknown;
  try {
    query = JSON.parse(value);
  } catch {
    return false;
  }
  const [how, conditions] = Array.isArray(query) ? (query as unknown[]) : [];
  const all = how === 'AND' && Array.isArray(conditions) ? conditions.map((one) => toCondition(one, tables)) : [undefined];
  const known = all.filter((one) => one !== undefined);
  const isWhole = known.length === all.length && new Set(known.map(([name]) => name)).size === known.length;
  return isWhole && set(draft, { fields: Object.fromEntries(known) });
};

const byYear: Adder = (draft, value) =>
  /^\d{4}$/.test(value) && set(draft, { document_date_from: `${value}-01-01`, document_date_to: `${value}-12-31` });

const withoutLabel: Adder = ({ mustNot }, value, { labelNames }) => {
  const name = labelNames.get(value);
  if (name === undefined) return false;
  mustNot.push([{ field: 'label', compare: 'equal', text: name, prefix: false }]);
  return true;
};

const byPath: Adder = (draft, value, { paths, pathField }) => {
  const name = paths.get(value);
  return name !== undefined && pathField !== undefined && set(draft, { fields: { [pathField]: { eq: name } } });
};

const byOwner: Adder = (draft, value, { users }) => {
  const id = users.get(value)?.id;
  return id !== undefined && set(draft, { owner_id: id });
};

/** Words alone are the same in both languages of queries. */
const byFullText: Adder = ({ parts }, value) => {
  if (!/^[\p{L}\p{N} ]{1,500}$/u.test(value) || /\b(?:AND|OR|NOT|TO)\b/.test(value)) return false;
  parts.push(value.trim());
  return true;
};

const ADDERS: Readonly<Record<number, Adder>> = {
  0: byWords('title'),
  1: byWords('content'),
  2: (draft, value) => /^[1-9]\d{0,9}$/.test(value) && Number(value) <= 2_147_483_647 && set(draft, { archive_number: Number(value) }),
  3: byEntries('correspondents', 'correspondent_ids', 'has_correspondent'),
  4: byEntries('documentTypes', 'document_type_ids', 'has_document_type'),
  5: (draft, value, { inboxLabels }) => value === 'true' && inboxLabels.length > 0 && withLabels(draft, inboxLabels, 'any'),
  6: byLabels('all'),
  7: (draft, value) => set(draft, { has_labels: value === 'true' }),
  8: byDay('document_date_to', -1),
  9: byDay('document_date_from', 1),
  10: byYear,
  13: byDay('date_to', -1),
  14: byDay('date_from', 1),
  17: withoutLabel,
  18: ({ parts }, value) => value === 'true' && parts.push('asn:none') > 0,
  19: byWords(undefined),
  20: byFullText,
  22: byLabels('any'),
  23: byNumber('>'),
  24: byNumber('<'),
  25: byPath,
  26: byEntries('correspondents', 'correspondent_ids', 'has_correspondent'),
  28: byEntries('documentTypes', 'document_type_ids', 'has_document_type'),
  30: byPath,
  32: byOwner,
  33: byOwner,
  42: byFieldQuery,
  43: byDay('document_date_to'),
  44: byDay('document_date_from'),
  45: byDay('date_to'),
  46: byDay('date_from'),
  47: (draft, value) => set(draft, { mime_types: [value] }),
};

export interface FilterRule {
  readonly rule_type: number;
  readonly value: string;
}

/** A search that says what the rules say, and the rules that it does not. */
export interface ViewSearch {
  readonly query: string;
  readonly filters: Record<string, unknown>;
  readonly left: readonly FilterRule[];
}

/** Whether the text of a query is read as it is meant. */
const isReadBack = (query: Query): boolean => isDeepStrictEqual(parseQuery(writeQuery(query)), query);

/** The search that finds what the rules of a saved view find, as far as there is one. */
export const toSearch = (given: readonly FilterRule[], tables: ViewTables): ViewSearch => {
  const draft: Draft = { filters: {}, must: [], mustNot: [], parts: [] };
  const left: FilterRule[] = [];
  for (const rule of given) {
    const { must, mustNot } = draft;
    const counts = [must.length, mustNot.length];
    const isAdded = ADDERS[rule.rule_type]?.(draft, rule.value, tables) === true;
    const more = { must: must.slice(counts[0]), should: [], mustNot: mustNot.slice(counts[1]) };
    if (isAdded && (more.must.length + more.mustNot.length === 0 || isReadBack(more))) continue;
    must.length = counts[0] ?? 0;
    mustNot.length = counts[1] ?? 0;
    left.push(rule);
  }
  const words = writeQuery({ must: draft.must, should: [], mustNot: draft.mustNot });
  return { query: [...draft.parts, words].filter((part) => part !== '').join(' '), filters: draft.filters, left };
};
