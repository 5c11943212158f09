import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { FixedConfig } from '@sheaf/config';
import { uuidv7 } from '@sheaf/process';
import { REQUEST_ID_HEADER } from './request-id.ts';
import type { RecordRequest } from './request-log.ts';
import type { Route } from './route.ts';
import { constantHeaders, NOT_STORED } from './security-headers.ts';

/** What makes an answer other than that to a plain probe: a page of another origin, a proxy's word on https, an id for the log. */
const TELLING_HEADERS = ['origin', 'x-forwarded-proto', REQUEST_ID_HEADER.toLowerCase()] as const;

const isPlain = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && TELLING_HEADERS.every((name) => headers[name] === undefined);

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
