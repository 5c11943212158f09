import { collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
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
  collectDefaultMetrics({ register: registry });
  const build = new Gauge({
    name: 'sheaf_build_info',
    help: 'Always 1; build information in the labels',
    labelNames: ['version', 'node'],
    registers: [registry],
  });
  build.set({ version: VERSION, node: process.version }, 1);
  return registry;
};
