import express, { type Express } from 'express';
import type { ApiDeps } from './deps.ts';
import { errorEnvelope, notFound } from './http/errors.ts';
import { mountRoutes } from './http/mount.ts';
import { requestId } from './http/request-id.ts';
import { requestLog } from './http/request-log.ts';
import type { Route } from './http/route.ts';

/** The whole chain a request goes through, in order. */
export const makeApp = (routes: readonly Route[], deps: ApiDeps): Express => {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag'); // downloads set their own; hashing every list costs more than it saves
  app.use(requestId(), requestLog(deps.log, deps.registry), mountRoutes(routes, deps), notFound(), errorEnvelope(deps.log, deps.clock));
  return app;
};
