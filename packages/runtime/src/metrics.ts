import { collectDefaultMetrics, Registry } from 'prom-client';

export { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** A registry with the process's own metrics (CPU, memory, event loop) and the label `process` on everything. */
export const makeRegistry = (processName: string): Registry => {
  const registry = new Registry();
  registry.setDefaultLabels({ process: processName });
  collectDefaultMetrics({ register: registry });
  return registry;
};
