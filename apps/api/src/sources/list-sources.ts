import { sourceBody, sourceListQuery } from '@sheaf/contract/sources';
import { getSource, listSources, listSourcesAfter } from '@sheaf/sources';
import { rowListRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { toSourceBody } from './source-body.ts';
import type { SourceServices } from './source-services.ts';

export const list = ({ cursors }: SourceServices): Route =>
  rowListRoute({
    cursors,
    path: '/api/sources',
    access: 'sources.read',
    summary: 'List sources with the number of documents visible to the caller',
    query: sourceListQuery,
    name: 'sources',
    item: sourceBody,
    list: listSources,
    listAfter: listSourcesAfter,
    toBody: toSourceBody,
  });

export const read = ({ database }: SourceServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/sources/{id}',
    access: 'sources.read',
    summary: 'Get a source',
    errors: { SOURCE_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    status: 200,
    response: sourceBody,
    handle: async ({ params, principal }) => toSourceBody(await getSource(database.db, principal, params.id)),
  });
