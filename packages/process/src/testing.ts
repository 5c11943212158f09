// What only the tests of this package import: production code uses the index.

export { makeIdleMemory } from './idle-memory.ts';
export { currentLogFields } from './log-context.ts';
export { LABEL_NAMES } from './metrics.ts';
export { ReportingExporter } from './tracing/reporting-exporter.ts';
