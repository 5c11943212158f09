import { deleteBackupRunsBefore } from '@sheaf/backup/runs';
import type { Db } from '@sheaf/db';
import { foldDocumentTallies } from '@sheaf/documents';
import { deleteEventsBefore } from '@sheaf/events';
import { deleteDeliveriesBefore, deleteReadNotificationsBefore } from '@sheaf/events/notifications';
import { removeStoredBytes, sweepOrphans, trimSearchablePdfs, trimThumbnails } from '@sheaf/ingest';
import { purgeExpired } from '@sheaf/ingest/trash';
import { type Clock, type Component, type Live, type Logger, Loop } from '@sheaf/process';
import { deleteProcessesBefore } from '@sheaf/program';
import { deleteSharesEndedBefore } from '@sheaf/search/shares';
import type { Storage, TempArea } from '@sheaf/storage';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Each list reads through what is not folded yet: 0.04 ms for 1,000 deltas, which is 200 documents on their way through. */
const FOLD_MS = 10_000;
/** Clients that were away for less get every event they missed. */
/** Of notifications that were read; the others stay. */
const NOTIFICATION_RETENTION_MS = 90 * DAY_MS;
const EVENT_RETENTION_MS = DAY_MS;
/** An administrator may look at what has left, and what has not, for so long. */
const DELIVERY_RETENTION_MS = 30 * DAY_MS;
/** So long it is known which backups were verified. */
const BACKUP_RUN_RETENTION_MS = 365 * DAY_MS;
/** Whoever made a share link sees for so long that it has ended, and how often it was opened. */
const SHARE_RETENTION_MS = 30 * DAY_MS;
/** Links of one statement. */
const SHARES_AT_ONCE = 1_000;
/** Half-written files of a process that was killed; the slowest upload is younger. */
const LEFTOVER_AGE_MS = DAY_MS;

export interface HousekeepingDeps {
  readonly db: Db;
  readonly storage: Storage;
  readonly temp: TempArea;
  /** Of stored thumbnails, in bytes. */
  readonly maxThumbnailBytes: number;
  /** How long documents stay in the trash. */
  readonly trashRetentionMs: Live<number>;
  /** Of stored searchable PDFs. */
  readonly maxSearchableBytes: number;
  readonly clock: Clock;
  readonly log: Logger;
}

const ago = (clock: Clock, ms: number): Date => new Date(clock.now().getTime() - ms);

/** Old events, what has left long ago, and the rows of processes that died. */
const forgetRows = async ({ db, clock }: HousekeepingDeps): Promise<void> => {
  await deleteEventsBefore(db, ago(clock, EVENT_RETENTION_MS));
  await deleteDeliveriesBefore(db, ago(clock, DELIVERY_RETENTION_MS));
  await deleteReadNotificationsBefore(db, ago(clock, NOTIFICATION_RETENTION_MS));
  await deleteBackupRunsBefore(db, ago(clock, BACKUP_RUN_RETENTION_MS));
  await deleteProcessesBefore(db, ago(clock, HOUR_MS));
  while ((await deleteSharesEndedBefore(db, ago(clock, SHARE_RETENTION_MS), SHARES_AT_ONCE)) === SHARES_AT_ONCE);
};

/** Documents whose time in the trash is over, each with its bytes. */
const purgeTrash = async ({ db, storage, trashRetentionMs, clock, log }: HousekeepingDeps, signal: AbortSignal): Promise<void> => {
  const removeBytes = async (sha256: string): Promise<void> => {
    await removeStoredBytes({ db, storage }, sha256).catch((error: unknown) =>
      log.warn({ err: error, sha256 }, 'stored file left to cleanup'),
    );
  };
  const documents = await purgeExpired(db, ago(clock, trashRetentionMs.current()), { removeBytes, signal });
  if (documents > 0) log.info({ documents }, 'documents in the trash removed permanently');
};

/** Files that nobody misses. */
const sweepFiles = async (deps: HousekeepingDeps, signal: AbortSignal): Promise<void> => {
  const before = ago(deps.clock, LEFTOVER_AGE_MS);
  const leftovers = (await deps.temp.sweep(before)) + (await deps.storage.sweepLeftovers(before));
  const orphans = await sweepOrphans({ ...deps, signal });
  const thumbnails = await trimThumbnails({ storage: deps.storage, maxBytes: deps.maxThumbnailBytes, signal });
  const pdfs = await trimSearchablePdfs({ storage: deps.storage, maxBytes: deps.maxSearchableBytes, signal });
  if (pdfs > 0) deps.log.info({ pdfs }, 'stored searchable PDFs removed');
  if (thumbnails > 0) deps.log.info({ thumbnails }, 'stored thumbnails removed');
  if (leftovers + orphans > 0) deps.log.info({ leftovers, orphans }, 'orphaned files removed');
};

/** What has to be done now and then for the whole service, by the one process that runs once and is idle most of the time. */
export const makeHousekeeping = (deps: HousekeepingDeps): Component[] => {
  const every = (name: string, intervalMs: number, work: (signal: AbortSignal) => Promise<void>): Component =>
    new Loop({
      name,
      intervalMs,
      log: deps.log,
      run: async (signal) => {
        await work(signal);
        return false;
      },
    });
  return [
    every('forget-old-rows', HOUR_MS, () => forgetRows(deps)),
    every('purge-trash', HOUR_MS, (signal) => purgeTrash(deps, signal)),
    every('sweep-files', DAY_MS, (signal) => sweepFiles(deps, signal)),
    every('fold-document-tallies', FOLD_MS, async () => {
      await foldDocumentTallies(deps.db);
    }),
  ];
};
