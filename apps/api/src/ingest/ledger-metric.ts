import { INGEST_ROUTES, LEDGER_STATES } from '@sheaf/contract';
import { countLedgerFiles, type Db, isDatabaseUnavailable } from '@sheaf/db';
import { Gauge, type Logger, type Registry, sleep } from '@sheaf/runtime';

/** Whoever asks more often than this gets the same numbers again. */
const MIN_AGE_MS = 10_000;
/** However large the ledger grows, counting takes no more than a hundredth of the time (200,000 rows: 35 ms). */
const AGE_PER_COUNT = 100;
/** A database that does not answer must not hold up the other metrics. */
const MAX_WAIT_MS = 2_000;

const makeGauge = (registry: Registry, collect: () => Promise<void>) =>
  new Gauge({
    name: 'sheaf_ingest_files',
    help: 'Files in the ingest ledger',
    labelNames: ['route', 'state'] as const,
    registers: [registry],
    collect,
  });

/** Reads the numbers, and tells none while the database is away. */
const count = async (gauge: ReturnType<typeof makeGauge>, db: Db, log: Logger): Promise<void> => {
  try {
    const counts = await countLedgerFiles(db);
    for (const route of INGEST_ROUTES) for (const state of LEDGER_STATES) gauge.set({ route, state }, 0);
    for (const { route, state, files } of counts) gauge.set({ route, state }, files);
  } catch (error) {
    gauge.reset();
    if (!isDatabaseUnavailable(error)) log.warn({ err: error }, 'the files of the ingest ledger could not be counted');
  }
};

const waitBriefly = async (work: Promise<void>): Promise<void> => {
  const done = new AbortController();
  await Promise.race([work.finally(() => done.abort()), sleep(MAX_WAIT_MS, done.signal)]);
};

/**
 * Adds how many files the ingest ledger has by route and state. They are counted in the database, where every process writes, and
 * not where files are noted: so the metric is right from the first moment after any start, and when rows were deleted. What came
 * in during a time is the difference of two readings.
 */
export const registerLedgerMetric = (registry: Registry, db: Db, log: Logger): void => {
  let nextAtMs = 0;
  let counting: Promise<void> | undefined;
  const countAnew = async (): Promise<void> => {
    const startedMs = performance.now();
    await count(gauge, db, log);
    const endedMs = performance.now();
    nextAtMs = endedMs + Math.max(MIN_AGE_MS, AGE_PER_COUNT * (endedMs - startedMs));
    counting = undefined;
  };
  const gauge = makeGauge(registry, async () => {
    if (performance.now() >= nextAtMs) counting ??= countAnew();
    if (counting !== undefined) await waitBriefly(counting);
  });
};
