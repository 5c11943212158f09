import type { Db } from '@sheaf/db';
import { type FilingEntry, getEntry, listEntries } from '@sheaf/filing';
import { numbersOf } from '@sheaf/paperless';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { remove as removeOwn, update as updateOwn } from '../filing/change-entries.ts';
import { CORRESPONDENT_RESOURCE, DOCUMENT_TYPE_RESOURCE, type FilingResource } from '../filing/filing-resource.ts';
import { create as createOwn } from '../filing/routes.ts';
import { changeRoutes, createRoute, jsonRoute, type Route } from '../http/route.ts';
import { askRoute, deleteRoute } from './ask-route.ts';
import { type PaperlessEntry, paperlessEntry } from './bodies.ts';
import { entryFields, entryShown, foreignFields, pageOfEntries, refuseForeignFields } from './entries.ts';
import { pageBody } from './paging.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { type AnyQuery, anyQuery, numberParams, presentOne, requireNumber } from './query.ts';
import { requestBody } from './request-body.ts';
import { PAPERLESS_PREFIX } from './requests.ts';

/** Entries of one answer. */
const MAX_ENTRIES = 10_000;

/** Correspondents or document types, as Paperless names them. */
interface Kind<D extends string, C, U, B extends object> {
  readonly name: 'correspondent' | 'document_type';
  readonly path: '/correspondents' | '/document_types';
  readonly own: FilingResource<D, C, U, B>;
}

const named = z.looseObject({ id: z.uuid() });
const entryRequest = requestBody({ name: z.string().optional(), ...foreignFields }, paperlessEntry, ['last_correspondence']);

interface Asked {
  readonly query: AnyQuery;
  readonly principal: Principal;
}

const present = async <D extends string>(
  db: Db,
  name: Kind<D, unknown, unknown, object>['name'],
  entries: readonly FilingEntry<D>[],
  { query, principal }: Asked,
): Promise<PaperlessEntry[]> => {
  const numberOf = await numbersOf(
    db,
    entries.map(({ id }) => ({ kind: name, id })),
  );
  const shown = entryShown(query, principal, scopeOf(principal.permissions, 'labels.update'));
  return entries.map((entry) =>
    entryFields(numberOf(name, entry.id), { name: entry.name, document_count: entry.documents, created_by: entry.createdBy }, shown),
  );
};

const routesOf = <D extends string, C, U, B extends object>(services: PaperlessServices, kind: Kind<D, C, U, B>): readonly Route[] => {
  const { db } = services.database;
  const { name, own } = kind;
  const path = `${PAPERLESS_PREFIX}${kind.path}`;
  const one = { path: `${path}/{id}`, params: numberParams, query: anyQuery } as const;
  const readOne = async (id: string, asked: Asked): Promise<PaperlessEntry> =>
    presentOne(await present(db, name, [await getEntry(db, own.kind, asked.principal, id)], asked));
  return [
    jsonRoute({
      method: 'get',
      path,
      access: 'labels.read',
      summary: `List ${own.many}`,
      query: anyQuery,
      response: pageBody(paperlessEntry),
      handle: async (input) => {
        const { rows } = await listEntries(db, own.kind, input.principal, { page: 1, perPage: MAX_ENTRIES, sort: 'name', order: 'asc' });
        return pageOfEntries(await present(db, name, rows, input), { ...input, path: kind.path });
      },
    }),
    createRoute({
      path,
      access: 'labels.create',
      summary: `Create ${own.one}`,
      query: anyQuery,
      body: entryRequest,
      response: paperlessEntry,
      handle: async ({ body, ...input }) => {
        await refuseForeignFields(db, input.principal, body);
        const { id } = await askRoute(createOwn(services, own), named, { ...input, query: {}, body: { name: body.name } });
        return readOne(id, input);
      },
    }),
    jsonRoute({
      ...one,
      method: 'get',
      access: 'labels.read',
      summary: `Get ${own.one}`,
      response: paperlessEntry,
      handle: async ({ params, ...input }) => readOne(await requireNumber(db, name, params), input),
    }),
    ...changeRoutes({
      ...one,
      access: 'labels.update',
      summary: `Change ${own.one}`,
      body: entryRequest,
      response: paperlessEntry,
      handle: async ({ params, body, ...input }) => {
        const id = await requireNumber(db, name, params);
        await refuseForeignFields(db, input.principal, body);
        if (body.name !== undefined)
          await askRoute(updateOwn(services, own)[0], named, { ...input, params: { id }, query: {}, body: { name: body.name } });
        return readOne(id, input);
      },
    }),
    deleteRoute(db, name, removeOwn(services, own), {
      path: one.path,
      access: 'labels.delete',
      summary: `Delete ${own.one}; its documents remain`,
    }),
  ];
};

export const correspondentRoutes = (services: PaperlessServices): readonly Route[] =>
  routesOf(services, { name: 'correspondent', path: '/correspondents', own: CORRESPONDENT_RESOURCE });

export const documentTypeRoutes = (services: PaperlessServices): readonly Route[] =>
  routesOf(services, { name: 'document_type', path: '/document_types', own: DOCUMENT_TYPE_RESOURCE });
