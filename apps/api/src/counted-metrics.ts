import { type Db, isDatabaseUnavailable } from '@sheaf/db';
import { countDocumentsByRouteAndStatus } from '@sheaf/documents';
import { countDeliveries, findOldestDue, listAlerts } from '@sheaf/events/notifications';
import { countLedgerFiles } from '@sheaf/ingest';
import { Gauge, type Logger, type Registry, shareAnswer, within } from '@sheaf/process';
import { readQueueDepth } from '@sheaf/queue';
import { countSources } from '@sheaf/sources';
import { DELIVERY_CHANNELS, DELIVERY_STATES } from '@sheaf/vocabulary/deliveries';
import { DOCUMENT_STATUSES, INGEST_ROUTES, LEDGER_STATES } from '@sheaf/vocabulary/documents';
import { ALERT_LEVELS } from '@sheaf/vocabulary/events';
import { JOB_STATUSES } from '@sheaf/vocabulary/jobs';
import { SOURCE_STATUSES, SOURCE_TYPES } from '@sheaf/vocabulary/sources';

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

/** Whoever asks more often than this gets the same numbers again. */
const MIN_AGE_MS = 10_000;
/** However large a table grows, counting takes no more than a hundredth of the time. */
const AGE_PER_COUNT = 100;
/** A database that does not answer must not hold up the other metrics, nor the exporter, which waits for a second. */
const MAX_WAIT_MS = 800;

interface CountedGauge<L extends string> {
  readonly name: string;
  readonly help: string;
  /** What each label can be. */
  readonly labels: Readonly<Record<L, readonly string[]>>;
  /** What there is; those of the same labels are added, and where there is none it is told as 0. */
  readonly count: () => Promise<readonly (Readonly<Record<NoInfer<L>, string>> & { readonly value: number })[]>;
}

type Labels<L extends string> = Partial<Record<L, string | number>>;

/** Each label with each of what it can be. */
const allLabels = (labels: Readonly<Record<string, readonly string[]>>): Record<string, string>[] =>
  Object.entries(labels).reduce<Record<string, string>[]>(
    (found, [name, values]) => found.flatMap((each) => values.map((value) => ({ ...each, [name]: value }))),
    [{}],
  );

/** Reads the numbers, and tells none while the database is away. */
const fill = async <L extends string>(gauge: Gauge<L>, { name, labels, count }: CountedGauge<L>, log: Logger): Promise<void> => {
  try {
    const rows = await count();
    for (const each of allLabels(labels)) gauge.set(each as Labels<L>, 0);
    for (const { value, ...each } of rows) gauge.inc(each as unknown as Labels<L>, value);
  } catch (error) {
    gauge.reset();
    if (!isDatabaseUnavailable(error)) log.warn({ err: error, metric: name }, 'metric query failed');
  }
};

/**
 * Adds a metric that is counted in the database, where every process writes, and not where things happen: so it is right from the
 * first moment after any start, and when rows were deleted.
 */
const registerCountedGauge = <L extends string>(registry: Registry, settings: CountedGauge<L>, log: Logger): void => {
  let nextAtMs = 0;
  let counting: Promise<void> | undefined;
  const countAnew = async (): Promise<void> => {
    const startedMs = performance.now();
    await fill(gauge, settings, log);
    const endedMs = performance.now();
    nextAtMs = endedMs + Math.max(MIN_AGE_MS, AGE_PER_COUNT * (endedMs - startedMs));
    counting = undefined;
  };
  const gauge: Gauge<L> = new Gauge({
    name: settings.name,
    help: settings.help,
    labelNames: Object.keys(settings.labels) as L[],
    registers: [registry],
    collect: async () => {
      if (performance.now() >= nextAtMs) counting ??= countAnew();
      if (counting !== undefined) await within(counting, MAX_WAIT_MS);
    },
  });
};
