import type { Db } from '@sheaf/db';
import { readQueueDepth } from '@sheaf/ocr-queue';
import { type Logger, type Registry, shareAnswer } from '@sheaf/process';
import { JOB_STATUSES } from '@sheaf/vocabulary/jobs';
import { registerCountedGauge } from '../counted-gauge.ts';

/** Two gauges are read at the same time. */
const MAX_AGE_MS = 1_000;

/** Adds how many jobs there are by status, and how long the first of those that are due has waited. */
export const registerQueueMetrics = (registry: Registry, db: Db, log: Logger): void => {
  const read = shareAnswer(() => readQueueDepth(db), MAX_AGE_MS);
  const jobs = {
    name: 'sheaf_ocr_queue_jobs',
    help: 'Jobs of the OCR queue by status',
    labelNames: ['status'] as const,
    count: async () => {
      const depth = await read();
      return JOB_STATUSES.map((status) => [{ status }, depth.jobs[status]] as const);
    },
  };
  const oldest = {
    name: 'sheaf_ocr_queue_oldest_seconds',
    help: 'Age of the oldest pending job',
    labelNames: [] as const,
    count: async () => [[{}, (await read()).oldestSeconds] as const],
  };
  registerCountedGauge(registry, jobs, log);
  registerCountedGauge(registry, oldest, log);
};
