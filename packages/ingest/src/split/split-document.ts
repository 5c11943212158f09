import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { storableJson, storableText } from '@sheaf/contract';
import { type SplitInto, splitInto } from '@sheaf/contract/documents';
import { ledgerReason } from '@sheaf/contract/imports';
import { type Db, violates } from '@sheaf/db';
import { and, eq, inArray, sql } from '@sheaf/db/drizzle';
import { type Document, documents, ingestLedger } from '@sheaf/db/schema';
import { lockStoredBytes } from '@sheaf/documents';
import { findOtherByHash, placePages, replaceContent, trimVersions } from '@sheaf/documents/versions';
import { recordEvents } from '@sheaf/events';
import { retry, uuidv7 } from '@sheaf/process';
import { enqueueJobs, markPending, queueReading } from '@sheaf/queue';
import { documentKey, type Storage } from '@sheaf/storage';
import { SPLIT_FROM, SPLIT_INTO } from '@sheaf/vocabulary/documents';
import type { JobPriority } from '@sheaf/vocabulary/jobs';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import { BytesVanished, FileChanged } from '../import-file.ts';
import type { IngestDeps, IngestSettings } from '../incoming-file.ts';
import { ingestEvent, partFilename, partTitle } from '../note-file.ts';
import { insertDocuments, type NewDocument } from '../queries/insert-documents.ts';
import { removeTrimmed } from '../versions/put-version.ts';

const MAX_TRIES = 3;

/** The bytes of a part became a document of its owner by another way since it was looked whether they were one. */
class PartTaken extends Error {
  override readonly name = 'PartTaken';
}

/**
 * Splits a document into parts that were cut already (`arrangePages`). The bytes of all parts are made safe first; then, in one transaction, the
 * document keeps its id and gets the first part as its newest version, the whole being the version before, each other part becomes a document
 * of the same owner with the same labels, all are queued, and events and import log say so. `metadata.split_into` of the document and
 * `metadata.split_from` of the parts lead from one to the other. Parts that the owner has as documents already are named and not made again.
 * Killed at any point, it leaves the document whole, or split.
 *
 *     const result = await splitDocument({ db, storage, settings }, { sha256, parts, lock, movePages, onSplit });
 *
 * A worker that has a job of the document loses it by this: the document is queued anew. Throws what `lock` and `onSplit` throw, with nothing
 * changed, and FileChanged where the document has other bytes by now.
 */
export const splitDocument = async <P extends SplitPart>(deps: SplitDeps, request: SplitRequest<P>): Promise<SplitResult<P>> => {
  const { trimmed, ...result } = await retry(() => storeAndRecord(deps, request), {
    attempts: MAX_TRIES,
    // its bytes were removed with another document in this moment, or came by another way: seen at the next try
    isPassing: (error) => error instanceof BytesVanished || error instanceof PartTaken || violates(error, 'documents_owner_sha256_key'),
  });
  await removeTrimmed(deps, trimmed);
  return result;
};

const storeAndRecord = async <P extends SplitPart>(deps: SplitDeps, request: SplitRequest<P>): Promise<Recorded<P>> => {
  const stored = await storeParts(deps.storage, request.parts);
  return deps.db.transaction((tx) => recordSplit(tx, deps, request, stored));
};

type Recorded<P extends SplitPart> = SplitResult<P> & { readonly trimmed: readonly string[] };

/** Everything that a split makes true. Throws BytesVanished, FileChanged, and what the caller's functions throw. */
const recordSplit = async <P extends SplitPart>(
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
  const order = { maxAttempts: settings.maxAttempts, priority: request.priority ?? 'normal' };
  await insertParts(tx, document, others, order);
  const made = { documents: fresh.map(({ id, part }) => ({ id, part })), duplicates };
  await queueFirst(tx, document, made.documents, request.movePages, order);
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

/** Queues the document that was split; all parts get their pages, where these are known, so that only what is missing is processed. */
const queueFirst = async <P extends SplitPart>(
  tx: Db,
  { id, version }: Document,
  parts: readonly PartDocument<P>[],
  movePages: SplitRequest<P>['movePages'],
  order: { readonly maxAttempts: number; readonly priority: JobPriority },
): Promise<void> => {
  if (movePages === undefined) return queueReading(tx, [id], order);
  await markPending(tx, id);
  for (const { id: to, part } of parts) await movePages(tx, { from: { documentId: id, version }, to, part, pages: part.pages });
  await enqueueJobs(tx, [id], order);
};

const reasonOf = ({ documents, duplicates }: MadeParts<SplitPart>, numbers: readonly string[]): LedgerReason => {
  const known = [...new Set(duplicates.map(({ id }) => id))];
  const details = { documents: documents.length + duplicates.length, parts: documents.map(({ id }) => id), duplicates: known };
  return numbers.length === 0
    ? ledgerReason('split', details)
    : ledgerReason('split_without_numbers', { ...details, numbers: numbers.join(', ') });
};

/** Clients hear first that the file was split, in the import log, and then of the documents that it became. */
const recordPartEvents = (
  tx: Db,
  { id, title, version, ownerId, source }: Document,
  { sha256, sizeBytes: size }: NewPart<SplitPart>,
  others: readonly NewPart<SplitPart>[],
): Promise<unknown> => {
  const changes = { version: version + 1, sha256, size, mime_type: PART_MIME_TYPE, status: 'pending' };
  return recordEvents(tx, [
    { event: { type: 'document_updated', document_id: id, changes }, ownerId },
    ...others.map((part) => ({
      event: { type: 'document_created' as const, document_id: part.id, title: partTitle(title, part.place), source },
      ownerId,
    })),
  ]);
};

/** What a document says of the split that it was the whole of. Undefined where it was not split, or its split was undone. */
export const readSplit = ({ metadata }: Pick<Document, 'metadata'>): SplitInto | undefined =>
  splitInto.safeParse(metadata[SPLIT_INTO]).data;

const writeSplitInto = async (tx: Db, { id, version }: Document, parts: readonly PartDocument<SplitPart>[]): Promise<void> => {
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
const recordSplitEntry = (tx: Db, document: Pick<Document, 'id' | 'ownerId'>, reason: LedgerReason): Promise<void> =>
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

/** A part that is a document now. */
export interface PartDocument<P extends SplitPart> {
  readonly id: string;
  readonly part: P;
}

/** What became of the parts. */
export interface MadeParts<P extends SplitPart> {
  /** The document that was split, with the first of the parts that are new, then the others. */
  readonly documents: readonly PartDocument<P>[];
  /** Parts that are a document of the owner already, and parts with the same content as one before them. */
  readonly duplicates: readonly PartDocument<P>[];
}

/** `whole`: the owner has all parts already, so that nothing was changed. */
export type SplitResult<P extends SplitPart> =
  | ({ readonly outcome: 'split' } & MadeParts<P>)
  | ({ readonly outcome: 'whole' } & MadeParts<P>);

export interface SplitRequest<P extends SplitPart> {
  /** The bytes that the parts were cut from. */
  readonly sha256: string;
  readonly parts: readonly P[];
  /**
   * Called first in the transaction: throws where the caller may not change the document, or their job is someone else's by now, and else locks
   * the document for update, its job before it.
   */
  readonly lock: (tx: Db) => Promise<Document>;
  /**
   * Called for each document: moves what is known of its pages, as `movePages` does; nothing is then recognized again. Without it the pages are
   * processed.
   */
  readonly movePages?: ((tx: Db, pages: PartPages & { readonly part: P }) => Promise<void>) | undefined;
  /**
   * What else is true from now on, in the same transaction, once the documents are there and before the import log is written: search entries,
   * labels, the audit log. Returns the archive numbers that parts bear and could not get, for the import log.
   */
  readonly onSplit?: ((tx: Db, made: MadeParts<P>) => Promise<readonly string[]>) | undefined;
  /** Of the jobs of all parts; default: normal. */
  readonly priority?: JobPriority | undefined;
}

interface SplitDeps extends Pick<IngestDeps, 'db' | 'storage'> {
  readonly settings: Pick<IngestSettings, 'maxAttempts' | 'versionsKeep'>;
}

/** Pages of a version of a document that become those of a document, in this order. */
export interface PartPages {
  readonly from: { readonly documentId: string; readonly version: number };
  readonly to: string;
  readonly pages: readonly number[];
}

/**
 * Gives a document the text, words and languages that the pages had in an earlier version, which keeps them. Its own pages before go. A page of
 * which nothing is known is left for the job of the document.
 */
export const movePages = (tx: Db, { from, to, pages }: PartPages): Promise<void> =>
  placePages(
    tx,
    to,
    from,
    pages.map((page) => ({ documentId: from.documentId, page, rotateBy: 0 })),
  );

const PART_MIME_TYPE = 'application/pdf';

/** A part that becomes a document, and which of them it is, from 1. */
interface NewPart<P extends SplitPart> extends StoredPart<P> {
  readonly id: string;
  readonly place: number;
}

/**
 * Makes documents of parts, with the labels of the document that they were cut from, and queues them. Throws PartTaken where the owner got
 * the bytes of one meanwhile.
 */
const insertParts = async (
  tx: Db,
  document: Document,
  parts: readonly NewPart<SplitPart>[],
  order: { readonly maxAttempts: number; readonly priority: JobPriority },
): Promise<void> => {
  const rows = parts.map((part) => toRow(document, part));
  const made = await insertDocuments(tx, rows, {
    events: () => [],
    jobs: () => order,
  });
  if (made.includes(undefined)) throw new PartTaken();
  await tx.execute(sql`
    insert into document_labels (document_id, label_id)
    select part, label_id from unnest(${sql.param(parts.map(({ id }) => id))}::uuid[]) as part
    join document_labels on document_labels.document_id = ${document.id}`);
};

const toRow = (document: Document, { id, place, part, sha256, sizeBytes, filePath }: NewPart<SplitPart>): NewDocument => ({
  id,
  title: partTitle(document.title, place),
  filename: partFilename(document.filename, place),
  ownerId: document.ownerId,
  mimeType: PART_MIME_TYPE,
  sizeBytes,
  sha256,
  filePath,
  ocrEnabled: document.ocrEnabled,
  ocrLanguage: document.ocrLanguage,
  defaultLanguage: document.ocrLanguage,
  source: document.source,
  sourceId: document.sourceId,
  metadata: { [SPLIT_FROM]: { document_id: document.id, pages: [...part.pages] } },
});

/** A file that a document is cut into. */
export interface SplitPart {
  /** A PDF that nobody changes any more. */
  readonly path: string;
  /** The pages of the whole that it has, from 1, in its own order. */
  readonly pages: readonly number[];
}

/** A part whose bytes are safe. */
export interface StoredPart<P extends SplitPart> {
  readonly part: P;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly filePath: string;
}

/** Puts the bytes of parts into the storage. Killed here, the process leaves objects that no row refers to, for the sweep. */
export const storeParts = async <P extends SplitPart>(storage: Pick<Storage, 'put'>, parts: readonly P[]): Promise<StoredPart<P>[]> => {
  const stored: StoredPart<P>[] = [];
  for (const part of parts) {
    const { sha256, sizeBytes } = await measure(part.path);
    const { path: filePath } = await storage.put(documentKey(sha256), part.path);
    stored.push({ part, sha256, sizeBytes, filePath });
  }
  return stored;
};

const measure = async (path: string): Promise<{ sha256: string; sizeBytes: number }> => {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk as Buffer);
    sizeBytes += (chunk as Buffer).length;
  }
  return { sha256: hash.digest('hex'), sizeBytes };
};
