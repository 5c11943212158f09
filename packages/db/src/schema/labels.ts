import { type AnyPgColumn, check, index, pgTable, primaryKey, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { belongsTo, createdAt, refersTo } from './columns.ts';
import { documentIds } from './documents.ts';
import { users } from './users.ts';

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
