import { storableJson, storableText } from '@sheaf/contract';
import { type SplitInto, splitInto } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { and, eq, inArray, sql } from '@sheaf/db/drizzle';
import { type Document, documents, ingestLedger } from '@sheaf/db/schema';
import { recordEvents } from '@sheaf/events';
import { SPLIT_INTO } from '@sheaf/vocabulary/documents';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import { ingestEvent } from '../note-file.ts';
import type { PartDocument } from './split-request.ts';
import type { SplitPart } from './store-parts.ts';

/** What a document says of the split that it was the whole of. Undefined where it was not split, or its split was undone. */
export const readSplit = ({ metadata }: Pick<Document, 'metadata'>): SplitInto | undefined =>
  splitInto.safeParse(metadata[SPLIT_INTO]).data;

export const writeSplitInto = async (tx: Db, { id, version }: Document, parts: readonly PartDocument<SplitPart>[]): Promise<void> => {
  const note: SplitInto = { version, parts: parts.map(({ id: part, part: { pages } }) => ({ document_id: part, pages: [...pages] })) };
  await tx
    .update(documents)
    .set({ metadata: sql`${documents.metadata} || ${JSON.stringify({ [SPLIT_INTO]: note })}::jsonb` })
    .where(eq(documents.id, id));
};

export const forgetSplit = async (tx: Db, id: string): Promise<void> => {
  await tx
    .update(documents)
    .set({ metadata: sql`${documents.metadata} - ${SPLIT_INTO}::text` })
    .where(eq(documents.id, id));
};

/** Says in the import log, of the file that a document came from, that it is several documents. An imported library has no such entry. */
export const recordSplitEntry = (tx: Db, document: Pick<Document, 'id' | 'ownerId'>, reason: LedgerReason): Promise<void> =>
  rewriteEntries(tx, document, { state: 'split', reason });

/** Says that it is one document again. */
export const recordWholeEntry = (tx: Db, document: Pick<Document, 'id' | 'ownerId'>): Promise<void> =>
  rewriteEntries(tx, document, { state: 'ingested' });

const rewriteEntries = async (
  tx: Db,
  { id, ownerId }: Pick<Document, 'id' | 'ownerId'>,
  { state, reason }: { readonly state: 'split' | 'ingested'; readonly reason?: LedgerReason },
): Promise<void> => {
  const entries = await tx
    .update(ingestLedger)
    .set({
      state,
      reason: reason === undefined ? null : storableText(reason.message),
      reasonCode: reason?.code ?? null,
      reasonDetails: reason === undefined ? null : storableJson(reason.details),
      updatedAt: sql`now()`,
    })
    .where(and(eq(ingestLedger.documentId, id), inArray(ingestLedger.state, ['ingested', 'split'])))
    .returning({ route: ingestLedger.route, path: ingestLedger.path });
  await recordEvents(
    tx,
    entries.map(({ route, path }) => ({ event: ingestEvent({ route, filename: path }, { state, reason }), ownerId })),
  );
};
