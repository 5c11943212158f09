import type { Source } from '@sheaf/db/schema';
import type { AlertAudience } from '@sheaf/events/notifications';
import type { ImportAttempts, IngestDeps } from '@sheaf/ingest';
import { type Clock, Counter, Gauge, Histogram, type Live, type Logger, type Registry } from '@sheaf/process';
import type { Tracer } from '@sheaf/process/tracing';
import type { SourceDriver } from '@sheaf/sources';
import type { RunnableSources } from '@sheaf/sources/runs';
import type { SourceType } from '@sheaf/vocabulary/sources';
import type { LimitFunction } from 'p-limit';
import pLimit from 'p-limit';

/** Which files of sources are imported. */
export interface FileLimits {
  readonly allowedExtensions: readonly string[];
  readonly maxFileBytes: number;
}

export interface SyncSettings extends RunnableSources {
  readonly files: Live<FileLimits>;
  /** Of one run; over all runs `slots` decides. */
  readonly parallelDownloads: Live<number>;
  /** Of files that wait to be fetched, in memory. */
  readonly maxPendingFiles: number;
}

/** Where it is recorded what runs do. */
export interface SyncTelemetry {
  readonly metrics: SyncMetrics;
  readonly tracer: Tracer;
  readonly log: Logger;
}

export interface SyncDeps {
  readonly settings: SyncSettings;
  readonly ingest: IngestDeps;
  /** One for all runs of the process. */
  readonly attempts: ImportAttempts;
  /** Throws SourceError for a source that can have no driver. */
  readonly openDriver: (source: Source) => SourceDriver;
  /** Whom alerts are for, and what everybody is notified of. */
  readonly alerts: Live<AlertAudience>;
  readonly slots: Slots;
  readonly telemetry: SyncTelemetry;
  readonly clock: Clock;
}

/** Limits how much work runs at a time over all runs, as long as the process does. */
export class Slots {
  readonly #limit: LimitFunction;

  constructor(count: Live<number>) {
    this.#limit = pLimit(count.current());
    count.subscribe((changed) => {
      this.#limit.concurrency = changed; // waiting work starts at once where there are more slots
    });
  }

  /** The result of `work`. Throws the signal's reason when that is aborted before `work` has started; p-limit knows no signals. */
  async use<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const leave = (): void => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    const run = async (): Promise<void> => {
      signal.removeEventListener('abort', leave);
      if (!signal.aborted) await work().then(resolve, reject);
    };
    this.#limit(run).catch(reject);
    return promise;
  }
}

const FILE_OUTCOMES = ['added', 'updated', 'moved', 'removed', 'skipped', 'failed'] as const;
export type FileOutcome = (typeof FILE_OUTCOMES)[number];
type RunOutcome = 'completed' | 'failed' | 'cancelled' | 'interrupted';

/** What the sync process is measured by. */
interface SyncMetrics {
  readonly began: (type: SourceType) => void;
  readonly ended: (type: SourceType, outcome: RunOutcome, seconds: number) => void;
  readonly file: (type: SourceType, outcome: FileOutcome, count?: number) => void;
  readonly bytes: (type: SourceType, count: number) => void;
}

export const makeSyncMetrics = (registry: Registry): SyncMetrics => {
  const registers = [registry];
  const labelNames = ['type', 'outcome'] as const;
  const runs = new Counter({ name: 'sheaf_sync_runs_total', help: 'Sync runs by result', labelNames, registers });
  const files = new Counter({ name: 'sheaf_sync_files_total', help: 'Source files by result', labelNames, registers });
  const bytes = new Counter({ name: 'sheaf_sync_bytes_total', help: 'Bytes downloaded from sources', labelNames: ['type'], registers });
  const current = new Gauge({ name: 'sheaf_sync_runs_current', help: 'Running sync runs', labelNames: ['type'], registers });
  const seconds = new Histogram({
    name: 'sheaf_sync_run_duration_seconds',
    help: 'Duration of a sync run',
    labelNames: ['type'],
    buckets: [0.1, 0.5, 2, 10, 30, 120, 600, 3_600],
    registers,
  });
  return {
    began: (type) => current.inc({ type }),
    ended: (type, outcome, took) => {
      current.dec({ type });
      runs.inc({ type, outcome });
      seconds.observe({ type }, took);
    },
    file: (type, outcome, count = 1) => files.inc({ type, outcome }, count),
    bytes: (type, count) => bytes.inc({ type }, count),
  };
};
