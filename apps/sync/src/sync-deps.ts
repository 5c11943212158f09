import type { Source } from '@sheaf/db/schema';
import type { AlertAudience } from '@sheaf/events/notifications';
import type { ImportAttempts, IngestDeps } from '@sheaf/ingest';
import type { Clock, Live, Logger } from '@sheaf/process';
import type { Tracer } from '@sheaf/process/tracing';
import type { SourceDriver } from '@sheaf/sources';
import type { RunnableSources } from '@sheaf/sources/runs';
import type { Slots } from './slots.ts';
import type { SyncMetrics } from './sync-metrics.ts';

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
