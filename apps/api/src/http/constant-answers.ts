import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { FixedConfig, HeaderSettings } from '@sheaf/config';
import { uuidv7 } from '@sheaf/process';
import type { RequestHandler } from 'express';
import helmet, { strictTransportSecurity } from 'helmet';
import { REQUEST_ID_HEADER, type RecordRequest } from './request-log.ts';
import type { Route } from './route.ts';

/** What makes an answer other than that to a plain probe: a page of another origin, a proxy's word on https, an id for the log. */
const VARYING_HEADERS = ['origin', 'x-forwarded-proto', REQUEST_ID_HEADER.toLowerCase()] as const;

const isPlain = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && VARYING_HEADERS.every((name) => headers[name] === undefined);

/** The bodies of routes that answer the same to everybody, by path. */
const constantBodies = (routes: readonly Route[]): ReadonlyMap<string, string> =>
  new Map(
    routes.flatMap((route) =>
      route.kind === 'json' && route.method === 'get' && route.constantAnswer !== undefined
        ? [[route.path, JSON.stringify(route.constantAnswer)]]
        : [],
    ),
  );

/**
 * Answers plain requests to routes with a constant answer at once, as their handlers do (which stay for all others), and leaves all else
 * to `app`. Liveness is one of them: it needs nobody's name, and the way through express takes three times as long as the rest.
 */
export const withConstantAnswers = (
  app: RequestListener,
  routes: readonly Route[],
  { headers, cors }: Pick<FixedConfig, 'headers' | 'cors'>,
  record: RecordRequest,
): RequestListener => {
  const bodies = constantBodies(routes);
  const constant = [
    ...constantHeaders(headers).flat(),
    ...NOT_STORED,
    'Vary',
    cors.enabled ? 'Origin, Accept-Encoding' : 'Accept-Encoding',
    'Content-Type',
    'application/json; charset=utf-8',
  ];
  const answer = (response: ServerResponse, path: string, body: string): void => {
    const startedAt = performance.now();
    const requestId = uuidv7();
    response.once('close', () => {
      record({ requestId, method: 'GET', route: path, path, status: 200, elapsedMs: performance.now() - startedAt });
    });
    response.writeHead(200, [REQUEST_ID_HEADER, requestId, ...constant, 'Content-Length', String(Buffer.byteLength(body))]);
    response.end(body);
  };
  return (request, response) => {
    const { url = '' } = request;
    const body = bodies.get(url);
    if (body !== undefined && isPlain(request)) answer(response, url, body);
    else app(request, response);
  };
};

const nothing: RequestHandler = (_request, _response, next) => next();

const transportSecurity = ({ hstsSeconds, hstsIncludeSubdomains }: HeaderSettings): RequestHandler => {
  if (hstsSeconds === 0) return nothing;
  const insist = strictTransportSecurity({ maxAge: hstsSeconds, includeSubDomains: hstsIncludeSubdomains });
  // Choice: over plain http browsers have to ignore it, so it is sent only where the connection, or a trusted proxy, is https
  return (request, response, next) => (request.secure ? insist(request, response, next) : next());
};

/** What helmet sets is the same for every request, so it is asked once. */
const headersOf = (settings: Parameters<typeof helmet>[0]): readonly (readonly [string, string])[] => {
  const headers: (readonly [string, string])[] = [];
  const response = { setHeader: (name: string, value: string) => headers.push([name, value]), removeHeader: () => {} };
  helmet(settings)({} as IncomingMessage, response as unknown as ServerResponse, (error) => {
    if (error !== undefined) throw error as Error;
  });
  return headers;
};

/** The headers that protect browsers and are the same on every answer, each with its value. */
const constantHeaders = (settings: HeaderSettings): readonly (readonly [string, string])[] => {
  if (!settings.enabled) return [];
  const { contentSecurityPolicy, frameOptions, noSniff, referrerPolicy } = settings;
  const protecting = headersOf({
    contentSecurityPolicy: false, // ours is text, as the operator writes it
    strictTransportSecurity: false,
    xFrameOptions: frameOptions === undefined ? false : { action: frameOptions },
    xContentTypeOptions: noSniff,
    referrerPolicy: referrerPolicy === undefined ? false : { policy: referrerPolicy },
    crossOriginResourcePolicy: { policy: 'same-origin' },
  });
  return contentSecurityPolicy === undefined ? protecting : [...protecting, ['Content-Security-Policy', contentSecurityPolicy]];
};

/** The headers that protect browsers, on every answer. A route that sets one of them by itself has the last word. */
export const securityHeaders = (settings: HeaderSettings): RequestHandler[] => {
  if (!settings.enabled) return [nothing];
  const headers = constantHeaders(settings);
  const protect: RequestHandler = (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
  return [protect, transportSecurity(settings)];
};

/** What is said to caches where a route says nothing else: answers belong to whoever asked. */
export const NOT_STORED = ['Cache-Control', 'no-store'] as const;

/** No cache keeps an answer, whatever its path, unless what makes it says which cache may. */
export const noStore = (): RequestHandler => (_request, response, next) => {
  response.setHeader(...NOT_STORED);
  next();
};
