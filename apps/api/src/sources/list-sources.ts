import { paginationBody, sourceBody, sourceListQuery, toPagination } from '@sheaf/contract';
import { getSource, listSources } from '@sheaf/db';
import { z } from 'zod';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute } from '../http/route.ts';
import { toSourceBody } from './source-body.ts';

export const list = jsonRoute({
  method: 'get',
  path: '/api/sources',
  access: 'sources.read',
  summary: 'The sources, each with the number of its documents that the caller may read',
  query: sourceListQuery,
  status: 200,
  response: z.strictObject({ sources: z.array(sourceBody), pagination: paginationBody }),
  handle: async ({ query, principal }, { database }) => {
    const { page, per_page, sort, order } = query;
    const { rows, total } = await listSources(database.db, principal, { page, perPage: per_page, sort, order });
    return { sources: rows.map(toSourceBody), pagination: toPagination(query, total) };
  },
});

export const read = jsonRoute({
  method: 'get',
  path: '/api/sources/{id}',
  access: 'sources.read',
  summary: 'One source',
  errors: { SOURCE_NOT_FOUND: 'NOT_FOUND' },
  params: idParams,
  status: 200,
  response: sourceBody,
  handle: async ({ params, principal }, { database }) => toSourceBody(await getSource(database.db, principal, params.id)),
});
