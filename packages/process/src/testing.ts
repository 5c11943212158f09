// What only the tests of this package import: production code uses the index.

export { currentLogFields } from './log-context.ts';
export { LABEL_NAMES } from './metrics.ts';
export { makeIdleMemory } from './process-life.ts';
export { ReportingExporter } from './tracing/otlp-tracer.ts';
