import type { Config } from '@sheaf/config';
import { behindFeature } from '../http/feature.ts';
import type { Route } from '../http/route.ts';
import { patch, put, remove } from './change-source.ts';
import { create } from './create-source.ts';
import { list, read } from './list-sources.ts';
import { health } from './source-health.ts';
import { cancel, status, sync } from './sync-source.ts';
import { test } from './test-source.ts';

export const sourceRoutes = (config: Config): readonly Route[] =>
  behindFeature('FEATURE_SOURCES', config.sources.enabled, [list, create, test, read, put, patch, remove, sync, status, cancel, health]);
