import { createLabelRequest, labelBody, labelListQuery, paginationBody, toPagination } from '@sheaf/contract';
import { createLabel, getLabel, listLabels } from '@sheaf/db';
import { z } from 'zod';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute } from '../http/route.ts';
import { toLabelBody } from './label-body.ts';

export const list = jsonRoute({
  method: 'get',
  path: '/api/labels',
  access: 'labels.read',
  summary: 'The labels, each with the number of its documents that the caller may read',
  query: labelListQuery,
  status: 200,
  response: z.strictObject({ labels: z.array(labelBody), pagination: paginationBody }),
  handle: async ({ query, principal }, { database }) => {
    const { page, per_page, sort, order, q } = query;
    const { rows, total } = await listLabels(database.db, principal, { page, perPage: per_page, sort, order, q });
    return { labels: rows.map(toLabelBody), pagination: toPagination(query, total) };
  },
});

export const create = jsonRoute({
  method: 'post',
  path: '/api/labels',
  access: 'labels.create',
  summary: 'Make a label; 409 with its id where one has the name already',
  errors: { DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
  body: createLabelRequest,
  status: 201,
  response: labelBody,
  handle: async ({ body, principal }, { database }) => toLabelBody(await createLabel(database.db, body, principal)),
});

export const read = jsonRoute({
  method: 'get',
  path: '/api/labels/{id}',
  access: 'labels.read',
  summary: 'One label',
  errors: { LABEL_NOT_FOUND: 'NOT_FOUND' },
  params: idParams,
  status: 200,
  response: labelBody,
  handle: async ({ params, principal }, { database }) => toLabelBody(await getLabel(database.db, principal, params.id)),
});
