import type { Config } from '@sheaf/config';
import { behindFeature } from '../http/feature.ts';
import type { Route } from '../http/route.ts';
import { patch, put, remove } from './change-label.ts';
import { assign, unassign } from './label-documents.ts';
import { create, list, read } from './list-labels.ts';

export const labelRoutes = (config: Config): readonly Route[] =>
  behindFeature('FEATURE_LABELS', config.features.labels, [list, create, read, put, patch, remove, assign, unassign]);
