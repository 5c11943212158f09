import type { Db } from '@sheaf/db';
import type { Document, DocumentFact } from '@sheaf/db/schema';
import { lockDocument } from '@sheaf/documents';
import { describePages, placePages } from '@sheaf/documents/versions';
import { holdSenders, moveFacts, readPlacedFacts } from '@sheaf/filing/facts';
import { type MadeParts, splitDocument } from '@sheaf/ingest/split';
import { indexDocument } from '@sheaf/search';
import { CONTENT_EXCERPT_CHARACTERS } from '@sheaf/vocabulary/limits';
import { lockEdited } from './lock-edited.ts';
import type { ArrangedPart } from './page-arranger.ts';
import { auditEdit, movedPagesOf, type PageEdit } from './page-edit.ts';
import { duplicateFile, type RecordDeps } from './record-page-edit.ts';

/** A document as it was when it was locked. */
interface Locked {
  readonly document: Document;
  readonly facts: readonly DocumentFact[];
}

/** Senders before documents, as everyone locks them: a fact takes its correspondent along. */
const lockWithFacts = async (tx: Db, { by, documents }: PageEdit): Promise<Locked> => {
  const [{ id }] = documents;
  await holdSenders(tx, id, { facts: [], candidates: [] });
  const document = await lockEdited(tx, by.principal, documents);
  return { document, facts: await readPlacedFacts(tx, id) };
};

const finishParts = async (tx: Db, edit: PageEdit, { document, facts }: Locked, made: MadeParts<ArrangedPart>): Promise<void> => {
  const ids = made.documents.map(({ id }) => id);
  await describePages(tx, ids, CONTENT_EXCERPT_CHARACTERS);
  await moveFacts(tx, facts, movedPagesOf(document.id, made.documents));
  for (const id of ids) await indexDocument(tx, id);
  const { sha256 } = await lockDocument(tx, document.id);
  await auditEdit(tx, edit, document, { sha256, parts: ids });
};

/**
 * Makes documents of the parts that arranged pages were split into; nothing is recognised again. Returns the ids of the documents, in the order
 * of the parts; a part that the owner has already is that document. Throws as `lockEdited` does, and `duplicate_file` where that is so of all.
 */
export const recordPageSplit = async (
  { db, storage, settings }: RecordDeps,
  edit: PageEdit,
  parts: readonly ArrangedPart[],
): Promise<string[]> => {
  const [{ sha256 }] = edit.documents;
  let locked: Locked | undefined;
  const { outcome, documents, duplicates } = await splitDocument(
    { db, storage, settings },
    {
      sha256,
      parts,
      priority: 'high',
      lock: async (tx) => {
        locked = await lockWithFacts(tx, edit);
        return locked.document;
      },
      movePages: (tx, { from, to, part }) => placePages(tx, to, from, part.placed),
      onSplit: async (tx, made) => {
        if (locked !== undefined) await finishParts(tx, edit, locked, made);
        return [];
      },
    },
  );
  if (outcome === 'whole') throw duplicateFile(duplicates[0]?.id ?? null);
  const idOf = new Map([...documents, ...duplicates].map(({ id, part }) => [part, id]));
  return [...new Set(parts.flatMap((part) => idOf.get(part) ?? []))];
};
