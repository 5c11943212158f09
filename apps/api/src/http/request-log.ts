import { Counter, Histogram, type Logger, type Registry, uuidv7, withLogFields } from '@sheaf/process';
import { runInSpan, type Tracer } from '@sheaf/process/tracing';
import type { Request, RequestHandler, Response } from 'express';
import type { Route } from './route.ts';

export const REQUEST_ID_HEADER = 'X-Request-Id';
const ACCEPTABLE = /^[\w.:-]{1,128}$/;

/** Takes the caller's request id if it is a plain one, or makes one, and answers with it. Every line that the request causes in the log has it. */
export const requestId = (): RequestHandler => (request, response, next) => {
  const given = request.get(REQUEST_ID_HEADER);
  const id = given !== undefined && ACCEPTABLE.test(given) ? given : uuidv7();
  response.locals['requestId'] = id;
  response.setHeader(REQUEST_ID_HEADER, id);
  withLogFields({ request_id: id }, next);
};

export const requestIdOf = (response: Response): string => String(response.locals['requestId'] ?? '');

/** Tokens have 43 characters of base64url or more; also one that lost some at its end is hidden. UUIDs are shorter. */
const TOKEN = /[\w-]{40,}/g;
const TOKEN_IN = /[\w-]{40}/;
/** What is encoded more often is decoded by nobody. */
const MAX_DECODINGS = 3;

const decodeOnce = (text: string): string =>
  text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded; // no UTF-8
    }
  });

const decodeWhole = (path: string): string => {
  let text = path;
  for (let round = 0; round < MAX_DECODINGS && text.includes('%'); round += 1) text = decodeOnce(text);
  return text;
};

/**
 * A path as the log has it, without tokens wherever they stand and however they are encoded: that of a share link, an invitation or a
 * download would open it for whoever reads the log, also where the link was mistyped and led nowhere.
 */
export const loggedPath = (path: string): string => {
  const decoded = decodeWhole(path);
  return TOKEN_IN.test(decoded) ? encodeURI(decoded.replaceAll(TOKEN, '***')) : path;
};

interface AnsweredRequest {
  readonly requestId: string;
  readonly traceId?: string | undefined;
  readonly method: string;
  /** The template of its route, or `unknown`. */
  readonly route: string;
  readonly path: string;
  readonly status: number;
  readonly elapsedMs: number;
  /** The name of who sent it, where that is known. */
  readonly user?: string | undefined;
}

export type RecordRequest = (request: AnsweredRequest) => void;

/** Those that the routes and browsers use; of the many others that a stranger may send each would be a time series of its own. */
const COUNTED_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Few: each is a time series of every route. They part what nobody notices from what people wait for. */
const DURATION_BUCKETS_SECONDS = [0.05, 0.25, 1];

/** Logs each request when it ends, counts it by route template and status class, and measures how long it took by route template. */
export const openRequestRecord = (log: Logger, registry: Registry): RecordRequest => {
  const labelNames = ['method', 'route', 'status'] as const;
  const total = new Counter({ name: 'sheaf_http_requests_total', help: 'Handled requests', labelNames, registers: [registry] });
  const seconds = new Histogram({
    name: 'sheaf_http_request_duration_seconds',
    help: 'Request duration',
    labelNames: ['route'] as const,
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  });
  return ({ requestId, traceId, method, route, path, status, elapsedMs, user }) => {
    const labels = { method: COUNTED_METHODS.has(method) ? method : 'OTHER', route };
    total.inc({ ...labels, status: `${Math.floor(status / 100)}xx` });
    seconds.observe({ route }, elapsedMs / 1_000);
    const level = route === 'unknown' || path.startsWith('/api') ? 'info' : 'debug';
    if (!log.isLevelEnabled(level)) return;
    const elapsed = Math.round(elapsedMs);
    log[level]({ request_id: requestId, trace_id: traceId, method, path, status, elapsed_ms: elapsed, user }, 'request');
  };
};

/** Records each request with `record` when it ends. */
export const requestLog =
  (record: RecordRequest): RequestHandler =>
  (request, response, next) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const { route, user } = response.locals as { readonly route?: unknown; readonly user?: unknown };
      record({
        requestId: requestIdOf(response),
        traceId: traceIdOf(response),
        method: request.method,
        route: typeof route === 'string' ? route : 'unknown',
        path: loggedPath(request.path),
        status: response.statusCode,
        elapsedMs: performance.now() - startedAt,
        user: typeof user === 'string' ? user : undefined,
      });
    });
    next();
  };

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
const traceIdOf = (response: Response): string | undefined => {
  const traceId: unknown = response.locals['traceId'];
  return typeof traceId === 'string' ? traceId : undefined;
};
