import { createLabelRequest, labelBody, labelListQuery } from '@sheaf/contract/documents';
import { createLabel, getLabel, getParent, listLabels, listLabelsAfter, lockLabelTree } from '@sheaf/documents/labels';
import { rowListRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { toLabelBody } from './label-body.ts';
import type { LabelServices } from './label-services.ts';

export const list = ({ cursors }: LabelServices): Route =>
  rowListRoute({
    cursors,
    path: '/api/labels',
    access: 'labels.read',
    mayReadReplica: true,
    summary: 'List labels with the number of documents visible to the caller',
    query: labelListQuery,
    name: 'labels',
    item: labelBody,
    list: listLabels,
    listAfter: listLabelsAfter,
    toBody: toLabelBody,
  });

export const create = ({ database: { db } }: LabelServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/labels',
    access: 'labels.create',
    summary: 'Create a label; 409 with the ID of an existing label of this name',
    description: 'Names are unique, case-insensitive, among the labels visible to the caller.',
    errors: { DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    body: createLabelRequest,
    status: 201,
    response: labelBody,
    handle: ({ body: { parent_id: parentId = null, ...fields }, principal }) =>
      db.transaction(async (tx) => {
        if (parentId !== null) await lockLabelTree(tx);
        const parent = parentId === null ? undefined : await getParent(tx, principal, parentId);
        return toLabelBody(await createLabel(tx, fields, parent, principal));
      }),
  });

export const read = ({ database }: LabelServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/labels/{id}',
    access: 'labels.read',
    summary: 'Get a label',
    errors: { LABEL_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    status: 200,
    response: labelBody,
    handle: async ({ params, principal }) => toLabelBody(await getLabel(database.db, principal, params.id)),
  });
