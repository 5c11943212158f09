import { recordAudit } from '@sheaf/accounts/users';
import { documentNotFound, reasonedError } from '@sheaf/contract';
import { createNoteRequest, type NoteBody, noteBody, noteListQuery, noteParams, notesBody } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { addNote, deleteNote as deleteRow, getDocument, listNotes, type Note } from '@sheaf/documents';
import { recordEvent } from '@sheaf/events';
import { uuidv7 } from '@sheaf/process';
import { indexDocument } from '@sheaf/search';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { partOf } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { createRoute, emptyRoute, jsonRoute, type RequestContext, type Route } from '../http/route.ts';
import type { DocumentServices } from './document-services.ts';
import { DOCUMENT_ACTIONS, takeDocuments } from './select-documents.ts';

const toNoteBody = ({ id, text, author, createdAt }: Note): NoteBody => ({
  id,
  text,
  author: author ?? null,
  created_at: createdAt.toISOString(),
});

/** Changes the notes of a document that `principal` may change, and its index entry, and says so, in one transaction. */
const changeNotes = (
  db: Db,
  principal: Principal,
  documentId: string,
  change: (tx: Db) => Promise<{ readonly note: Note; readonly notesCount: number }>,
): Promise<Note> =>
  db.transaction(async (tx) => {
    const [document] = await takeDocuments(tx, principal, DOCUMENT_ACTIONS.update, { ids: [documentId] });
    if (document === undefined) throw documentNotFound(documentId);
    const { note, notesCount } = await change(tx);
    await indexDocument(tx, documentId);
    await recordEvent(tx, { type: 'document_updated', document_id: documentId, changes: { notes_count: notesCount } }, document.ownerId);
    return note;
  });

export const notes = ({ database: { db } }: DocumentServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/documents/{id}/notes',
    access: 'documents.read',
    summary: 'List the notes of a document, the oldest first by default',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    query: noteListQuery,
    response: notesBody,
    handle: async ({ params, query, principal }) => {
      const { id } = await getDocument(db, principal, params.id);
      return partOf('notes', (await listNotes(db, id)).map(toNoteBody), query, (note, field) => note[field]);
    },
  });

export const createNote = ({ database: { db } }: DocumentServices): Route =>
  createRoute({
    path: '/api/documents/{id}/notes',
    access: 'documents.update',
    summary: 'Add a note to a document',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    body: createNoteRequest,
    response: noteBody,
    handle: async ({ params: { id }, body: { text }, principal }) =>
      toNoteBody(
        await changeNotes(db, principal, id, (tx) => addNote(tx, { id: uuidv7(), documentId: id, authorId: principal.userId, text })),
      ),
  });

/** Notes of others are deleted by those alone who may change every document. */
const requireAuthor = (principal: Principal, note: Note): void => {
  if (note.author?.id !== principal.userId && scopeOf(principal.permissions, 'documents.update') !== 'all')
    throw reasonedError('FORBIDDEN', 'not_your_own');
};

/** Deletes a note of a document that `principal` may change. Throws DOCUMENT_NOT_FOUND, NOTE_NOT_FOUND, and FORBIDDEN for notes of others. */
export const deleteNote = async (
  { database: { db } }: { readonly database: { readonly db: Db } },
  { documentId, noteId }: { readonly documentId: string; readonly noteId: string },
  principal: Principal,
  { address }: Pick<RequestContext, 'address'>,
): Promise<void> => {
  await changeNotes(db, principal, documentId, async (tx) => {
    const deleted = await deleteRow(tx, documentId, noteId);
    requireAuthor(principal, deleted.note);
    await recordAudit(tx, {
      actor: principal,
      address,
      action: 'document.note_deleted',
      outcome: 'success',
      subject: { type: 'document', id: documentId },
      details: { note_id: noteId, author_id: deleted.note.author?.id ?? null },
    });
    return deleted;
  });
};

export const removeNote = ({ database: { db } }: DocumentServices): Route =>
  emptyRoute({
    method: 'delete',
    path: '/api/documents/{id}/notes/{note_id}',
    access: 'documents.update',
    summary: 'Delete a note',
    description: 'Notes of others are deleted only by users who may change all documents.',
    done: 'Deleted',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', NOTE_NOT_FOUND: 'NOT_FOUND' },
    params: noteParams,
    handle: async ({ params: { id, note_id: noteId }, principal, context: { address } }) => {
      await deleteNote({ database: { db } }, { documentId: id, noteId }, principal, { address });
    },
  });
