import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ledgerReason } from '@sheaf/contract/imports';
import type { Db } from '@sheaf/db';
import { findPrincipalOfUser } from '@sheaf/db/requester';
import type { Document } from '@sheaf/db/schema';
import { lockDocumentAndJob } from '@sheaf/documents';
import type { Extractor } from '@sheaf/extraction';
import { type ArrangeProblem, arrangePages } from '@sheaf/extraction/pages';
import { isSignedPdf } from '@sheaf/extraction/searchable';
import { applyParts, type ConfiguredRules, holdLabels, type Part } from '@sheaf/filing/barcodes';
import { type MadeParts, type SplitPart, splitDocument } from '@sheaf/ingest/split';
import type { Live, Logger } from '@sheaf/process';
import { inSpan } from '@sheaf/process/tracing';
import { type ClaimedJob, LeaseLost, recordProgress } from '@sheaf/queue';
import type { Storage } from '@sheaf/storage';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import type { ConfiguredRoles } from '@sheaf/vocabulary/permissions';

/** A part that was cut, with what the codes on its pages say. */
interface CutPart extends SplitPart {
  readonly codes: Part;
}

/** `split`: the document and its parts are in the queue, and the job is over. Otherwise why it stays whole, for the import log. */
export type SplitAttempt = { readonly isSplit: true } | { readonly isSplit: false; readonly reason: LedgerReason };

const REASON_OF_PROBLEM: Partial<Record<ArrangeProblem, 'not_split_encrypted' | 'not_split_damaged'>> = {
  encrypted: 'not_split_encrypted',
  damaged: 'not_split_damaged',
};

/**
 * Splits a document whose pages were not processed yet into these parts, and files each by its codes. A document that cannot be cut, or would lose
 * its signature, stays whole. Throws LeaseLost before anything is written when the job is someone else's.
 */
export const splitAtBarcodes = async (
  job: ClaimedJob,
  document: Document,
  file: FetchedFile,
  parts: readonly Part[],
  deps: BarcodeDeps,
  signal: AbortSignal,
): Promise<SplitAttempt> => {
  const cut = await inSpan('split', { 'sheaf.parts': parts.length }, () => cutParts(document, file, parts, deps, signal));
  if ('code' in cut) {
    deps.log.warn({ reason: cut.code }, 'document could not be split at its barcodes, it stays whole');
    return { isSplit: false, reason: cut };
  }
  const { db, storage, settings } = deps;
  const result = await splitDocument(
    { db, storage, settings: { maxAttempts: job.maxAttempts, versionsKeep: settings.current().versionsKeep } },
    {
      sha256: document.sha256,
      parts: cut,
      lock: (tx) => lockForSplit(tx, job, document, parts),
      onSplit: (tx, made) => applyCodes(tx, document, made, deps),
    },
  );
  if (result.outcome === 'split') {
    deps.log.info({ documents: result.documents.map(({ id }) => id) }, 'document split at its barcodes');
    return { isSplit: true };
  }
  return { isSplit: false, reason: ledgerReason('not_split_known', { duplicates: result.duplicates.map(({ id }) => id) }) };
};

const cutParts = async (
  { mimeType }: Document,
  { path, scratchPath, onFailure }: FetchedFile,
  parts: readonly Part[],
  { extractor: { pictures } }: BarcodeDeps,
  signal: AbortSignal,
): Promise<readonly CutPart[] | LedgerReason> => {
  const folder = join(scratchPath, 'parts');
  await mkdir(folder);
  if (findKindByMimeType(mimeType)?.family === 'pdf' && (await isSignedPdf({ path, scratchPath: folder, limits: pictures.limits, signal })))
    return ledgerReason('not_split_signed');
  const documents = parts.map(({ pages }) => pages.map((page) => ({ file: 0, page })));
  const arranged = await arrangePages({ files: [{ path, mimeType }], documents, scratchPath: folder, pictures, signal });
  if (!arranged.ok) await onFailure();
  if (!arranged.ok) return ledgerReason(REASON_OF_PROBLEM[arranged.problem] ?? 'not_split_failed');
  return parts.flatMap((codes, at) => {
    const partPath = arranged.paths[at];
    return partPath === undefined ? [] : [{ path: partPath, pages: codes.pages, codes }];
  });
};

/** Labels go before all other locks, then the job, then the document. */
const lockForSplit = async (tx: Db, job: ClaimedJob, { id }: Document, parts: readonly Part[]): Promise<Document> => {
  await holdLabels(tx, parts);
  await recordProgress(tx, job, { done: 0, total: parts.reduce((sum, { pages }) => sum + pages.length, 0) });
  const document = await lockDocumentAndJob(tx, id);
  if (document === undefined) throw new LeaseLost(`The document of job ${job.id} was deleted`);
  return document;
};

/** Returns the archive numbers that could not be given. */
const applyCodes = async (
  tx: Db,
  { ownerId }: Document,
  made: MadeParts<CutPart>,
  { barcodes }: BarcodeDeps,
): Promise<readonly string[]> => {
  const owner = await findPrincipalOfUser(tx, barcodes.roles, ownerId);
  return applyParts(
    tx,
    owner,
    made.documents.map(({ id, part }) => ({ documentId: id, given: part.codes })),
  );
};

export interface BarcodeDeps {
  readonly db: Db;
  readonly log: Logger;
  readonly storage: Storage;
  readonly settings: Live<{
    /** Earlier versions that a document keeps; 0: all. */
    readonly versionsKeep: number;
  }>;
  readonly extractor: Pick<Extractor, 'findBarcodes' | 'pictures'>;
  readonly barcodes: ConfiguredRules & { readonly roles: ConfiguredRoles };
}

/** The file of a document, and a folder for what is made of it. */
export interface FetchedFile {
  readonly path: string;
  readonly scratchPath: string;
  /** Called where something made of it has failed. Throws SERVICE_UNAVAILABLE where that was for want of room. */
  readonly onFailure: () => Promise<void>;
}
