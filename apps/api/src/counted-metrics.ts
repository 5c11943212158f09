import type { Db } from '@sheaf/db';
import { countDocumentsByRouteAndStatus } from '@sheaf/documents';
import { countDeliveries, findOldestDue, listAlerts } from '@sheaf/events/notifications';
import { countLedgerFiles } from '@sheaf/ingest';
import { type Logger, type Registry, shareAnswer } from '@sheaf/process';
import { readQueueDepth } from '@sheaf/queue';
import { countSources } from '@sheaf/sources';
import { DELIVERY_CHANNELS, DELIVERY_STATES } from '@sheaf/vocabulary/deliveries';
import { DOCUMENT_STATUSES, INGEST_ROUTES, LEDGER_STATES } from '@sheaf/vocabulary/documents';
import { ALERT_LEVELS } from '@sheaf/vocabulary/events';
import { JOB_STATUSES } from '@sheaf/vocabulary/jobs';
import { SOURCE_STATUSES, SOURCE_TYPES } from '@sheaf/vocabulary/sources';
import { type CountedGauge, registerCountedGauge } from './counted-gauge.ts';

/** Two gauges of the queue are read at the same time. */
const MAX_AGE_MS = 1_000;

/** Adds all metrics that are counted in the database, of which the api tells for everybody. */
export const registerCountedMetrics = (registry: Registry, db: Db, log: Logger): void => {
  const register = <L extends string>(gauge: CountedGauge<L>): void => registerCountedGauge(registry, gauge, log);
  const readDepth = shareAnswer(() => readQueueDepth(db), MAX_AGE_MS);
  // 200,000 rows: 35 ms; what came in during a time is the difference of two readings
  register({
    name: 'sheaf_ingest_files',
    help: 'Files in the ingest ledger',
    labels: { route: INGEST_ROUTES, state: LEDGER_STATES },
    count: async () => (await countLedgerFiles(db)).map(({ files, ...labels }) => ({ ...labels, value: files })),
  });
  register({
    name: 'sheaf_sources',
    help: 'Sources by type and status',
    labels: { type: SOURCE_TYPES, status: SOURCE_STATUSES },
    count: async () => (await countSources(db)).map(({ sources, ...labels }) => ({ ...labels, value: sources })),
  });
  register({
    name: 'sheaf_documents',
    help: 'Documents by origin and status',
    labels: { source: INGEST_ROUTES, status: DOCUMENT_STATUSES },
    count: async () =>
      (await countDocumentsByRouteAndStatus(db)).map(({ route, status, documents }) => ({ source: route, status, value: documents })),
  });
  register({
    name: 'sheaf_deliveries',
    help: 'Deliveries of the last 30 days by channel and state',
    labels: { channel: DELIVERY_CHANNELS, state: DELIVERY_STATES },
    count: async () => (await countDeliveries(db)).map(({ deliveries, ...labels }) => ({ ...labels, value: deliveries })),
  });
  register({
    name: 'sheaf_deliveries_oldest_due_seconds',
    help: 'Age of the oldest overdue delivery',
    labels: { channel: DELIVERY_CHANNELS },
    count: async () => (await findOldestDue(db)).map(({ channel, seconds }) => ({ channel, value: seconds })),
  });
  register({
    name: 'sheaf_ocr_queue_jobs',
    help: 'Jobs of the OCR queue by status',
    labels: { status: JOB_STATUSES },
    count: async () => Object.entries((await readDepth()).jobs).map(([status, value]) => ({ status, value })),
  });
  register({
    name: 'sheaf_ocr_queue_oldest_seconds',
    help: 'Age of the oldest pending job',
    labels: {},
    count: async () => [{ value: (await readDepth()).oldestSeconds }],
  });
  register({
    name: 'sheaf_alerts',
    help: 'Alerts that were raised and not cleared yet',
    labels: { level: ALERT_LEVELS },
    count: async () => (await listAlerts(db)).map(({ level }) => ({ level, value: 1 })),
  });
};
