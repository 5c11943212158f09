import type { Config } from '@sheaf/config';
import { authRoutes } from './auth/routes.ts';
import { documentRoutes } from './documents/routes.ts';
import { healthRoutes } from './health/routes.ts';
import type { Route } from './http/route.ts';
import { labelRoutes } from './labels/routes.ts';
import { openApiRoutes } from './openapi/routes.ts';
import { queueRoutes } from './queue/routes.ts';
import { searchRoutes } from './search/routes.ts';

/** Everything the api answers to. */
export const allRoutes = (config: Config): readonly Route[] => {
  const routes: readonly Route[] = [
    ...authRoutes,
    ...documentRoutes,
    ...labelRoutes(config),
    ...queueRoutes,
    ...searchRoutes,
    ...healthRoutes(config),
    ...openApiRoutes(() => routes),
  ];
  return routes;
};
