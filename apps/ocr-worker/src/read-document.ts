import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { findReadingStart, listPages, type PageFields, type ReadingStart } from '@sheaf/documents/pages';
import {
  type ExtractedPage,
  type ExtractionRequest,
  type Extractor,
  type OpenedDocument,
  ocrLanguageOf,
  UnreadableDocument,
} from '@sheaf/extraction';
import { isSignedPdf } from '@sheaf/extraction/searchable';
import type { EinvoiceToKeep } from '@sheaf/filing/facts';
import type { Live } from '@sheaf/process';
import { makeFolder, removeFolder } from '@sheaf/process/machine';
import { describeSpan, inSpan } from '@sheaf/process/tracing';
import { type ClaimedJob, recordPages } from '@sheaf/queue';
import { documentKey, ifThere, previewKey, type Storage, type WorkingSpace, withStorageErrors } from '@sheaf/storage';
import type { FoundEinvoice } from '@sheaf/vocabulary/einvoices';
import type { FailureReason } from '@sheaf/vocabulary/extraction-failures';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import { applyBarcodes } from './apply-barcodes.ts';
import type { BarcodeDeps } from './barcode-deps.ts';
import { keepDerivedFiles } from './derived-file.ts';
import { findDifferences } from './einvoice-differences.ts';
import { makeListThumbnails, missingPictureSize, type ThumbnailDeps } from './list-thumbnails.ts';
import type { ReadingMetrics } from './reading-metrics.ts';

/** An invoice states what is compared on its first pages, or its last. */
const MAX_PAGES = 20;
const MAX_PAGE_CHARS = 60_000;

/** The e-invoice of a document that was read, with where its pages say something else. Of an e-invoice as a file there are no other pages. */
const compareEinvoice = async (db: Db, { id, mimeType }: Document, found: FoundEinvoice): Promise<EinvoiceToKeep> => {
  if (!found.ok) return found;
  if (findKindByMimeType(mimeType)?.family !== 'pdf') return { ok: true, einvoice: { ...found.einvoice, differences: [] } };
  const { pages, total } = await listPages(db, id, { from: 1, to: MAX_PAGES });
  const isWhole = total <= MAX_PAGES && pages.every(({ content }) => content.length <= MAX_PAGE_CHARS);
  const compared = pages.map(({ page, content }) => ({ page, content: content.slice(0, MAX_PAGE_CHARS) }));
  const differences = findDifferences(found.einvoice.invoice, { pages: compared, isWhole, now: new Date() });
  return { ok: true, einvoice: { ...found.einvoice, differences } };
};

export interface ReadSettings {
  readonly ocrEnabled: boolean;
  /** Earlier versions that a document keeps; 0: all. */
  readonly versionsKeep: number;
}

export interface ReadDeps extends ThumbnailDeps, Pick<BarcodeDeps, 'barcodes'> {
  readonly extractor: Extractor;
  readonly settings: Live<ReadSettings>;
  /** Where copies of stored files are made for a storage that is not a local folder. */
  readonly tempPath: string;
}

/** One reading of a document. */
interface Reading {
  readonly metrics: ReadingMetrics;
  readonly space: Pick<WorkingSpace, 'guard' | 'checkAfterFailure'>;
  /** Ends it early. */
  readonly signal: AbortSignal;
  /** Called for each page that is to be recognised, before it waits for its turn, with how many pages are left to be read at most. */
  readonly onRecognise: (pages: number) => void;
}

export type ReadOutcome =
  | { readonly ok: true; readonly einvoice?: EinvoiceToKeep; readonly isSigned: boolean }
  | { readonly ok: false; readonly reason: FailureReason; readonly message?: string | undefined }
  /** Its pages are several documents, which are in the queue. */
  | { readonly ok: false; readonly reason: 'split' };

const SPLIT = { ok: false, reason: 'split' } as const;

const toPageFields = ({ page, text, confidence, origin, error, words, language }: ExtractedPage): PageFields => ({
  page,
  content: text,
  confidence,
  origin,
  error,
  words,
  language,
});

/**
 * What is told while pages up to `done` are recorded, of which `before` were told of: each page, but none that makes no percent more, so
 * that a document has at most 100 of these. 100 is said only when the document is complete.
 */
export const progressSteps = (before: number, done: number, total: number): number[] => {
  const percentAt = (pages: number): number => Math.min(99, Math.floor((100 * pages) / total));
  const steps = Array.from({ length: done - before }, (_, at) => percentAt(before + at + 1));
  return [...new Set(steps)].filter((percent) => percent > percentAt(before) || before === 0);
};

/** The PDF rendition of an office document that an earlier try has kept, as a file. */
const findPreview = async (storage: Storage, { sha256, mimeType }: Document, scratch: string): Promise<string | undefined> =>
  findKindByMimeType(mimeType)?.family === 'office' ? ifThere(storage.localPath(previewKey(sha256), scratch)) : undefined;

const isDrawnFromPdf = ({ mimeType }: Document): boolean => ['pdf', 'office'].includes(findKindByMimeType(mimeType)?.family ?? '');

/** Records each batch of pages as it comes. Returns the text of the first page, where it was among them. */
const consume = async (
  opened: OpenedDocument,
  job: ClaimedJob,
  document: Document,
  { db, metrics, space }: Pick<ReadDeps, 'db'> & Pick<Reading, 'metrics' | 'space'>,
  doneBefore: number,
): Promise<string | undefined> => {
  let done = doneBefore;
  let firstPage: string | undefined;
  for await (const pages of opened.pages) {
    // a page that fails for want of room is tried again, and not recorded
    if (pages.some(({ error }) => error !== undefined)) await space.checkAfterFailure(document.sizeBytes);
    done += pages.length;
    const startedMs = performance.now();
    const steps = progressSteps(done - pages.length, done, opened.pageCount);
    const record = { pages: pages.map(toPageFields), done, total: opened.pageCount, steps };
    await inSpan('record pages', { 'sheaf.pages': pages.length }, () => recordPages(db, job, document.ownerId, record));
    metrics.stageEnded('record', (performance.now() - startedMs) / 1_000);
    metrics.pagesRecorded(pages);
    firstPage ??= pages.find(({ page }) => page === 1)?.text;
  }
  return firstPage;
};

/** Those of the other documents of the owner, then the one that he reads the screens in. */
const languagesOf = ({ likelyLanguages, ownerLanguage }: ReadingStart): readonly string[] => {
  const own = ocrLanguageOf(ownerLanguage ?? '');
  return own === undefined ? likelyLanguages : [...likelyLanguages, own];
};

const findIsSigned = async (
  { mimeType }: Document,
  { path, scratchPath }: { readonly path: string; readonly scratchPath: string },
  { extractor: { pictures } }: ReadDeps,
  signal: AbortSignal,
): Promise<boolean> =>
  findKindByMimeType(mimeType)?.family === 'pdf' && (await isSignedPdf({ path, scratchPath, limits: pictures.limits, signal }));

/** A folder for what is made of one document. */
const makeScratch = (tempPath: string, { id }: Document): Promise<AsyncDisposable & { readonly path: string }> =>
  withStorageErrors(tempPath, async () => {
    const make = (): Promise<string> => mkdtemp(join(tempPath, `reading-${id}-`));
    const path = await make().catch(async () => {
      await makeFolder(tempPath); // it is nearly always there
      return make();
    });
    return { path, [Symbol.asyncDispose]: () => removeFolder(path) };
  });

/**
 * Reads the pages of a document that are not there yet and records each as it comes, unless barcodes split it. Throws SERVICE_UNAVAILABLE
 * where it could not be read for want of room.
 */
export const readDocument = (job: ClaimedJob, document: Document, deps: ReadDeps, reading: Reading): Promise<ReadOutcome> =>
  reading.space.guard(async () => {
    const outcome = await readPages(job, document, deps, reading);
    if (!outcome.ok && outcome.reason !== 'split') await reading.space.checkAfterFailure(document.sizeBytes);
    return outcome;
  });

const readPages = async (
  job: ClaimedJob,
  document: Document,
  deps: ReadDeps,
  { metrics, space, signal, onRecognise }: Reading,
): Promise<ReadOutcome> => {
  const { db, storage, extractor, tempPath } = deps;
  await using scratch = await makeScratch(tempPath, document);
  const path = await inSpan('fetch', {}, () => storage.localPath(documentKey(document.sha256), scratch.path));
  const fetched = { path, scratchPath: scratch.path, onFailure: () => space.checkAfterFailure(document.sizeBytes) };
  if ((await applyBarcodes(job, document, fetched, deps, signal)) === 'split') return SPLIT;
  const start = await findReadingStart(db, document);
  const { donePages } = start;
  const previewPath = await findPreview(storage, document, scratch.path);
  let pagesLeft = 1;
  const request: ExtractionRequest = {
    path,
    mimeType: document.mimeType,
    filename: document.filename,
    language: document.ocrLanguage,
    likelyLanguages: languagesOf(start),
    ocr: deps.settings.current().ocrEnabled && document.ocrEnabled,
    donePages,
    previewPath,
    pictureSize: isDrawnFromPdf(document) ? await missingPictureSize(storage, document) : undefined,
    isUrgent: job.isUrgent,
    label: document.id,
    onStage: metrics.stageEnded,
    onRecognise: () => onRecognise(pagesLeft),
    signal,
  };
  const extraction = await extractor.extract(request);
  if (!extraction.ok) return extraction;
  await using opened = extraction;
  pagesLeft = Math.max(1, opened.pageCount - donePages.size);
  describeSpan({ 'sheaf.pages': opened.pageCount });
  if (previewPath === undefined && opened.previewPath !== undefined)
    await keepDerivedFiles(deps, document.sha256, [{ key: previewKey(document.sha256), source: opened.previewPath }]);
  let firstPage: string | undefined;
  try {
    firstPage = await consume(opened, job, document, { db, metrics, space }, donePages.size);
  } catch (error) {
    if (error instanceof UnreadableDocument) return error.failure;
    throw error;
  }
  const file = {
    path: request.path,
    previewPath: previewPath ?? opened.previewPath,
    picturePath: opened.picturePath,
    firstPage,
    scratchPath: scratch.path,
  };
  await inSpan('thumbnail', {}, () => makeListThumbnails(document, file, deps, signal));
  const isSigned = await inSpan('signatures', {}, () => findIsSigned(document, file, deps, signal));
  if (opened.einvoice?.ok === false) await space.checkAfterFailure(document.sizeBytes);
  return opened.einvoice === undefined
    ? { ok: true, isSigned }
    : { ok: true, isSigned, einvoice: await compareEinvoice(db, document, opened.einvoice) };
};
