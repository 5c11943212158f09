import type { ConfigIssue, Values } from './parse.ts';

type Check = (values: Partial<Values>) => ConfigIssue['message'] | undefined;

const checkCollector: Check = ({ TRACING_ENABLED, TRACE_COLLECTOR_ENDPOINT: endpoint }) =>
  endpoint === undefined && TRACING_ENABLED === true ? 'is required when TRACING_ENABLED=true' : undefined;

/** At rest all processes take some 430 MB with the embedded database, and one page needs room beside them. */
const LEAST_MEMORY_MB = 512;
/** At rest one takes some 70 MB. */
const MEMORY_OF_FURTHER_WORKER_MB = 80;

/** With less the service would be beyond its limit while it does nothing, and its readers would be started anew for ever. */
const checkMemory: Check = ({ MEMORY_LIMIT_MB: limit, OCR_WORKER_PROCESSES: workers = 1 }) => {
  const least = LEAST_MEMORY_MB + (workers - 1) * MEMORY_OF_FURTHER_WORKER_MB;
  if (limit === undefined || limit >= least) return undefined;
  const remedy = workers === 1 ? 'increase it' : 'increase it or reduce OCR_WORKER_PROCESSES';
  return `must be at least ${least}, the memory of idle processes (OCR_WORKER_PROCESSES=${workers}); ${remedy}`;
};

export const RESOURCE_CHECKS: Readonly<Record<string, Check>> = {
  MEMORY_LIMIT_MB: checkMemory,
  TRACE_COLLECTOR_ENDPOINT: checkCollector,
};
