import type { Route } from '../http/route.ts';
import { merge, patch, put, remove } from './change-entries.ts';
import { CORRESPONDENT_RESOURCE, DOCUMENT_TYPE_RESOURCE, type FilingResource, type FilingServices } from './filing-resource.ts';
import { create, list, read } from './read-entries.ts';

const routesOf = <D extends string, C, U, B extends object>(
  services: FilingServices,
  resource: FilingResource<D, C, U, B>,
): readonly Route[] => [list, create, read, put, patch, remove, merge].map((route) => route(services, resource));

export const filingRoutes = (services: FilingServices): readonly Route[] => [
  ...routesOf(services, CORRESPONDENT_RESOURCE),
  ...routesOf(services, DOCUMENT_TYPE_RESOURCE),
];
