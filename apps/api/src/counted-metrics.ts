import type { Db } from '@sheaf/db';
import type { Logger, Registry } from '@sheaf/process';
import { registerDeliveryMetrics } from './deliveries/delivery-metrics.ts';
import { registerAlertMetric } from './health/alert-metric.ts';
import { registerLedgerMetric } from './ingest/ledger-metric.ts';
import { registerQueueMetrics } from './queue/queue-metrics.ts';
import { registerSourceMetrics } from './sources/source-metrics.ts';

/** Adds all metrics that are counted in the database, of which the api tells for everybody. */
export const registerCountedMetrics = (registry: Registry, db: Db, log: Logger): void => {
  for (const register of [registerLedgerMetric, registerSourceMetrics, registerDeliveryMetrics, registerQueueMetrics, registerAlertMetric])
    register(registry, db, log);
};
