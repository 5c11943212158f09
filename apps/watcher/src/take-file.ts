import { type FileHandle, readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { AppError } from '@sheaf/contract';
import { ledgerReason } from '@sheaf/contract/imports';
import {
  FileChanged,
  type IngestDeps,
  type IngestResult,
  ingest,
  isQueueFullError,
  QUEUE_FULL_REASON,
  refuseBytes,
  refuseType,
  toLedgerPath,
} from '@sheaf/ingest';
import { isUnchanged, type NamePatterns, openWatchedFile, type Unreadable, type WatchedFile } from '@sheaf/storage/folders';
import type { IngestRoute } from '@sheaf/vocabulary/documents';
import type { LedgerReason, LedgerReasonCode } from '@sheaf/vocabulary/ledger-reasons';

export interface FileRules {
  readonly patterns: NamePatterns;
  readonly allowedExtensions: readonly string[];
  readonly maxBytes: number;
  /** 0 takes files of any age. */
  readonly maxAgeMs: number;
}

/** Whether a file that was refused for its age is young enough now: a wrong clock made it so, or another limit. */
export const isYoungAgain = (file: WatchedFile, reason: LedgerReasonCode | null, rules: FileRules, now: Date): boolean =>
  reason === 'too_old' && refuseAge(file, rules, now) === undefined;

/**
 * Why a file is not for us, judged without opening it; undefined when it is worth a closer look. Final until the file
 * changes, but for its age. `waits` says that it was already found young enough and has only waited since.
 */
export const refuseListed = (file: WatchedFile, rules: FileRules, now: Date, waits: boolean): LedgerReason | undefined =>
  refuseSort(file) ?? refuseName(file, rules) ?? refuseSize(file, rules) ?? (waits ? undefined : refuseAge(file, rules, now));

const refuseSort = ({ sort }: WatchedFile): LedgerReason | undefined => {
  switch (sort) {
    case 'file':
      return undefined;
    case 'symlink':
      return ledgerReason('symbolic_link');
    case 'hardlink':
      return ledgerReason('hard_link');
    case 'other':
      return ledgerReason('not_a_file');
  }
};

const refuseName = ({ path, name }: WatchedFile, { patterns, allowedExtensions }: FileRules): LedgerReason | undefined => {
  const ignoring = patterns.findIgnoring(path);
  if (ignoring !== undefined) return ledgerReason('ignored_name', { pattern: ignoring });
  if (!patterns.isWanted(path)) return ledgerReason('unwanted_name');
  return refuseType(name, allowedExtensions);
};

const refuseSize = ({ facts }: WatchedFile, { maxBytes }: FileRules): LedgerReason | undefined => refuseBytes(facts.sizeBytes, maxBytes);

// Choice: the age of a file is the time since its last modification, and 0 hours mean no limit.
const refuseAge = ({ facts }: WatchedFile, { maxAgeMs }: FileRules, now: Date): LedgerReason | undefined =>
  maxAgeMs > 0 && now.getTime() - facts.modifiedMs > maxAgeMs
    ? ledgerReason('too_old', {
        modified_at: new Date(facts.modifiedMs).toISOString(),
        max_age_seconds: maxAgeMs / 1_000,
      })
    : undefined;

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

/** A file below a watched root, as the ledger has it. */
export interface LedgerFile extends WatchedFile {
  /** Its path below the root, with the prefix of that root. */
  readonly ledgerPath: string;
}

/** Shortened without its prefix, so that a long path keeps its ending when the prefix becomes another one. */
export const toLedgerFile = (file: WatchedFile, ledgerPrefix: string): LedgerFile => ({
  ...file,
  ledgerPath: toLedgerPath(ledgerPrefix + toLedgerPath(file.path)),
});

/** A line such as `1: POSIX  ADVISORY  WRITE 4321 08:02:1234567 0 EOF`; one with `->` only waits for a lock. */
const WRITE_LOCK = /^\d+: (?:FLOCK|POSIX|OFDLCK) +\S+ +WRITE +-?\d+ +([0-9a-f]+):([0-9a-f]+):(\d+) /gm;

/**
 * Whether a process of this host holds a write lock (`flock`, `fcntl` or of an open file description) on the open file. False
 * where the kernel does not tell: such locks are advice, and stability is asked for all the same.
 */
export const isWriteLocked = async (handle: FileHandle): Promise<boolean> => {
  const locks = await readProc('/proc/locks');
  if (locks === '') return false;
  const { ino } = await handle.stat({ bigint: true });
  const devices = [...locks.matchAll(WRITE_LOCK)].flatMap(([, major = '', minor = '', inode = '']) =>
    inode === String(ino) ? [`${Number.parseInt(major, 16)}:${Number.parseInt(minor, 16)}`] : [],
  );
  return devices.length > 0 && devices.includes(await mountedDevice(handle));
};

/** Empty where the kernel or a sandbox does not give it. */
const readProc = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

/** The device as the list of locks names it; `stat` shows another one on some file systems, as for each subvolume of btrfs. */
const mountedDevice = async ({ fd }: FileHandle): Promise<string> => {
  const [facts, mounts] = await Promise.all([readProc(`/proc/self/fdinfo/${fd}`), readProc('/proc/self/mountinfo')]);
  const mount = /^mnt_id:\s*(\d+)$/m.exec(facts)?.[1];
  return mounts.match(new RegExp(`^${mount} \\d+ (\\d+:\\d+) `, 'm'))?.[1] ?? '';
};
