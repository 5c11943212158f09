import { type AppError, codedError, reasonedError } from '@sheaf/contract';
import { areEmptyFilters, type RuleDraft } from '@sheaf/contract/rules';
import { type Cut, type CutRequest, type Db, makeKeyset, type Page, type PageRequest, rulesFor, selectCut, selectPage } from '@sheaf/db';
import { and, asc, eq, sql } from '@sheaf/db/drizzle';
import { type Rule, rules } from '@sheaf/db/schema';
import { fieldConditions } from '@sheaf/documents/custom-fields';
import { uuidv7 } from '@sheaf/process';
import { asksForNothing, parseQuery } from '@sheaf/search';
import { MAX_RULES } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { RuleSortField, SortOrder } from '@sheaf/vocabulary/sort-fields';
import { requireTargets } from './rule-targets.ts';

const ruleNotFound = (id: string): AppError => codedError('NOT_FOUND', 'RULE_NOT_FOUND', { rule_id: id });

type RuleAccess = Parameters<typeof rulesFor>[1];

/** The rule, if it is one of `principal`. Throws RULE_NOT_FOUND otherwise. */
export const getRule = async (db: Db, principal: Principal, id: string, action: RuleAccess = 'documents.read'): Promise<Rule> => {
  const [row] = await db
    .select()
    .from(rules)
    .where(and(eq(rules.id, id), rulesFor(principal, action)));
  if (row === undefined) throw ruleNotFound(id);
  return row;
};

interface RuleOrder {
  readonly sort: RuleSortField;
  readonly order: SortOrder;
}

const SORT_KEYS = {
  position: { by: rules.position, type: 'integer' },
  id: { by: rules.id, type: 'uuid' },
  name: { by: sql`lower(${rules.name})`, type: 'text' },
  query: { by: rules.query, type: 'text' },
  is_enabled: { by: rules.isEnabled, type: 'boolean' },
  created_at: { by: rules.createdAt, type: 'timestamptz' },
  updated_at: { by: rules.updatedAt, type: 'timestamptz' },
} as const satisfies Record<RuleSortField, unknown>;

const keysetOf = ({ sort, order }: RuleOrder) => makeKeyset(order, [SORT_KEYS[sort], { by: rules.id, type: 'uuid' }]);

/** One page of the rules of `principal`, and how many there are. */
export const listRules = (db: Db, principal: Principal, { page, perPage, ...order }: RuleOrder & PageRequest): Promise<Page<Rule>> =>
  selectPage(db, rules, { where: rulesFor(principal, 'documents.read'), order: keysetOf(order).order, page, perPage });

/** The rules of `principal` behind `after`, at most `limit`. */
export const listRulesAfter = (db: Db, principal: Principal, { after, limit, ...order }: RuleOrder & CutRequest): Promise<Cut<Rule>> =>
  selectCut(db, rules, { where: rulesFor(principal, 'documents.read'), keyset: keysetOf(order), after, limit });

/**
 * Throws VALIDATION_ERROR where the condition asks for nothing that could match, such as one of exclusions alone, or a custom field that is none, or
 * an action names what `principal` may not read.
 */
export const requireUsable = async (tx: Db, principal: Principal, { query, filters, actions }: RuleDraft): Promise<void> => {
  const isWordless = query === '' ? areEmptyFilters(filters) : asksForNothing(parseQuery(query));
  if (isWordless) throw reasonedError('VALIDATION_ERROR', 'query_without_words');
  await fieldConditions(tx, principal, filters.fields, 'filters.fields');
  await requireTargets(tx, principal, actions);
};

/** Nobody else changes the order of the rules of this user until the end of the transaction ("rul" in hexadecimal). */
const RULES_LOCK = 0x72_75_6c;
const lockOrder = async (tx: Db, userId: string): Promise<string[]> => {
  await tx.execute(sql`select pg_advisory_xact_lock(${RULES_LOCK}, hashtext(${userId}))`);
  const rows = await tx.select({ id: rules.id }).from(rules).where(eq(rules.createdBy, userId)).orderBy(asc(rules.position), asc(rules.id));
  return rows.map(({ id }) => id);
};

/** Numbers the rules from 1 in the order of `ids`. */
const writeOrder = async (tx: Db, ids: readonly string[]): Promise<void> => {
  await tx.execute(sql`
    update rules set position = ordered.place from unnest(${sql.param([...ids])}::uuid[]) with ordinality as ordered (id, place)
    where rules.id = ordered.id and rules.position <> ordered.place`);
};

/** `ids` with `id` at a place, counted from 1; at the end where there is no such place. */
const placed = (ids: readonly string[], id: string, position: number): string[] =>
  ids.filter((other) => other !== id).toSpliced(position - 1, 0, id);

export interface RuleFields extends RuleDraft {
  readonly name: string;
  readonly isEnabled: boolean;
}

/** Makes a rule, at `position` or behind the others. Throws `too_many_rules`, and as `requireUsable` does. */
export const createRule = async (tx: Db, principal: Principal, fields: RuleFields, position: number = MAX_RULES): Promise<Rule> => {
  const { userId } = principal;
  const ids = await lockOrder(tx, userId);
  if (ids.length >= MAX_RULES) throw reasonedError('VALIDATION_ERROR', 'too_many_rules', { limit: MAX_RULES });
  await requireUsable(tx, principal, fields);
  const id = uuidv7();
  await tx.insert(rules).values({ id, createdBy: userId, ...fields, position: ids.length + 1 });
  await writeOrder(tx, placed(ids, id, position));
  return getRule(tx, principal, id);
};

/** Changes a rule. Throws RULE_NOT_FOUND, as `requireUsable` does where what it does is changed, and as `requireMatch` does once it is locked. */
export const updateRule = async (
  tx: Db,
  principal: Principal,
  id: string,
  { position, ...fields }: Partial<RuleFields> & { readonly position?: number | undefined },
  requireMatch: (tx: Db) => Promise<void> = async () => {},
): Promise<Rule> => {
  const ids = await lockOrder(tx, principal.userId);
  const rule = await getRule(tx, principal, id, 'documents.update');
  await requireMatch(tx);
  const { query, filters, actions } = fields;
  if (query !== undefined || filters !== undefined || actions !== undefined)
    await requireUsable(tx, principal, { query: query ?? rule.query, filters: filters ?? rule.filters, actions: actions ?? [] });
  await tx
    .update(rules)
    .set({ ...fields, updatedAt: sql`now()` })
    .where(eq(rules.id, id));
  if (position !== undefined) await writeOrder(tx, placed(ids, id, position));
  return getRule(tx, principal, id);
};

/** Deletes a rule; what it has changed stays. Throws RULE_NOT_FOUND. */
export const deleteRule = async (tx: Db, principal: Principal, id: string): Promise<Rule> => {
  const ids = await lockOrder(tx, principal.userId);
  const rule = await getRule(tx, principal, id, 'documents.update');
  await tx.delete(rules).where(eq(rules.id, id));
  await writeOrder(
    tx,
    ids.filter((other) => other !== id),
  );
  return rule;
};
