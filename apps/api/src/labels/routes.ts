import type { FixedConfig } from '@sheaf/config';
import { behindFeature } from '../http/feature.ts';
import type { Route } from '../http/route.ts';
import { patch, put, remove } from './change-label.ts';
import { assign, unassign } from './label-documents.ts';
import type { LabelServices } from './label-services.ts';
import { create, list, read } from './list-labels.ts';

export const labelRoutes = (services: LabelServices & { readonly config: Pick<FixedConfig, 'features'> }): readonly Route[] =>
  behindFeature('FEATURE_LABELS', services.config.features.labels, [
    list(services),
    create(services),
    read(services),
    put(services),
    patch(services),
    remove(services),
    assign(services),
    unassign(services),
  ]);
