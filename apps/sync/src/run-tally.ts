import { AppError, storableText } from '@sheaf/contract';
import { ledgerReason } from '@sheaf/contract/imports';
import type { Source, SyncRun } from '@sheaf/db/schema';
import { FileChanged, type IngestDeps, noteFile, toFailureReason } from '@sheaf/ingest';
import type { Clock } from '@sheaf/process';
import { recordFailure, SourceError } from '@sheaf/sources';
import type { RunCounters } from '@sheaf/sources/runs';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import type { SourceErrorCode } from '@sheaf/vocabulary/sources';
import type { PendingFile } from './compare-file.ts';
import type { FileOutcome } from './sync-deps.ts';

/** What is behind a body that broke: `ingest` says only that it did. */
export const causeOf = (error: unknown): unknown =>
  error instanceof AppError && error.code === 'INCOMPLETE_FILE' && error.cause instanceof SourceError ? error.cause : error;

/** Whether the file was another one by the time it was read: nothing is wrong, the next run takes it. */
export const isChange = (error: unknown): boolean =>
  error instanceof FileChanged || (error instanceof SourceError && error.code === 'changed');

export const isMissing = (error: unknown): boolean => error instanceof SourceError && error.code === 'not_found';

/** What may as well be wrong with one file alone as with the whole source. */
const DOUBTFUL: ReadonlySet<SourceErrorCode> = new Set(['unauthorized', 'unreachable', 'refused', 'timeout']);

export const isDoubtful = (error: unknown): boolean => error instanceof SourceError && DOUBTFUL.has(error.code);

const reasonOf = (error: unknown): LedgerReason => {
  if (isChange(error)) return ledgerReason('changed_while_fetched');
  if (error instanceof AppError) return toFailureReason(error);
  if (!(error instanceof SourceError)) return ledgerReason('server_error');
  const message = storableText(error.message);
  // its code says less than the source does
  return { ...ledgerReason('source_failed', { problem: error.code, error: message }), message };
};

/** As the ledger sees it. */
const seenAtSource = ({ file: { path: remotePath, sizeBytes, modifiedAt }, path }: Pick<PendingFile, 'file' | 'path'>, source: Source) => ({
  route: source.type,
  sourceId: source.id,
  ownerId: source.ownerId,
  filename: remotePath.slice(remotePath.lastIndexOf('/') + 1),
  ledgerPath: path,
  sizeBytes,
  modifiedAt,
});

/** Notes that a file is left at the source for now. Nothing is wrong with it, so no try is counted. */
export const noteWaiting = async (
  file: PendingFile,
  reason: LedgerReason,
  source: Source,
  { ingest: { db } }: { readonly ingest: IngestDeps },
): Promise<void> => {
  await db.transaction((tx) =>
    noteFile(tx, seenAtSource(file, source), { state: 'waiting', reason, documentId: file.known?.documentId ?? undefined }),
  );
};

/** Notes that a file could not be fetched or imported, and when it is tried again. */
export const noteFileFailure = async (
  { file, path, known }: PendingFile,
  error: unknown,
  source: Source,
  { ingest: { db }, clock }: { readonly ingest: IngestDeps; readonly clock: Clock },
): Promise<void> => {
  const { id: sourceId } = source;
  const { etag, sizeBytes, modifiedAt } = file;
  const attempt = (known?.state === 'ignored' ? 0 : (known?.attempts ?? 0)) + 1;
  const nextAttemptAt = new Date(clock.now().getTime() + (isChange(error) ? 0 : fileRetryMs(attempt)));
  const outcome = {
    state: isChange(error) ? 'waiting' : 'failed',
    reason: reasonOf(error),
    documentId: known?.documentId ?? undefined,
  } as const;
  await db.transaction(async (tx) => {
    await recordFailure(tx, { sourceId, path, version: { etag, sizeBytes, modifiedAt }, nextAttemptAt });
    await noteFile(tx, seenAtSource({ file, path }, source), outcome);
  });
};

const MINUTE_MS = 60_000;
const MAX_BACKOFF_MS = 6 * 60 * MINUTE_MS;

const doubled = (attempt: number): number => Math.min(MAX_BACKOFF_MS, MINUTE_MS * 2 ** Math.min(attempt - 1, 20));

/** When the next run follows one that went well: the interval and up to a tenth of it, so that sources do not run in step. */
export const nextAfterSuccessMs = (intervalMs: number, random: () => number = Math.random): number | undefined =>
  intervalMs === 0 ? undefined : Math.round(intervalMs * (1 + random() / 10));

/**
 * When the next run follows one that failed for the `failures`th time in a row: after one minute, two, four, up to six hours, and
 * not before the source wants it, but never later than the interval, or six hours. Undefined for a source that runs only by hand.
 */
export const nextAfterFailureMs = (
  {
    intervalMs,
    failures,
    retryAfterMs = 0,
  }: { readonly intervalMs: number; readonly failures: number; readonly retryAfterMs?: number | undefined },
  random: () => number = Math.random,
): number | undefined => {
  if (intervalMs === 0) return undefined;
  const backoffMs = Math.round(doubled(failures) * (1 + random() / 10));
  return Math.min(Math.max(backoffMs, retryAfterMs), Math.max(intervalMs, MAX_BACKOFF_MS));
};

/** For how long a single file is skipped that failed for the `attempt`th time in a row. */
export const fileRetryMs = (attempt: number): number => doubled(attempt);

/** How far a run has come. */
export class RunTally {
  #counts: Record<FileOutcome, number>;
  #listed = 0;
  #processed = 0;
  #bytes: number;
  #currentFile: string | null = null;
  #reported: Pick<RunCounters, 'processed' | 'total'>;

  /** Of a run that goes on after a stop: what its listing meets again is counted again, the rest is kept. */
  constructor({ moved, removed, bytes, processed, total }: Pick<SyncRun, 'moved' | 'removed' | 'bytes' | 'processed' | 'total'>) {
    this.#counts = { added: 0, updated: 0, moved, removed, skipped: 0, failed: 0 };
    this.#bytes = bytes;
    this.#reported = { processed, total };
  }

  /** Before another listing of everything. */
  restart(): void {
    const { moved, removed } = this.#counts;
    this.#counts = { added: 0, updated: 0, moved, removed, skipped: 0, failed: 0 };
    this.#listed = 0;
    this.#processed = 0;
  }

  listed(count: number): void {
    this.#listed += count;
  }

  /** A listed file has been dealt with. */
  processed(outcome: FileOutcome): void {
    this.#processed += 1;
    this.#counts[outcome] += 1;
  }

  /** A file is gone at the source. */
  removed(): void {
    this.#counts.removed += 1;
  }

  /** A file that seemed to be a copy is the one that lay somewhere else before. */
  copyWasMoved(): void {
    this.#counts.moved += 1;
    this.#counts.skipped = Math.max(0, this.#counts.skipped - 1);
  }

  fetched(bytes: number): void {
    this.#bytes += bytes;
  }

  reading(path: string): void {
    this.#currentFile = path;
  }

  /** Whether there is anything that people want to be told. */
  get hasNews(): boolean {
    const { added, updated, moved, removed, failed } = this.#counts;
    return added + updated + moved + removed + failed > 0;
  }

  /** How far the run is, for people: neither number goes back, whatever is listed once more. */
  progress(): Pick<RunCounters, 'processed' | 'total'> {
    this.#reported = {
      processed: Math.max(this.#reported.processed, this.#processed),
      total: Math.max(this.#reported.total, this.#listed),
    };
    return this.#reported;
  }

  get counters(): RunCounters {
    return { ...this.#counts, processed: this.#processed, total: this.#listed, bytes: this.#bytes, currentFile: this.#currentFile };
  }
}
