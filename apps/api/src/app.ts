import express, { type Express, type RequestHandler } from 'express';
import type { ApiDeps } from './deps.ts';
import { trustProxies } from './http/client-address.ts';
import { crossOrigin } from './http/cors.ts';
import { errorEnvelope, notFound } from './http/errors.ts';
import { mountRoutes } from './http/mount.ts';
import { requestId } from './http/request-id.ts';
import { requestLog } from './http/request-log.ts';
import type { Route } from './http/route.ts';
import { noStore, securityHeaders } from './http/security-headers.ts';

/**
 * The whole chain a request goes through, in order. `events` answers what belongs to connections for events. In `mountRoutes` each route asks who it is, counts the request for him
 * or for his address, asks whether he may, and only then reads the body.
 */
export const makeApp = (routes: readonly Route[], deps: ApiDeps, events?: RequestHandler): Express => {
  const { config, log, registry, clock, rateLimit } = deps;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag'); // downloads set their own; hashing every list costs more than it saves
  trustProxies(app, config.trustedProxies);
  app.use(requestId(), requestLog(log, registry));
  app.use(securityHeaders(config.headers), noStore());
  app.use(crossOrigin(config.cors));
  if (events !== undefined) app.use(events);
  app.use(mountRoutes(routes, deps));
  app.use(rateLimit.unknownPaths(), notFound());
  app.use(errorEnvelope(log, clock));
  return app;
};
