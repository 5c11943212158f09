import { addImportedNotes, lockImported } from '@sheaf/documents';
import { recordEvents } from '@sheaf/events';
import { uuidv7 } from '@sheaf/process';
import { indexDocuments } from '@sheaf/search';
import { MAX_NOTE_CHARACTERS, MAX_NOTES } from '@sheaf/vocabulary/limits';
import { type ImportContext, type ReadRecord, readNewRecords } from './context.ts';
import type { ImportedDocuments } from './documents.ts';
import { type NoteFields, noteFields } from './records.ts';
import { wasDeletedAlone } from './scan.ts';
import type { ImportedUser } from './users.ts';

const MODEL = 'documents.note';
const BATCH = 200;

interface PlannedNote {
  readonly pk: string;
  readonly document: string;
  readonly note: Parameters<typeof addImportedNotes>[1][number];
}

export interface NoteTables extends ImportedDocuments {
  readonly users: ReadonlyMap<string, ImportedUser>;
}

/** What becomes of a note; undefined where it is left out, which is reported. */
const plan = (
  { report, source }: ImportContext,
  { users, taken, scan }: NoteTables,
  { pk, fields }: ReadRecord<NoteFields>,
): PlannedNote | undefined => {
  const { document: documentPk, user, note, created, deleted_at: deletedAt } = fields;
  const document = documentPk === undefined ? null : `${source}:${documentPk}`;
  const leave = (reason: string): undefined => {
    report.leave('note', pk, reason, document);
  };
  if (wasDeletedAlone(scan, documentPk ?? '', deletedAt)) return leave('It is in the trash');
  const target = documentPk === undefined ? undefined : taken.get(documentPk);
  if (target === undefined || document === null) return leave('Its document was not imported');
  if (note.trim() === '') return leave('It is empty');
  const characters = Array.from(note);
  if (characters.length > MAX_NOTE_CHARACTERS)
    report.leave('note', pk, `Only its first ${MAX_NOTE_CHARACTERS} characters were imported`, document);
  const author = user === undefined ? undefined : users.get(user);
  if (user !== undefined && author === undefined) report.leave('note author', pk, `Its author, user ${user}, is not there`, document);
  const text = characters.length > MAX_NOTE_CHARACTERS ? characters.slice(0, MAX_NOTE_CHARACTERS).join('') : note;
  return {
    pk,
    document,
    note: { id: uuidv7(), documentId: target.id, authorId: author?.id ?? null, text, createdAt: created ?? new Date() },
  };
};

/** Those of the notes that there is room for: a document has at most MAX_NOTES. */
const withRoom = (
  { report }: ImportContext,
  planned: readonly PlannedNote[],
  counts: ReadonlyMap<string, { readonly notesCount: number }>,
): PlannedNote[] => {
  const have = new Map([...counts].map(([id, { notesCount }]) => [id, notesCount]));
  return planned.filter(({ pk, document, note: { documentId } }) => {
    const count = have.get(documentId);
    if (count === undefined || count >= MAX_NOTES) {
      report.leave(
        'note',
        pk,
        count === undefined ? 'Its document was deleted here' : `A document has at most ${MAX_NOTES} notes`,
        document,
      );
      return false;
    }
    have.set(documentId, count + 1);
    return true;
  });
};

const write = (context: ImportContext, planned: readonly PlannedNote[]): Promise<void> =>
  context.db.transaction(async (tx) => {
    const ids = [...new Set(planned.map(({ note }) => note.documentId))];
    const documents = await lockImported(tx, ids);
    const fitting = withRoom(context, planned, documents);
    await addImportedNotes(
      tx,
      fitting.map(({ note }) => note),
    );
    await context.items.add(
      tx,
      MODEL,
      fitting.map(({ pk, note: { id } }) => ({ foreignId: pk, localId: id })),
    );
    const added = Map.groupBy(fitting, ({ note }) => note.documentId);
    await indexDocuments(
      tx,
      [...added.keys()].filter((id) => documents.get(id)?.isSettled === true),
    );
    await recordEvents(
      tx,
      [...added].flatMap(([id, notes]) => {
        const document = documents.get(id);
        if (document === undefined) return [];
        const changes = { notes_count: document.notesCount + notes.length };
        return [{ event: { type: 'document_updated' as const, document_id: id, changes }, ownerId: document.ownerId }];
      }),
    );
    context.report.count('notes', fitting.length);
  });

/** Takes over the notes of documents that were taken over. */
export const importNotes = async (context: ImportContext, tables: NoteTables): Promise<void> => {
  for await (const batch of readNewRecords(context, MODEL, { schema: noteFields, size: BATCH })) {
    const planned = batch.flatMap((record) => plan(context, tables, record) ?? []);
    if (context.isDryRun) context.report.count('notes', planned.length);
    else if (planned.length > 0) await write(context, planned);
  }
};
