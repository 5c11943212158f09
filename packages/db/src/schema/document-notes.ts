import { check, index, pgTable, sql, text, uuid } from '../drizzle.ts';
import { belongsTo, createdAt, refersTo } from './columns.ts';
import { documents } from './documents.ts';
import { users } from './users.ts';

export const documentNotes = pgTable(
  'document_notes',
  {
    id: uuid('id').primaryKey(),
    documentId: belongsTo('document_id', () => documents.id),
    /** Null once the author is gone: what was noted stays. */
    authorId: refersTo('author_id', () => users.id),
    text: text('text').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    check('document_notes_text_check', sql`char_length(${t.text}) between 1 and 10000`),
    index('document_notes_document_id_idx').on(t.documentId, t.createdAt, t.id),
    index('document_notes_author_id_idx').on(t.authorId).where(sql`${t.authorId} is not null`),
  ],
);
