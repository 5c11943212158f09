import type { Route } from '../http/route.ts';
import { merge, patch, put, remove } from './change-field.ts';
import type { FieldServices } from './field-services.ts';
import { create, list, read } from './list-fields.ts';

export const fieldRoutes = (services: FieldServices): readonly Route[] => [
  list(services),
  create(services),
  read(services),
  put(services),
  patch(services),
  remove(services),
  merge(services),
];
