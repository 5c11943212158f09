import type { FixedConfig } from '@sheaf/config';
import { behindFeature } from '../http/feature.ts';
import type { Route } from '../http/route.ts';
import { create, list, read, remove, update } from './change-label.ts';
import { assign, type LabelServices, unassign } from './label-documents.ts';

export const labelRoutes = (services: LabelServices & { readonly config: Pick<FixedConfig, 'features'> }): readonly Route[] =>
  behindFeature('FEATURE_LABELS', services.config.features.labels, [
    list(services),
    create(services),
    read(services),
    ...update(services),
    remove(services),
    assign(services),
    unassign(services),
  ]);
