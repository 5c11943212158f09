// What only the tests of this package import: production code uses the index.
export { currentLogFields } from './log-context.ts';
export { LABEL_NAMES } from './metrics.ts';
export { ReportingExporter } from './tracing/reporting-exporter.ts';
