import type { RuleAction, RuleValue } from '@sheaf/contract/rules';
import type { SearchFilters } from '@sheaf/contract/search';
import type { RuleField } from '@sheaf/vocabulary/rules';
import { boolean, check, index, integer, jsonb, pgTable, sql, text, timestamp, uuid } from '../drizzle.ts';
import { documents } from './documents.ts';
import { users } from './users.ts';

/** What is set on documents that match, by people for themselves. */
export const rules = pgTable(
  'rules',
  {
    id: uuid('id').primaryKey(),
    /** A rule may do what this user may do. */
    createdBy: uuid('created_by')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** In the language of the search; empty: by the filters alone. */
    query: text('query').notNull().default(''),
    filters: jsonb('filters').$type<SearchFilters>().notNull().default({}),
    actions: jsonb('actions').$type<readonly RuleAction[]>().notNull(),
    /** Its place among the rules of its user, from 1. */
    position: integer('position').notNull(),
    isEnabled: boolean('is_enabled').notNull().default(true),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
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
    ruleId: uuid('rule_id').references(() => rules.id, { onDelete: 'set null' }),
    ruleName: text('rule_name').notNull(),
    documentId: uuid('document_id')
      .notNull()
      .references(() => documents.id, { onDelete: 'cascade' }),
    field: text('field').$type<RuleField>().notNull(),
    from: jsonb('from_value').$type<RuleValue>(),
    to: jsonb('to_value').$type<RuleValue>().notNull(),
    changedAt: timestamp('changed_at', { withTimezone: true }).notNull().defaultNow(),
    undoneAt: timestamp('undone_at', { withTimezone: true }),
  },
  (t) => [
    index('rule_changes_document_id_idx').on(t.documentId, t.changedAt, t.id),
    index('rule_changes_rule_id_idx').on(t.ruleId, t.changedAt, t.id).where(sql`${t.ruleId} is not null`),
  ],
);
export type RuleChange = typeof ruleChanges.$inferSelect;
