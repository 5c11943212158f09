import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { AppError } from '@sheaf/contract';
import { ledgerReason } from '@sheaf/contract/imports';
import { FileChanged, type IngestDeps, type IngestResult, ingest, isQueueFullError, QUEUE_FULL_REASON } from '@sheaf/ingest';
import { isUnchanged, openWatchedFile, type Unreadable } from '@sheaf/storage/folders';
import type { IngestRoute } from '@sheaf/vocabulary/documents';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import type { LedgerFile } from './ledger-file.ts';
import { isWriteLocked } from './write-locks.ts';

export interface TakeSettings {
  readonly route: IngestRoute;
  readonly realRoot: string;
  readonly ownerId: string;
  readonly maxBytes: number;
  readonly allowedExtensions: readonly string[];
  readonly signal: AbortSignal;
}

/** What became of a file that was stable and wanted. */
export type TakeOutcome =
  | { readonly kind: 'done'; readonly result: IngestResult }
  /** Nothing is recorded; the next scan looks again. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'waiting'; readonly reason: LedgerReason }
  | { readonly kind: 'ignored'; readonly reason: LedgerReason };

const CHUNK_BYTES = 256 * 1024;

const OUTSIDE = ledgerReason('outside_folder');
const WRITE_LOCKED = ledgerReason('write_locked');

const CODES = { no_right: 'no_right', kept: 'kept_by_another', other: 'unreadable' } as const;

const unreadableReason = ({ why, reason }: Unreadable): LedgerReason => ledgerReason(CODES[why], { error: reason });

/** Reads the file through one descriptor from the first check to the last, and takes it in if it stayed the same all the time. */
export const takeFile = async (file: LedgerFile, settings: TakeSettings, deps: IngestDeps): Promise<TakeOutcome> => {
  const opened = await openWatchedFile(file, settings.realRoot);
  switch (opened.kind) {
    case 'changed':
      return opened;
    case 'unreadable':
      return { kind: 'waiting', reason: unreadableReason(opened) };
    case 'outside':
      return { kind: 'ignored', reason: OUTSIDE };
    case 'open':
      break;
  }
  const { handle } = opened;
  try {
    if (await isWriteLocked(handle)) return { kind: 'waiting', reason: WRITE_LOCKED };
    return await readThrough(handle, file, settings, deps);
  } finally {
    await handle.close();
  }
};

const readThrough = async (handle: FileHandle, file: LedgerFile, settings: TakeSettings, deps: IngestDeps): Promise<TakeOutcome> => {
  // A small file gets a small buffer: thousands of large ones, each used once, pile up before they are collected.
  const highWaterMark = Math.min(CHUNK_BYTES, file.facts.sizeBytes + 1);
  const body = handle.createReadStream({ start: 0, autoClose: false, highWaterMark });
  try {
    return await read(file, body, () => isUnchanged(handle, file), settings, deps);
  } finally {
    body.destroy();
  }
};

const read = async (
  file: LedgerFile,
  body: Readable,
  confirm: () => Promise<boolean>,
  { route, ownerId, maxBytes, allowedExtensions, signal }: TakeSettings,
  deps: IngestDeps,
): Promise<TakeOutcome> => {
  try {
    const { name: filename, ledgerPath, facts } = file;
    const { sizeBytes, modifiedMs } = facts;
    const modifiedAt = new Date(modifiedMs);
    const result = await ingest(
      { route, filename, ledgerPath, ownerId, body, maxBytes, allowedExtensions, sizeBytes, modifiedAt, signal, confirm },
      deps,
    );
    return { kind: 'done', result };
  } catch (error) {
    if (error instanceof FileChanged) return { kind: 'changed' };
    if (isQueueFullError(error)) return { kind: 'waiting', reason: QUEUE_FULL_REASON };
    if (!(error instanceof AppError) || error.code !== 'INCOMPLETE_FILE') throw error;
    const { message } = error.cause instanceof Error ? error.cause : error;
    return {
      kind: 'waiting',
      reason: ledgerReason('not_read_to_end', { error: message }),
    };
  }
};
