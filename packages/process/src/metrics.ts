import { createHistogram } from 'node:perf_hooks';
import { AggregatorRegistry, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import { z } from 'zod';
import { VERSION } from './version.ts';

export { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/**
 * The labels a metric may have. Each has few values, which do not grow with what the service holds: a route is a template, a status a
 * class. An id, a path, a name or an address would make a series of each.
 */
export const LABEL_NAMES = [
  'cache',
  'channel',
  'child',
  'component',
  'kind',
  'level',
  'method',
  'node',
  'origin',
  'outcome',
  'protocol',
  'reason',
  'result',
  'route',
  'source',
  'stage',
  'state',
  'status',
  'step',
  'type',
  'version',
  // of Node's own metrics
  'space',
  'major',
  'minor',
  'patch',
] as const;

const ALLOWED: ReadonlySet<string> = new Set(LABEL_NAMES);

/** Throws for a metric with a label that is not in LABEL_NAMES, so that such a process does not even start. */
class BoundedRegistry extends Registry {
  override registerMetric<T extends string>(metric: Metric<T>): void {
    const { name, labelNames } = metric as unknown as { name: string; labelNames: readonly string[] };
    const unknown = labelNames.filter((label) => !ALLOWED.has(label));
    if (unknown.length > 0) throw new Error(`metric ${name} has labels with unbounded values: ${unknown.join(', ')}`);
    super.registerMetric(metric);
  }
}

/** A timer every 10 ms, as prom-client sets it, takes 0.5 % of a core in each process that has nothing to do, and one every 500 ms still 0.05 %. */
const DELAY_SAMPLE_MS = 1_000;
const NEVER_MS = 2 ** 31 - 1;
const DELAY_METRICS = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map((figure) => `nodejs_eventloop_lag_${figure}_seconds`);
/** Gauges whose names end like those of counters, which Prometheus complains about; `nodejs_active_resources` tells the same by type. */
const MISNAMED_METRICS = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** How late timers of this process were since the metrics were last collected, in seconds. */
const measureEventLoopDelay = (registry: Registry): void => {
  const delaysNs = createHistogram();
  let dueMs = performance.now() + DELAY_SAMPLE_MS;
  setInterval(() => {
    const nowMs = performance.now();
    delaysNs.record(Math.max(1, Math.round((nowMs - dueMs) * 1e6)));
    dueMs = nowMs + DELAY_SAMPLE_MS;
  }, DELAY_SAMPLE_MS).unref();
  const gauge = (figure: string, help: string, read: () => number): Gauge =>
    new Gauge({
      name: `nodejs_eventloop_lag_${figure}_seconds`,
      help,
      registers: [registry],
      collect() {
        this.set(delaysNs.count === 0 ? 0 : read() / 1e9);
      },
    });
  gauge('p50', 'The median delay of the event loop, sampled once a second.', () => delaysNs.percentile(50));
  gauge('p99', 'The 99th percentile of the delays of the event loop, sampled once a second.', () => delaysNs.percentile(99));
  gauge('max', 'The largest delay of the event loop since the last collection, sampled once a second.', () => {
    const { max } = delaysNs;
    delaysNs.reset(); // the last of the three that is collected
    return max;
  });
};

export interface RegistrySettings {
  /** Tells processes of one name apart; left out for those that are alone. */
  readonly instance?: number | undefined;
  /** False: nothing is measured by itself, for a process whose metrics nobody may ask for. */
  readonly isCollecting?: boolean;
}

/** A registry with the process's own metrics (CPU, memory, event loop, version) and the label `process` on everything. */
export const makeRegistry = (processName: string, { instance, isCollecting = true }: RegistrySettings = {}): Registry => {
  const registry = new BoundedRegistry();
  registry.setDefaultLabels({ process: processName, ...(instance === undefined ? {} : { instance: String(instance) }) });
  if (!isCollecting) return registry;
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const name of [...DELAY_METRICS, ...MISNAMED_METRICS]) registry.removeSingleMetric(name);
  measureEventLoopDelay(registry);
  const build = new Gauge({
    name: 'sheaf_build_info',
    help: 'Always 1; build information in the labels',
    labelNames: ['version', 'node'],
    registers: [registry],
  });
  build.set({ version: VERSION, node: process.version }, 1);
  return registry;
};

/** What is asked for in the header Accept by whoever merges the metrics of several processes. */
export const METRICS_AS_JSON = 'application/json';

/** JSON has no such numbers. */
const NO_NUMBERS = ['NaN', 'Infinity', '-Infinity'] as const;
const metricName = z.string().regex(/^[a-zA-Z_:][\w:]*$/);

/** The metrics of one process, as it tells them to be merged with those of others. */
const processMetrics = z.array(
  z.object({
    name: metricName,
    help: z.string(),
    type: z.enum(['counter', 'gauge', 'histogram', 'summary']),
    values: z.array(
      z.object({
        value: z.union([z.number(), z.enum(NO_NUMBERS).transform(Number)]),
        labels: z.record(metricName, z.union([z.string(), z.number()])),
        /** Of a part of a histogram or summary. */
        metricName: metricName.optional(),
      }),
    ),
  }),
);
export type ProcessMetrics = z.infer<typeof processMetrics>;

/** The metrics as the header Accept asks for them, with their content type: as text for Prometheus unless it names JSON alone. */
export const renderMetrics = async (
  registry: Registry,
  accept: string | undefined,
): Promise<{ readonly type: string; readonly body: string }> => {
  if (accept !== METRICS_AS_JSON) return { type: registry.contentType, body: await registry.metrics() };
  const metrics = await registry.getMetricsAsJSON();
  const body = JSON.stringify(metrics, (_, value: unknown) =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
  );
  return { type: METRICS_AS_JSON, body };
};

/** What a process told as JSON; undefined where it is something else. */
export const readMetrics = (body: string): ProcessMetrics | undefined => {
  try {
    return processMetrics.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined; // no JSON
  }
};

/** What tells the metrics of one process from those of the others. */
export interface ProcessLabels {
  readonly process: string;
  readonly instance?: string;
}

/**
 * The metrics of several processes as one text for Prometheus: each family once, with the samples of all, which get the labels of their process. A
 * family that an earlier process has as another type is left out.
 */
export const mergeMetrics = (
  processes: readonly { readonly labels: ProcessLabels; readonly metrics: ProcessMetrics }[],
): Promise<string> => {
  const types = new Map<string, string>();
  const labelled = processes.map(({ labels: own, metrics }) =>
    metrics.flatMap((metric) => {
      const type = types.get(metric.name) ?? metric.type;
      types.set(metric.name, type);
      if (type !== metric.type) return [];
      const values = metric.values.map(({ labels: { process: _process, instance: _instance, ...others }, ...value }) => ({
        ...value,
        labels: { ...others, ...own },
      }));
      return [{ ...metric, values, aggregator: 'sum' }]; // no two have the same labels, so nothing is added up; other ways leave some out
    }),
  );
  return AggregatorRegistry.aggregate(labelled).metrics();
};
