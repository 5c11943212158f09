import type { Config } from '@sheaf/config';
import { analyticsRoutes } from './analytics/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { type Federation, federationRoutes } from './auth/federation.ts';
import { mfaRoutes } from './auth/mfa-routes.ts';
import { authRoutes } from './auth/routes.ts';
import { authTestRoutes } from './auth/test-route.ts';
import { deliveryRoutes } from './deliveries/routes.ts';
import { documentRoutes } from './documents/routes.ts';
import { healthRoutes } from './health/routes.ts';
import type { Route } from './http/route.ts';
import { routesOfVersion, withVersion2 } from './http/versions.ts';
import { ingestRoutes } from './ingest/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { labelRoutes } from './labels/routes.ts';
import { notificationRoutes } from './notifications/routes.ts';
import { openApiRoutes } from './openapi/routes.ts';
import { queueRoutes } from './queue/routes.ts';
import { searchRoutes } from './search/routes.ts';
import { settingsRoutes } from './settings/routes.ts';
import { sourceRoutes } from './sources/routes.ts';
import { userRoutes } from './users/routes.ts';

/** Everything the api answers to. `federation` is what stands behind the routes of identity providers. */
export const allRoutes = (config: Config, federation?: Federation): readonly Route[] => {
  const routes: readonly Route[] = [
    ...authRoutes(config),
    ...authTestRoutes,
    ...mfaRoutes(config),
    ...federationRoutes(config, federation),
    ...keyRoutes(config),
    ...userRoutes,
    ...auditRoutes,
    ...documentRoutes,
    ...labelRoutes(config),
    ...queueRoutes,
    ...sourceRoutes(config),
    ...ingestRoutes,
    ...notificationRoutes(config),
    ...deliveryRoutes(config),
    ...settingsRoutes,
    ...searchRoutes(config),
    ...analyticsRoutes(config),
    ...healthRoutes(config),
    ...openApiRoutes((version) => routesOfVersion(served, version)),
  ];
  const served = config.features.apiV2 ? withVersion2(routes) : routes;
  return served;
};
