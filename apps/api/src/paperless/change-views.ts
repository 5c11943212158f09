import { savedSearchBody } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import type { ViewRule } from '@sheaf/db/schema';
import { numbersOf, ownNames, readRules, refuseField } from '@sheaf/paperless';
import { PAPERLESS_SORTS } from '@sheaf/paperless/archive';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { type ChangeRoutes, changeRoutes, createRoute, type Route } from '../http/route.ts';
import { create as createOwn, remove as removeOwn, update as updateOwn } from '../saved-searches/routes.ts';
import { askRoute, deleteRoute } from './ask-route.ts';
import { refusePeople, requireOwner } from './document-changes.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { anyQuery, numberParams, requireNumber } from './query.ts';
import { requestBody } from './request-body.ts';
import { readView, VIEWS_PATH, viewBody } from './saved-views.ts';

const MAX_RULES = 200;

const viewRequest = requestBody(
  {
    name: z.string().optional(),
    show_in_sidebar: z.boolean().nullish(),
    sort_field: z.string().max(100).nullish(),
    sort_reverse: z.boolean().nullish(),
    filter_rules: z
      .array(requestBody({ rule_type: z.int(), value: z.string().max(10_000).nullish() }))
      .max(MAX_RULES)
      .optional(),
    owner: z.int().nullish(),
    set_permissions: z.unknown().optional(),
  },
  viewBody,
  ['permissions'],
);
type ViewRequest = z.infer<typeof viewRequest>;

const sortOf = (field: string | null | undefined): string | undefined => {
  if (field === undefined || field === null || field === '') return undefined;
  const sort = Object.hasOwn(PAPERLESS_SORTS, field) ? PAPERLESS_SORTS[field] : undefined;
  if (sort === undefined) throw refuseField('sort_field', `"${field}" is not supported.`);
  return sort;
};

/** The request in our own terms. What Paperless keeps for its own web client, such as columns, is ignored. */
const toRequest = async (db: Db, principal: Principal, request: ViewRequest): Promise<Record<string, unknown>> => {
  const { name, show_in_sidebar: isPinned, sort_field: field, sort_reverse: isReverse, filter_rules: rules } = request;
  refusePeople(request.set_permissions);
  await requireOwner(db, principal.userId, request.owner);
  const sort = sortOf(field);
  const given = rules?.map(({ rule_type, value = null }) => ({ rule_type, value }));
  const search =
    given === undefined ? {} : { ...(await readRules(ownNames(db, principal), given, { refuse: refuseRule })), view_rules: given };
  return {
    ...(name === undefined ? {} : { name }),
    ...(sort === undefined ? {} : { sort }),
    ...(typeof isReverse === 'boolean' ? { order: isReverse ? 'desc' : 'asc' } : {}),
    ...(typeof isPinned === 'boolean' ? { is_pinned: isPinned } : {}),
    ...search,
  };
};

export const create = (services: PaperlessServices): Route =>
  createRoute({
    path: VIEWS_PATH,
    access: 'search.query',
    summary: 'Save a search',
    query: anyQuery,
    body: viewRequest,
    response: viewBody,
    handle: async ({ body, principal, context }) => {
      const { db } = services.database;
      const request = { sort: 'document_date', ...(await toRequest(db, principal, body)) };
      const { id } = await askRoute(createOwn(services), savedSearchBody, { body: request, principal, context });
      return readView(db, principal, (await numbersOf(db, [{ kind: 'saved_view', id }]))('saved_view', id));
    },
  });

export const update = (services: PaperlessServices): ChangeRoutes =>
  changeRoutes({
    path: `${VIEWS_PATH}/{id}`,
    access: 'search.query',
    summary: 'Change a saved search',
    params: numberParams,
    query: anyQuery,
    body: viewRequest,
    response: viewBody,
    handle: async ({ params, body, principal, context }) => {
      const { db } = services.database;
      const id = await requireNumber(db, 'saved_view', params);
      await readView(db, principal, Number(params.id));
      const request = await toRequest(db, principal, body);
      if (Object.keys(request).length > 0)
        await askRoute(updateOwn(services)[0], savedSearchBody, { params: { id }, body: request, principal, context });
      return readView(db, principal, Number(params.id));
    },
  });

export const remove = (services: PaperlessServices): Route =>
  deleteRoute(services.database.db, 'saved_view', removeOwn(services), {
    path: `${VIEWS_PATH}/{id}`,
    access: 'search.query',
    summary: 'Delete a saved search',
  });

/** Throws VALIDATION_ERROR for a rule that makes no sense. */
const refuseRule = (_rules: readonly ViewRule[], reason: string): never => {
  throw refuseField('filter_rules', reason);
};
