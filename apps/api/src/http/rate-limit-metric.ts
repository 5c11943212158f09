import { Counter, type Registry } from '@sheaf/process';
import type { RequestKind } from './route.ts';

/** Counts requests that were refused because there were too many of them. */
export const countRefusals = (registry: Registry): ((kind: RequestKind) => void) => {
  const refused = new Counter({
    name: 'sheaf_http_rate_limited_total',
    help: 'Requests rejected with RATE_LIMITED',
    labelNames: ['kind'],
    registers: [registry],
  });
  for (const kind of ['request', 'upload']) refused.inc({ kind }, 0);
  return (kind) => refused.inc({ kind });
};
