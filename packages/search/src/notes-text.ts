import { type SQL, sql } from '@sheaf/db/drizzle';

/** The newest notes are found so far: together with the head of a text they still fit into one vector. */
const MAX_NOTES_CHARACTERS = 15_000;

/** The notes of a document as they are indexed and shown, the newest first; '' for none. `documentId` is SQL or an id. */
export const notesText = (documentId: SQL | string): SQL => sql`coalesce((
  select left(string_agg(text, E'\\n' order by created_at desc, id desc), ${MAX_NOTES_CHARACTERS}::int)
  from document_notes where document_notes.document_id = ${documentId}), '')`;
