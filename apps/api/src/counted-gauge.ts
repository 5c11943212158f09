import { isDatabaseUnavailable } from '@sheaf/db';
import { Gauge, type Logger, type Registry, within } from '@sheaf/process';

/** Whoever asks more often than this gets the same numbers again. */
const MIN_AGE_MS = 10_000;
/** However large a table grows, counting takes no more than a hundredth of the time. */
const AGE_PER_COUNT = 100;
/** A database that does not answer must not hold up the other metrics, nor the exporter, which waits for a second. */
const MAX_WAIT_MS = 800;

export interface CountedGauge<L extends string> {
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
export const registerCountedGauge = <L extends string>(registry: Registry, settings: CountedGauge<L>, log: Logger): void => {
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
