import { ledgerReason } from '@sheaf/contract/imports';
import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { lockStoredBytes } from '@sheaf/documents';
import { findOtherByHash, replaceContent, trimVersions } from '@sheaf/documents/versions';
import { recordEvents } from '@sheaf/events';
import { uuidv7 } from '@sheaf/process';
import { enqueueJobs, markPending, queueReading } from '@sheaf/queue';
import { documentKey } from '@sheaf/storage';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import { partFilename, partTitle } from '../filename.ts';
import { BytesVanished, FileChanged } from '../take-in.ts';
import { insertParts, type NewPart, PART_MIME_TYPE } from './part-documents.ts';
import { recordSplitEntry, writeSplitInto } from './split-notes.ts';
import type { MadeParts, PartDocument, SplitDeps, SplitRequest, SplitResult } from './split-request.ts';
import type { SplitPart, StoredPart } from './store-parts.ts';

type Recorded<P extends SplitPart> = SplitResult<P> & { readonly trimmed: readonly string[] };

/** Everything that a split makes true. Throws BytesVanished, FileChanged, and what the caller's functions throw. */
export const recordSplit = async <P extends SplitPart>(
  tx: Db,
  { storage, settings }: SplitDeps,
  request: SplitRequest<P>,
  stored: readonly StoredPart<P>[],
): Promise<Recorded<P>> => {
  const document = await request.lock(tx);
  if (document.sha256 !== request.sha256) throw new FileChanged(`Document ${document.id} has another file than the one that was cut`);
  await holdBytes(tx, storage, stored);
  const { fresh, duplicates } = await sortOut(tx, document, stored);
  const [first, ...others] = fresh;
  if (first === undefined) return { outcome: 'whole', documents: [], duplicates, trimmed: [] };
  await putFirst(tx, document, first);
  await insertParts(tx, document, others);
  const made = { documents: fresh.map(({ id, part }) => ({ id, part })), duplicates };
  await queueParts(tx, document, made.documents, request, settings.maxAttempts);
  await writeSplitInto(tx, document, made.documents);
  const numbers = (await request.onSplit?.(tx, made)) ?? [];
  await recordSplitEntry(tx, document, reasonOf(made, numbers));
  await recordPartEvents(tx, document, first, others);
  return { outcome: 'split', ...made, trimmed: await trimVersions(tx, document.id, settings.versionsKeep) };
};

/** Whoever removes bytes holds the lock alone: those that are here now are here when we commit. */
const holdBytes = async (tx: Db, storage: SplitDeps['storage'], stored: readonly StoredPart<SplitPart>[]): Promise<void> => {
  for (const sha256 of [...new Set(stored.map((part) => part.sha256))].toSorted()) {
    await lockStoredBytes(tx, sha256, 'share');
    const key = documentKey(sha256);
    if ((await storage.stat(key)) === undefined) throw new BytesVanished(key);
  }
};

interface SortedParts<P extends SplitPart> {
  /** With the id and the name of each; the document that is split is the first. */
  readonly fresh: readonly NewPart<P>[];
  readonly duplicates: readonly PartDocument<P>[];
}

const sortOut = async <P extends SplitPart>(tx: Db, document: Document, stored: readonly StoredPart<P>[]): Promise<SortedParts<P>> => {
  const fresh = new Map<string, NewPart<P>>();
  const duplicates: PartDocument<P>[] = [];
  for (const one of stored) {
    const id = fresh.get(one.sha256)?.id ?? (await findOtherByHash(tx, document.ownerId, one.sha256, document.id));
    if (id !== undefined) duplicates.push({ id, part: one.part });
    else fresh.set(one.sha256, { ...one, id: fresh.size === 0 ? document.id : uuidv7(), place: fresh.size + 1 });
  }
  return { fresh: [...fresh.values()], duplicates };
};

const putFirst = (tx: Db, { id, filename }: Document, { sha256, sizeBytes, filePath }: NewPart<SplitPart>): Promise<void> =>
  replaceContent(tx, id, { sha256, sizeBytes, filePath, filename: partFilename(filename, 1), mimeType: PART_MIME_TYPE });

/** With their pages, where these are known, so that only what is missing is processed. */
const queueParts = async <P extends SplitPart>(
  tx: Db,
  { id, version }: Document,
  documents: readonly PartDocument<P>[],
  { movePages, priority = 'normal' }: SplitRequest<P>,
  maxAttempts: number,
): Promise<void> => {
  const order = { maxAttempts, priority };
  if (movePages === undefined) {
    const others = documents.map((one) => one.id).filter((other) => other !== id);
    await queueReading(tx, [id], order);
    if (others.length > 0) await enqueueJobs(tx, others, order);
    return;
  }
  await markPending(tx, id);
  for (const { id: to, part } of documents) await movePages(tx, { from: { documentId: id, version }, to, part, pages: part.pages });
  await enqueueJobs(
    tx,
    documents.map((one) => one.id),
    order,
  );
};

const reasonOf = ({ documents, duplicates }: MadeParts<SplitPart>, numbers: readonly string[]): LedgerReason => {
  const known = [...new Set(duplicates.map(({ id }) => id))];
  const details = { documents: documents.length + duplicates.length, parts: documents.map(({ id }) => id), duplicates: known };
  return numbers.length === 0
    ? ledgerReason('split', details)
    : ledgerReason('split_without_numbers', { ...details, numbers: numbers.join(', ') });
};

const recordPartEvents = async (
  tx: Db,
  { id, title, version, ownerId, source }: Document,
  first: NewPart<SplitPart>,
  others: readonly NewPart<SplitPart>[],
): Promise<void> => {
  const { sha256, sizeBytes: size } = first;
  const changes = { version: version + 1, sha256, size, mime_type: PART_MIME_TYPE, status: 'pending' };
  await recordEvents(tx, [
    { event: { type: 'document_updated', document_id: id, changes }, ownerId },
    ...others.map((part) => ({
      event: { type: 'document_created' as const, document_id: part.id, title: partTitle(title, part.place), source },
      ownerId,
    })),
  ]);
};
