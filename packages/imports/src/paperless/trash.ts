import { lockDocumentAndJob } from '@sheaf/documents';
import { moveToTrash } from '@sheaf/ingest/trash';
import type { ImportContext } from './context.ts';
import type { TakenDocuments } from './documents.ts';
import type { DocumentScan } from './scan.ts';

/** Notes which documents went to the trash here: what somebody has restored since stays where it is. */
const MODEL = 'documents.document.trash';
const BATCH = 100;

interface TrashTables {
  readonly taken: TakenDocuments;
  readonly scan: DocumentScan;
}

/** Documents that lie in the trash there and were made of it here; those that their owners had before stay. */
const trashedHere = ({ taken, scan }: TrashTables): { readonly pk: string; readonly id: string }[] =>
  [...scan.trashed.keys()].flatMap((pk) => {
    const document = taken.get(pk);
    return document === undefined || document.isJoined ? [] : [{ pk, id: document.id }];
  });

/**
 * Moves the documents that lie in the trash of the export to the trash, with all that hangs on them. Do it last. Their time in the trash
 * begins now.
 */
export const importTrash = async ({ db, items }: ImportContext, tables: TrashTables): Promise<void> => {
  const known = await items.find(db, MODEL);
  const waiting = trashedHere(tables).filter(({ pk }) => !known.has(pk));
  for (let at = 0; at < waiting.length; at += BATCH)
    await db.transaction(async (tx) => {
      const there = [];
      // in one order, as others lock them
      for (const { pk, id } of waiting.slice(at, at + BATCH).toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
        const document = await lockDocumentAndJob(tx, id);
        if (document !== undefined) there.push({ pk, document });
      }
      await moveToTrash(
        tx,
        there.map(({ document }) => document),
        { reason: 'deleted', details: { reason: 'deleted before it was imported' } },
      );
      await items.add(
        tx,
        MODEL,
        there.map(({ pk, document }) => ({ foreignId: pk, localId: document.id })),
      );
    });
};
