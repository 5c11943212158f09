import type { ConfigIssue, Values } from './parse.ts';

type Check = (values: Partial<Values>) => ConfigIssue['message'] | undefined;

const checkCollector: Check = ({ TRACING_ENABLED, TRACE_COLLECTOR_ENDPOINT: endpoint }) => {
  if (endpoint === undefined) return TRACING_ENABLED === true ? 'is required when TRACING_ENABLED=true' : undefined;
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) ? undefined : 'must look like http://127.0.0.1:4318';
};

export const RESOURCE_CHECKS: Readonly<Record<string, Check>> = {
  TRACE_COLLECTOR_ENDPOINT: checkCollector,
};
