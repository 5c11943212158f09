import type { RuleAction, RuleValue } from '@sheaf/contract/rules';
import type { SearchFilters } from '@sheaf/contract/search';
import { FIELD_TYPES } from '@sheaf/vocabulary/custom-fields';
import type { RuleField } from '@sheaf/vocabulary/rules';
import {
  type AnyPgColumn,
  boolean,
  check,
  date,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  sql,
  text,
  uniqueIndex,
  uuid,
} from '../drizzle.ts';
import { belongsTo, createdAt, refersTo, timestamptz, updatedAt } from './columns.ts';
import { documentIds, documents, documentTypes } from './documents.ts';
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

export const labels = pgTable(
  'labels',
  {
    id: uuid('id').primaryKey(),
    name: text('name').notNull(),
    color: text('color').notNull(),
    description: text('description').notNull().default(''),
    /** The label above it; a document that has this one has that one as well. */
    parentId: refersTo('parent_id', (): AnyPgColumn => labels.id),
    createdBy: refersTo('created_by', () => users.id),
    createdAt: createdAt(),
    /** The name in the order of people. */
    nameKey: text('name_key').notNull().generatedAlwaysAs(sql`name`),
  },
  (t) => [
    check('labels_name_check', sql`char_length(${t.name}) between 1 and 100`),
    check('labels_color_check', sql`${t.color} ~ '^#[0-9a-fA-F]{6}$'`),
    index('labels_parent_id_idx').on(t.parentId).where(sql`${t.parentId} is not null`),
    uniqueIndex('labels_name_key').on(sql`lower(${t.name})`, t.createdBy),
  ],
);
export type Label = typeof labels.$inferSelect;

export const documentLabels = pgTable(
  'document_labels',
  {
    documentId: belongsTo('document_id', () => documentIds.id),
    labelId: belongsTo('label_id', () => labels.id),
  },
  (t) => [primaryKey({ columns: [t.documentId, t.labelId] }), index('document_labels_label_id_idx').on(t.labelId, t.documentId)],
);

/** Fields that an instance gives its documents beside those that every document has. */
export const customFields = pgTable(
  'custom_fields',
  {
    id: uuid('id').primaryKey(),
    name: text('name').notNull(),
    type: text('type', { enum: FIELD_TYPES }).notNull(),
    /** What can be chosen, in the order in which it is offered. */
    choices: text('choices').array().notNull().default([]),
    /** Of amounts: the currency that is offered first. */
    defaultCurrency: text('default_currency'),
    /** Offered for documents of this type only; null: for all. */
    documentTypeId: refersTo('document_type_id', () => documentTypes.id),
    createdBy: refersTo('created_by', () => users.id),
    createdAt: createdAt(),
    /** The name in the order of people. */
    nameKey: text('name_key').notNull().generatedAlwaysAs(sql`name`),
  },
  (t) => [
    check('custom_fields_name_check', sql`char_length(${t.name}) between 1 and 100`),
    check(
      'custom_fields_type_check',
      sql`${t.type} in ('text', 'long_text', 'number', 'integer', 'amount', 'date', 'boolean', 'url', 'choice', 'document')`,
    ),
    check(
      'custom_fields_choices_check',
      sql`cardinality(${t.choices}) <= 100 and (${t.type} = 'choice') = (cardinality(${t.choices}) > 0)`,
    ),
    check(
      'custom_fields_currency_check',
      sql`${t.defaultCurrency} is null or (${t.type} = 'amount' and ${t.defaultCurrency} ~ '^[A-Z]{3}$')`,
    ),
    uniqueIndex('custom_fields_name_key').on(sql`lower(${t.name})`),
    index('custom_fields_document_type_id_idx').on(t.documentTypeId).where(sql`${t.documentTypeId} is not null`),
    index('custom_fields_created_by_idx').on(t.createdBy).where(sql`${t.createdBy} is not null`),
  ],
);
export type CustomFieldRow = typeof customFields.$inferSelect;

/** The custom fields of documents with their values. The type of the field says which one is set; none is where the field is empty. */
export const documentFields = pgTable(
  'document_fields',
  {
    documentId: belongsTo('document_id', () => documentIds.id),
    fieldId: belongsTo('field_id', () => customFields.id),
    /** Of text, long_text, url and choice. */
    textValue: text('text_value'),
    /** Of number, integer and amount. */
    numberValue: numeric('number_value'),
    currency: text('currency'),
    dateValue: date('date_value', { mode: 'string' }),
    booleanValue: boolean('boolean_value'),
    /** A link goes with the document that it leads to. */
    documentValue: uuid('document_value').references(() => documents.id, { onDelete: 'cascade' }),
  },
  (t) => [
    primaryKey({ columns: [t.documentId, t.fieldId] }),
    check(
      'document_fields_one_value_check',
      sql`num_nonnulls(${t.textValue}, ${t.numberValue}, ${t.dateValue}, ${t.booleanValue}, ${t.documentValue}) <= 1`,
    ),
    check('document_fields_text_check', sql`char_length(${t.textValue}) between 1 and 10000`),
    check('document_fields_number_check', sql`abs(${t.numberValue}) < 1e15 and scale(${t.numberValue}) <= 6`),
    check('document_fields_currency_check', sql`${t.currency} is null or (${t.numberValue} is not null and ${t.currency} ~ '^[A-Z]{3}$')`),
    index('document_fields_number_idx').on(t.fieldId, t.numberValue),
    index('document_fields_date_idx').on(t.fieldId, t.dateValue).where(sql`${t.dateValue} is not null`),
    index('document_fields_text_idx').on(t.fieldId, sql`lower(left(${t.textValue}, 200))`).where(sql`${t.textValue} is not null`),
    index('document_fields_document_value_idx').on(t.documentValue).where(sql`${t.documentValue} is not null`),
  ],
);
export type FieldValueRow = typeof documentFields.$inferSelect;
