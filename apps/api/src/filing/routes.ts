import { filingListQuery } from '@sheaf/contract/documents';
import { createEntry, getEntry, listEntries, listEntriesAfter } from '@sheaf/filing';
import { rowListRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { createRoute, jsonRoute, type Route } from '../http/route.ts';
import { merge, remove, update } from './change-entries.ts';
import { CORRESPONDENT_RESOURCE, DOCUMENT_TYPE_RESOURCE, type FilingResource, type FilingServices } from './filing-resource.ts';

const routesOf = <D extends string, C, U, B extends object>(
  services: FilingServices,
  resource: FilingResource<D, C, U, B>,
): readonly Route[] => [list, create, read, update, remove, merge].flatMap((route) => route(services, resource));

export const filingRoutes = (services: FilingServices): readonly Route[] => [
  ...routesOf(services, CORRESPONDENT_RESOURCE),
  ...routesOf(services, DOCUMENT_TYPE_RESOURCE),
];

const list = <D extends string, C, U, B extends object>(
  { cursors }: FilingServices,
  { kind, path, many, body, toBody }: FilingResource<D, C, U, B>,
): Route =>
  rowListRoute({
    cursors,
    path,
    access: 'labels.read',
    mayReadReplica: true,
    summary: `List ${many} with the number of documents visible to the caller`,
    query: filingListQuery,
    name: 'data',
    item: body,
    list: (db, principal, request) => listEntries(db, kind, principal, request),
    listAfter: (db, principal, request) => listEntriesAfter(db, kind, principal, request),
    toBody,
  });

export const create = <D extends string, C, U, B extends object>(
  { database: { db } }: FilingServices,
  { kind, path, one, many, createRequest, body, toFields, toBody }: FilingResource<D, C, U, B>,
): Route =>
  createRoute({
    path,
    access: 'labels.create',
    summary: `Create ${one}; 409 with the ID of an existing one of this name`,
    description: `Names are unique, case-insensitive, among the ${many} visible to the caller.`,
    errors: { DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    body: createRequest,
    response: body,
    handle: async ({ body: request, principal }) => toBody(await createEntry(db, kind, toFields(request), principal)),
  });

const read = <D extends string, C, U, B extends object>(
  { database: { db } }: FilingServices,
  { kind, path, one, errors, body, toBody }: FilingResource<D, C, U, B>,
): Route =>
  jsonRoute({
    method: 'get',
    path: `${path}/{id}`,
    access: 'labels.read',
    summary: `Get ${one}`,
    errors,
    params: idParams,
    response: body,
    handle: async ({ params, principal }) => toBody(await getEntry(db, kind, principal, params.id)),
  });
