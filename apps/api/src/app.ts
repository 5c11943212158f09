import type { FixedConfig } from '@sheaf/config';
import type { Clock, Logger } from '@sheaf/process';
import type { Tracer } from '@sheaf/process/tracing';
import express, { type Express, type RequestHandler } from 'express';
import { compressAnswers, noStore, securityHeaders } from './http/answer-headers.ts';
import type { Authenticator } from './http/authenticate.ts';
import { errorEnvelope, notFound } from './http/errors.ts';
import { mountRoutes } from './http/mount.ts';
import { noVersion2, V2_PREFIX } from './http/offered-routes.ts';
import type { RateLimit } from './http/rate-limit.ts';
import type { ReadDatabase } from './http/read-database.ts';
import { type RecordRequest, requestId, requestLog } from './http/request-log.ts';
import { crossOrigin, ownOriginOnly, trustProxies } from './http/request-origin.ts';
import type { Route } from './http/route.ts';
import { PAPERLESS_PREFIX, paperlessRequests } from './paperless/requests.ts';
import { docsSite } from './web/docs-site.ts';
import { webClient } from './web/web-client.ts';

export interface AppParts {
  readonly config: FixedConfig;
  readonly authenticator: Authenticator;
  readonly rateLimit: RateLimit;
  readonly reads: ReadDatabase;
  readonly tracer: Tracer;
  readonly record: RecordRequest;
  readonly log: Logger;
  readonly clock: Clock;
}

/** What answers requests. */
interface Answers {
  readonly routes: readonly Route[];
  /** Answers what belongs to connections for events. */
  readonly events?: RequestHandler;
}

/**
 * The whole chain a request goes through, in order. In `mountRoutes` each route asks who it is, counts the request for them
 * or for their address, asks whether they may, and only then reads the body.
 */
export const makeApp = ({ routes, events }: Answers, parts: AppParts): Express => {
  const { config, rateLimit, record, log, clock } = parts;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag'); // downloads set their own; hashing every list costs more than it saves
  trustProxies(app, config.trustedProxies);
  app.use(requestId(), requestLog(record));
  app.use(securityHeaders(config.headers), noStore());
  // where nobody signs in no other page may read, so no answer tells a browser that it may
  app.use(ownOriginOnly(config), crossOrigin({ ...config.cors, enabled: config.cors.enabled && config.signIn.enabled }), compressAnswers());
  if (events !== undefined) app.use(events);
  app.use(PAPERLESS_PREFIX, paperlessRequests(config.apiKeys.header, config.features.paperlessApi));
  app.use(mountRoutes(routes, parts));
  app.use(PAPERLESS_PREFIX, rateLimit.unknownPaths(), notFound());
  app.use(docsSite({ mayBeFramed: config.headers.frameOptions !== 'deny' }));
  app.use(webClient({ mayBeFramed: config.headers.frameOptions !== 'deny' }));
  app.use(rateLimit.unknownPaths());
  if (!config.features.apiV2) app.use(V2_PREFIX, noVersion2());
  app.use(notFound());
  app.use(errorEnvelope(log, clock));
  return app;
};
