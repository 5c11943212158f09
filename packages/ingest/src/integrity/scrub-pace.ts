import { sleep } from '@sheaf/process';
import type { DueFile, StoredFileTotals } from './queries/stored-file-checks.ts';

/** To open a file costs as much as to read so many bytes. */
const OPENING_BYTES = 100_000;
/** A round is planned to be done so much before its time, as a service may stand for a while. */
const PLANNED_SHARE = 0.8;
/** Who is late goes so much faster. */
const HURRY = 4;
/** However few files there are: more may have come meanwhile. */
const MAX_PAUSE_MS = 3_600_000;

/** Of a large library, as many are looked up at once as are read in half an hour or so: to find them reads through all hashes. */
export const filesAtOnce = (files: number): number => Math.min(10_000, Math.max(100, Math.ceil(files / 1_000)));

/** After how long a file is due again that must be read once in `periodMs`. */
export const dueAfterMs = (periodMs: number): number => periodMs * PLANNED_SHARE;

/** Whether the file should have been read by now. */
export const isLate = ({ deadline }: DueFile, now: Date): boolean => deadline < now;

/** How long to rest after `file`, so that all of them are read within `periodMs`, as evenly as their sizes allow. */
export const pauseAfter = (
  file: DueFile,
  { files, bytes }: Pick<StoredFileTotals, 'files' | 'bytes'>,
  periodMs: number,
  now: Date,
): number => {
  const share = (file.sizeBytes + OPENING_BYTES) / Math.max(file.sizeBytes + OPENING_BYTES, bytes + files * OPENING_BYTES);
  const pauseMs = dueAfterMs(periodMs) * share;
  return Math.min(MAX_PAUSE_MS, isLate(file, now) ? pauseMs / HURRY : pauseMs);
};

/** Makes what is called after each piece of a file wait, so that no more than `bytesPerSecond` are read. */
export const makeThrottle = (bytesPerSecond: number, signal: AbortSignal): ((bytes: number) => Promise<void>) => {
  const startedAt = performance.now();
  let readBytes = 0;
  return async (bytes) => {
    readBytes += bytes;
    const aheadMs = startedAt + (readBytes / bytesPerSecond) * 1_000 - performance.now();
    if (aheadMs > 1) await sleep(aheadMs, signal);
  };
};
