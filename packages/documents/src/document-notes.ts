import { type AppError, codedError, reasonedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { and, asc, eq, sql } from '@sheaf/db/drizzle';
import { documentNotes, documents, users } from '@sheaf/db/schema';
import { MAX_NOTES } from '@sheaf/vocabulary/limits';

/** What somebody noted about a document. */
export interface Note {
  readonly id: string;
  readonly text: string;
  readonly createdAt: Date;
  /** Undefined where the account is gone. */
  readonly author: { readonly id: string; readonly username: string } | undefined;
}

const noteNotFound = (id: string): AppError => codedError('NOT_FOUND', 'NOTE_NOT_FOUND', { note_id: id });

const selectNotes = (db: Db) =>
  db
    .select({
      id: documentNotes.id,
      text: documentNotes.text,
      createdAt: documentNotes.createdAt,
      authorId: documentNotes.authorId,
      username: users.username,
    })
    .from(documentNotes)
    .leftJoin(users, eq(users.id, documentNotes.authorId));

const toNote = ({ authorId, username, ...note }: Awaited<ReturnType<typeof selectNotes>>[number]): Note => ({
  ...note,
  author: authorId === null || username === null ? undefined : { id: authorId, username },
});

/** All notes of a document, the oldest first: there are at most MAX_NOTES. Whoever calls it has found that they may be read. */
export const listNotes = async (db: Db, documentId: string): Promise<Note[]> => {
  const rows = await selectNotes(db)
    .where(eq(documentNotes.documentId, documentId))
    .orderBy(asc(documentNotes.createdAt), asc(documentNotes.id));
  return rows.map(toNote);
};

/** Changes the number of notes in the row of the document, which is locked, and answers how many there are now. */
const countOneMore = async (tx: Db, documentId: string, more: 1 | -1): Promise<number> => {
  const [row] = await tx
    .update(documents)
    .set({ notesCount: sql`${documents.notesCount} + ${more}`, updatedAt: sql`now()` })
    .where(eq(documents.id, documentId))
    .returning({ notesCount: documents.notesCount });
  return row?.notesCount ?? 0;
};

export interface NewNote {
  readonly id: string;
  readonly documentId: string;
  readonly authorId: string;
  readonly text: string;
}

/** Adds a note to a document that the caller has locked. Returns it with the number of notes that there are now. Throws `too_many_notes`. */
export const addNote = async (tx: Db, { id, documentId, authorId, text }: NewNote): Promise<{ note: Note; notesCount: number }> => {
  const notesCount = await countOneMore(tx, documentId, 1);
  if (notesCount > MAX_NOTES) throw reasonedError('VALIDATION_ERROR', 'too_many_notes', { limit: MAX_NOTES });
  await tx.insert(documentNotes).values({ id, documentId, authorId, text });
  const [row] = await selectNotes(tx).where(eq(documentNotes.id, id));
  if (row === undefined) throw noteNotFound(id);
  return { note: toNote(row), notesCount };
};

/** Deletes a note of a document that the caller has locked. Returns it with the number of those that are left. Throws NOTE_NOT_FOUND. */
export const deleteNote = async (tx: Db, documentId: string, id: string): Promise<{ note: Note; notesCount: number }> => {
  const isIt = and(eq(documentNotes.id, id), eq(documentNotes.documentId, documentId));
  const [row] = await selectNotes(tx).where(isIt);
  if (row === undefined) throw noteNotFound(id);
  await tx.delete(documentNotes).where(isIt);
  return { note: toNote(row), notesCount: await countOneMore(tx, documentId, -1) };
};
