import { behindFeature } from '../http/feature.ts';
import type { Route } from '../http/route.ts';
import { patch, put, remove } from './change-source.ts';
import { create } from './create-source.ts';
import { list, read } from './list-sources.ts';
import { health } from './source-health.ts';
import type { SourceServices } from './source-services.ts';
import { cancel, status, sync } from './sync-source.ts';
import { test } from './test-source.ts';

export const sourceRoutes = (services: SourceServices): readonly Route[] =>
  behindFeature('FEATURE_SOURCES', services.config.sources.enabled, [
    list(services),
    create(services),
    test(services),
    read(services),
    put(services),
    patch(services),
    remove(services),
    sync(services),
    status(services),
    cancel(services),
    health(services),
  ]);
