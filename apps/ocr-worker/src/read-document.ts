import { foundProblems, makeProblem, type ServiceProblem } from '@sheaf/contract/operations';
import { parseOcrLanguage } from '@sheaf/contract/queue';
import type { Db } from '@sheaf/db';
import { findPrincipalOfUser } from '@sheaf/db/requester';
import type { Document } from '@sheaf/db/schema';
import { listMissingLanguages } from '@sheaf/documents';
import { findReadingStart, listPages, type PageFields, type ReadingStart } from '@sheaf/documents/pages';
import {
  EXTRACTION_STAGES,
  type ExtractedPage,
  type ExtractionRequest,
  type ExtractionStage,
  type Extractor,
  type OpenedDocument,
  ocrLanguageOf,
  UnreadableDocument,
} from '@sheaf/extraction';
import { isSignedPdf } from '@sheaf/extraction/searchable';
import { applyPart, holdLabels, isPlainPart, mergeParts, noteDocument, type Part, planParts, rulesFor } from '@sheaf/filing/barcodes';
import type { EinvoiceToKeep } from '@sheaf/filing/facts';
import { keepDerivedFiles } from '@sheaf/ingest';
import { type Component, Counter, Histogram, type Live, type Logger, Loop, type Registry } from '@sheaf/process';
import { describeSpan, inSpan } from '@sheaf/process/tracing';
import { type ClaimedJob, listLanguagesWithoutHost, recordOcrHost, recordPages, recordProgress } from '@sheaf/queue';
import { documentKey, ifThere, previewKey, type Storage, TempArea, type WorkingSpace } from '@sheaf/storage';
import { SPLIT_FROM } from '@sheaf/vocabulary/documents';
import type { FoundEinvoice } from '@sheaf/vocabulary/einvoices';
import type { FailureReason } from '@sheaf/vocabulary/extraction-failures';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import { findDifferences } from './einvoice-differences.ts';
import { makeListThumbnails, missingPictureSize, type ThumbnailDeps } from './list-thumbnails.ts';
import { type BarcodeDeps, type FetchedFile, splitAtBarcodes } from './split-at-barcodes.ts';

const INTERVAL_MS = 30_000;

interface MissingLanguagesParts {
  readonly db: Db;
  readonly log: Logger;
  readonly host: string;
  /** Those that it recognises. */
  readonly languages: readonly string[];
}

const problemsOf = (missing: readonly string[], withoutHost: readonly string[]): ServiceProblem[] => {
  const problems: ServiceProblem[] = [];
  if (missing.length > 0) problems.push(makeProblem('ocr_languages_missing', { languages: missing, argument: missing.join(',') }));
  if (withoutHost.length > 0) {
    const codes = new Set(withoutHost.flatMap((language) => parseOcrLanguage(language).codes));
    problems.push(makeProblem('ocr_language_without_host', { languages: withoutHost, argument: [...codes].join(',') }));
  }
  return problems;
};

/**
 * Tells the others which languages this host recognises, so that jobs go to hosts that have theirs. Tells in the health of this worker which
 * languages scanned pages are in that it cannot recognise, and which ones documents are to be processed in that no running host has, with the
 * command that installs them.
 */
export const makeMissingLanguages = ({ db, log, host, languages }: MissingLanguagesParts): Component => {
  let problems: readonly ServiceProblem[] = [];
  const loop = new Loop({
    name: 'missing-languages',
    intervalMs: INTERVAL_MS,
    log,
    run: async () => {
      await recordOcrHost(db, host, languages);
      problems = problemsOf(await listMissingLanguages(db, languages), await listLanguagesWithoutHost(db));
    },
  });
  return {
    name: 'ocr-languages',
    start: async () => {
      await recordOcrHost(db, host, languages); // before this worker, or another one, judges by what was installed before
      await loop.start();
    },
    stop: () => loop.stop(),
    health: () => (problems.length === 0 ? loop.health() : foundProblems('warning', problems)),
  };
};

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
 * What is told while pages up to `done` are recorded, of which `before` were reported: each page, but none that makes no percent more, so
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

/** Those of the other documents of the owner, then the one that they read the screens in. */
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
  await using scratch = await new TempArea(tempPath).makeScratch(`reading-${document.id}`);
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

export type JobOutcome = 'completed' | 'failed' | 'retried' | 'released' | 'split' | 'lost';
type ReadingStage = ExtractionStage | 'record';

/** What reading is measured by. */
export interface ReadingMetrics {
  readonly jobEnded: (outcome: JobOutcome, seconds: number) => void;
  readonly stageEnded: (stage: ReadingStage, seconds: number) => void;
  /** Pages that were read and recorded; one with an error was not read. */
  readonly pagesRecorded: (pages: readonly Pick<ExtractedPage, 'origin' | 'error'>[]) => void;
}

export const makeReadingMetrics = (registry: Registry): ReadingMetrics => {
  const registers = [registry];
  const jobs = new Counter({ name: 'sheaf_ocr_jobs_total', help: 'OCR jobs by result', labelNames: ['outcome'], registers });
  const jobSeconds = new Histogram({
    name: 'sheaf_ocr_job_duration_seconds',
    help: 'Duration of an OCR job',
    buckets: [0.1, 0.5, 2, 10, 60, 300, 1_800],
    registers,
  });
  const stageSeconds = new Histogram({
    name: 'sheaf_ocr_stage_duration_seconds',
    help: 'Duration of processing stages: convert and text_layer per document, rasterise and recognise per page, record per batch',
    labelNames: ['stage'],
    buckets: [0.01, 0.05, 0.2, 0.5, 1, 2.5, 10, 60],
    registers,
  });
  const pages = new Counter({
    name: 'sheaf_pages_read_total',
    help: 'Processed pages by origin of their text',
    labelNames: ['origin'],
    registers,
  });
  const failures = new Counter({
    name: 'sheaf_page_failures_total',
    help: 'Failed pages by reason',
    labelNames: ['reason'],
    registers,
  });
  for (const origin of ['text', 'ocr']) pages.inc({ origin }, 0);
  for (const stage of [...EXTRACTION_STAGES, 'record']) stageSeconds.zero({ stage });
  return {
    jobEnded: (outcome, seconds) => {
      jobs.inc({ outcome });
      jobSeconds.observe(seconds);
    },
    stageEnded: (stage, seconds) => stageSeconds.observe({ stage }, seconds),
    pagesRecorded: (recorded) => {
      for (const { origin, error } of recorded) {
        if (error === undefined) pages.inc({ origin });
        else failures.inc({ reason: error });
      }
    },
  };
};

/**
 * A document is looked at once, while it is new: later its owner has had their say. What was imported with its library has its own, and a part was
 * looked at in the whole.
 */
const isNew = ({ version, completedAt, source, metadata }: Document): boolean =>
  version === 1 && completedAt === null && source !== 'import' && !(SPLIT_FROM in metadata);

/**
 * Gives a new document what the barcodes on its pages say, where they are read for it. `split`: it was several, which are in the queue, and the
 * job is over. A document whose codes cannot be had is processed without them. Throws LeaseLost before anything is written when the job is
 * someone else's.
 */
const applyBarcodes = async (
  job: ClaimedJob,
  document: Document,
  file: FetchedFile,
  deps: BarcodeDeps,
  signal: AbortSignal,
): Promise<'split' | 'whole'> => {
  if (!isNew(document)) return 'whole';
  const rules = await rulesFor(deps.db, deps.barcodes, document);
  if (!rules.enabled) return 'whole';
  const request = { path: file.path, mimeType: document.mimeType, label: document.id, signal };
  const found = await inSpan('barcodes', {}, () => deps.extractor.findBarcodes(request));
  if (!found.ok) {
    if (found.reason !== 'not_supported') {
      await file.onFailure();
      deps.log.warn({ reason: found.reason }, 'barcodes could not be read, document is processed without them');
    }
    return 'whole';
  }
  const pages = found.pages.map(({ page, codes }) => ({ page, texts: codes.map(({ text }) => text) }));
  const parts = planParts(found.pageCount, pages, rules);
  const attempt = parts.length > 1 ? await splitAtBarcodes(job, document, file, parts, deps, signal) : undefined;
  if (attempt?.isSplit) return 'split';
  await applyWhole(job, document, { whole: mergeParts(parts), pageCount: found.pageCount, reason: attempt?.reason }, deps);
  return 'whole';
};

interface WholeDocument {
  readonly whole: Part;
  readonly pageCount: number;
  /** Why it was not split, where it should have been. */
  readonly reason: LedgerReason | undefined;
}

const applyWhole = async (
  job: ClaimedJob,
  document: Document,
  { whole, pageCount, reason: unsplit }: WholeDocument,
  { db, barcodes }: BarcodeDeps,
): Promise<void> => {
  if (isPlainPart(whole) && unsplit === undefined) return;
  const owner = await findPrincipalOfUser(db, barcodes.roles, document.ownerId);
  await db.transaction(async (tx) => {
    await holdLabels(tx, [whole]);
    await recordProgress(tx, job, { done: 0, total: pageCount });
    const numberReason = await applyPart(tx, owner, document.id, whole);
    const reason = unsplit ?? numberReason;
    if (reason !== undefined) await noteDocument(tx, document.id, reason);
  });
};
