import { Counter, Histogram, type Logger, type Registry } from '@sheaf/runtime';
import type { RequestHandler } from 'express';
import { requestIdOf } from './request-id.ts';

/** Logs each request when it ends, and counts it by route template and status class. */
export const requestLog = (log: Logger, registry: Registry): RequestHandler => {
  const labelNames = ['method', 'route', 'status'] as const;
  const total = new Counter({ name: 'sheaf_http_requests_total', help: 'Requests answered', labelNames, registers: [registry] });
  const seconds = new Histogram({
    name: 'sheaf_http_request_duration_seconds',
    help: 'Time from the request line to the end of the answer',
    labelNames,
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  });
  return (request, response, next) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const elapsedMs = performance.now() - startedAt;
      const route = typeof response.locals['route'] === 'string' ? response.locals['route'] : 'unknown';
      const labels = { method: request.method, route, status: `${Math.floor(response.statusCode / 100)}xx` };
      total.inc(labels);
      seconds.observe(labels, elapsedMs / 1_000);
      const fields = {
        request_id: requestIdOf(response),
        method: request.method,
        path: request.path,
        status: response.statusCode,
        elapsed_ms: Math.round(elapsedMs),
      };
      if (route === 'unknown' || request.path.startsWith('/api')) log.info(fields, 'request');
      else log.debug(fields, 'request');
    });
    next();
  };
};
