import type { Config } from '@sheaf/config';
import { authRoutes } from './auth/routes.ts';
import { documentRoutes } from './documents/routes.ts';
import { healthRoutes } from './health/routes.ts';
import type { Route } from './http/route.ts';
import { queueRoutes } from './queue/routes.ts';
import { searchRoutes } from './search/routes.ts';

/** Everything the api answers to. */
export const allRoutes = (config: Config): readonly Route[] => [
  ...authRoutes,
  ...documentRoutes,
  ...queueRoutes,
  ...searchRoutes,
  ...healthRoutes(config),
];
