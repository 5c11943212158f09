import { runInSpan, type Tracer } from '@sheaf/process/tracing';
import type { Request, Response } from 'express';
import type { Route } from './route.ts';

/**
 * Answers a request as a span of its own, named by the template of its route, so that no id and no name of a file gets into it.
 * It goes on with the trace of the caller's `traceparent`; whether it is kept is for us to decide, as anyone can send that header.
 */
export const inRequestSpan = <R>(route: Route, tracer: Tracer, request: Request, response: Response, answer: () => R): R => {
  if (route.isProbe === true) return answer(); // they come every few seconds and tell nothing
  const attributes = { 'http.request.method': request.method, 'http.route': route.path };
  const span = tracer.begin(`${request.method} ${route.path}`, {
    kind: 'server',
    attributes,
    foreignParent: request.get('traceparent'),
  });
  if (span === undefined) return answer();
  response.locals['traceId'] = span.traceId;
  response.once('close', () => {
    span.set({ 'http.response.status_code': response.statusCode });
    if (response.statusCode >= 500) span.fail(String(response.statusCode));
    span.end();
  });
  return runInSpan(span, answer);
};

/** Undefined for a request that is not traced. */
export const traceIdOf = (response: Response): string | undefined => {
  const traceId: unknown = response.locals['traceId'];
  return typeof traceId === 'string' ? traceId : undefined;
};
