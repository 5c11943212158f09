import { Counter, Gauge, Histogram, type Registry } from '@sheaf/process';
import type { SourceType } from '@sheaf/vocabulary/sources';

export const FILE_OUTCOMES = ['added', 'updated', 'moved', 'removed', 'skipped', 'failed'] as const;
export type FileOutcome = (typeof FILE_OUTCOMES)[number];
export type RunOutcome = 'completed' | 'failed' | 'cancelled' | 'interrupted';

/** What the sync process is measured by. */
export interface SyncMetrics {
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
