import type { RuleAction, RuleValue } from '@sheaf/contract/rules';
import type { SearchFilters } from '@sheaf/contract/search';
import type { RuleField } from '@sheaf/vocabulary/rules';
import { boolean, check, index, integer, jsonb, pgTable, sql, text, uuid } from '../drizzle.ts';
import { belongsTo, createdAt, refersTo, timestamptz, updatedAt } from './columns.ts';
import { documentIds } from './documents.ts';
import { users } from './users.ts';

/** What is set on documents that match, by people for themselves. */
export const rules = pgTable(
  'rules',
  {
    id: uuid('id').primaryKey(),
    /** A rule may do what this user may do. */
    createdBy: belongsTo('created_by', () => users.id),
    name: text('name').notNull(),
    /** In the language of the search; empty: by the filters alone. */
    query: text('query').notNull().default(''),
    filters: jsonb('filters').$type<SearchFilters>().notNull().default({}),
    actions: jsonb('actions').$type<readonly RuleAction[]>().notNull(),
    /** Its place among the rules of its user, from 1. */
    position: integer('position').notNull(),
    isEnabled: boolean('is_enabled').notNull().default(true),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    check('rules_name_check', sql`char_length(${t.name}) between 1 and 100`),
    check('rules_position_check', sql`${t.position} > 0`),
    index('rules_created_by_idx').on(t.createdBy, t.position, t.id),
  ],
);
export type Rule = typeof rules.$inferSelect;

/** What rules have changed. */
export const ruleChanges = pgTable(
  'rule_changes',
  {
    id: uuid('id').primaryKey(),
    /** Null once the rule is gone: what it did is still told. */
    ruleId: refersTo('rule_id', () => rules.id),
    ruleName: text('rule_name').notNull(),
    documentId: belongsTo('document_id', () => documentIds.id),
    field: text('field').$type<RuleField>().notNull(),
    from: jsonb('from_value').$type<RuleValue>(),
    to: jsonb('to_value').$type<RuleValue>().notNull(),
    changedAt: timestamptz('changed_at').notNull().defaultNow(),
    undoneAt: timestamptz('undone_at'),
  },
  (t) => [
    index('rule_changes_document_id_idx').on(t.documentId, t.changedAt, t.id),
    index('rule_changes_rule_id_idx').on(t.ruleId, t.changedAt, t.id).where(sql`${t.ruleId} is not null`),
  ],
);
export type RuleChange = typeof ruleChanges.$inferSelect;
