import { check, index, pgTable, sql, text, timestamp, uuid } from '../drizzle.ts';
import { documents } from './documents.ts';
import { users } from './users.ts';

export const documentNotes = pgTable(
  'document_notes',
  {
    id: uuid('id').primaryKey(),
    documentId: uuid('document_id')
      .notNull()
      .references(() => documents.id, { onDelete: 'cascade' }),
    /** Null once the author is gone: what was noted stays. */
    authorId: uuid('author_id').references(() => users.id, { onDelete: 'set null' }),
    text: text('text').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (t) => [
    check('document_notes_text_check', sql`char_length(${t.text}) between 1 and 10000`),
    index('document_notes_document_id_idx').on(t.documentId, t.createdAt, t.id),
    index('document_notes_author_id_idx').on(t.authorId).where(sql`${t.authorId} is not null`),
  ],
);
