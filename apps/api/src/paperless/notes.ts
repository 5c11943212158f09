import { noteBody } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { getDocument, listNotes } from '@sheaf/documents';
import { findByNumbers, numbersOf } from '@sheaf/paperless';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { createNote, deleteNote } from '../documents/notes.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { askRoute } from './ask-route.ts';
import { type PaperlessNote, paperlessNote } from './bodies.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { objectsOfNote, toPaperlessNote } from './present-documents.ts';
import { anyQuery, lastOf, notThere, numberParams, requireKnown, requireNumber } from './query.ts';
import { requestBody } from './request-body.ts';
import { PAPERLESS_PREFIX } from './requests.ts';

const HEAD = { path: `${PAPERLESS_PREFIX}/documents/{id}/notes`, params: numberParams, query: anyQuery, status: 200 } as const;

const response = z.array(paperlessNote);

/** The notes of a document, the newest first as in Paperless. */
const readNotes = async (db: Db, principal: Principal, documentId: string): Promise<PaperlessNote[]> => {
  await getDocument(db, principal, documentId);
  const notes = (await listNotes(db, documentId)).toReversed().map(({ author = null, ...note }) => ({ ...note, documentId, author }));
  const numberOf = await numbersOf(db, notes.flatMap(objectsOfNote));
  return notes.map((note) => toPaperlessNote(note, numberOf));
};

export const notes = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    ...HEAD,
    method: 'get',
    access: 'documents.read',
    summary: 'List the notes of a document',
    response,
    handle: async ({ params, query, principal }) => {
      requireKnown(query, () => false);
      return readNotes(db, principal, await requireNumber(db, 'document', params));
    },
  });

export const addNote = (services: PaperlessServices): Route =>
  jsonRoute({
    ...HEAD,
    method: 'post',
    access: 'documents.update',
    summary: 'Add a note; answers all notes of the document',
    body: requestBody({ note: z.string() }, paperlessNote),
    response,
    handle: async ({ params, body, principal, context }) => {
      const { db } = services.database;
      const id = await requireNumber(db, 'document', params);
      await askRoute(createNote(services), noteBody, { params: { id }, body: { text: body.note }, principal, context });
      return readNotes(db, principal, id);
    },
  });

export const dropNote = (services: PaperlessServices): Route =>
  jsonRoute({
    ...HEAD,
    method: 'delete',
    access: 'documents.update',
    summary: 'Delete the note of the parameter id; answers the notes that remain',
    response,
    handle: async ({ params, query, principal, context }) => {
      const { db } = services.database;
      const id = await requireNumber(db, 'document', params);
      const wanted = Number(lastOf(query, 'id'));
      const noteId = (await findByNumbers(db, 'note', [wanted])).get(wanted);
      if (noteId === undefined) throw notThere();
      await deleteNote(services, { documentId: id, noteId }, principal, context);
      return readNotes(db, principal, id);
    },
  });
