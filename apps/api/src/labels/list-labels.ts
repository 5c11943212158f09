import { createLabelRequest, labelBody, labelListQuery } from '@sheaf/contract';
import { createLabel, getLabel, listLabels, listLabelsAfter } from '@sheaf/db';
import { listRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { toLabelBody } from './label-body.ts';
import type { LabelServices } from './label-services.ts';

export const list = ({ database, cursors }: LabelServices): Route =>
  listRoute({
    cursors,
    path: '/api/labels',
    access: 'labels.read',
    summary: 'The labels, each with the number of its documents that the caller may read',
    query: labelListQuery,
    name: 'labels',
    item: labelBody,
    page: async ({ query: { page, per_page: perPage, ...filter }, principal }) => {
      const { rows, total } = await listLabels(database.db, principal, { page, perPage, ...filter });
      return { rows: rows.map(toLabelBody), total };
    },
    cut: async ({ query, principal }, part) => {
      const { rows, next } = await listLabelsAfter(database.db, principal, { ...query, ...part });
      return { rows: rows.map(toLabelBody), next };
    },
  });

export const create = ({ database }: LabelServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/labels',
    access: 'labels.create',
    summary: 'Make a label; 409 with its id where one has the name already',
    description:
      'Names are unique, ignoring case, among the labels that the caller may read. A name that only labels of others have is free.',
    errors: { DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    body: createLabelRequest,
    status: 201,
    response: labelBody,
    handle: async ({ body, principal }) => toLabelBody(await createLabel(database.db, body, principal)),
  });

export const read = ({ database }: LabelServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/labels/{id}',
    access: 'labels.read',
    summary: 'One label',
    errors: { LABEL_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    status: 200,
    response: labelBody,
    handle: async ({ params, principal }) => toLabelBody(await getLabel(database.db, principal, params.id)),
  });
