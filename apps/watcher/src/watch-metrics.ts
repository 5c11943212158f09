import { Counter, Gauge, Histogram, type Registry } from '@sheaf/process';
import type { IngestRoute } from '@sheaf/vocabulary/documents';

/** What the watched folders are measured by, one for all routes of a process. */
export interface WatchMetrics {
  readonly scanned: (route: IngestRoute, files: number, seconds: number) => void;
  readonly moved: (route: IngestRoute) => void;
}

export const makeWatchMetrics = (registry: Registry): WatchMetrics => {
  const registers = [registry];
  const labelNames = ['route'] as const;
  const seconds = new Histogram({
    name: 'sheaf_watch_scan_duration_seconds',
    help: 'Duration of a scan of the watch folders, without imports',
    labelNames,
    buckets: [0.01, 0.05, 0.25, 1, 2, 5, 15, 60],
    registers,
  });
  const files = new Gauge({ name: 'sheaf_watch_files', help: 'Files found at the last scan', labelNames, registers });
  const moved = new Counter({
    name: 'sheaf_watch_files_moved_total',
    help: 'Files moved to the folder of processed files',
    labelNames,
    registers,
  });
  return {
    scanned: (route, count, took) => {
      files.set({ route }, count);
      seconds.observe({ route }, took);
    },
    moved: (route) => moved.inc({ route }),
  };
};
