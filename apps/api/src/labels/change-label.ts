import { recordAudit } from '@sheaf/accounts/users';
import { reasonedError } from '@sheaf/contract';
import { createLabelRequest, type LabelBody, labelBody, labelListQuery, updateLabelRequest } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import {
  type CountedLabel,
  createLabel,
  deleteLabel,
  emitDocumentUpdates,
  getLabel,
  getParent,
  liftChildren,
  listLabels,
  listLabelsAfter,
  lockDocumentsOfLabel,
  lockLabel,
  lockLabelTree,
  moveLabel,
  updateLabel,
} from '@sheaf/documents/labels';
import type { Actor } from '../http/actor.ts';
import { rowListRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { type ChangeRoutes, changeRoutes, createRoute, emptyRoute, jsonRoute, type Route } from '../http/route.ts';
import type { LabelServices } from './label-documents.ts';

export const update = ({ database: { db } }: LabelServices): ChangeRoutes =>
  changeRoutes({
    path: '/api/labels/{id}',
    access: 'labels.update',
    summary: 'Change a label',
    description:
      'Only the given fields change; PUT and PATCH are equivalent. Documents keep the label under its new name. With `parent_id` the documents of the label also get the labels above it; they keep what they had. Returns 409 with the ID of the other label if the name is in use by a label visible to the caller.',
    errors: { LABEL_NOT_FOUND: 'NOT_FOUND', DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    params: idParams,
    body: updateLabelRequest,
    response: labelBody,
    present: async ({ params, principal }, reader) => toLabelBody(await getLabel(reader, principal, params.id)),
    handle: async ({ params: { id }, body, principal, context }) => {
      const { parent_id: parentId } = body;
      if (parentId !== undefined) await getLabel(db, principal, id); // before anything is locked
      await db.transaction(async (tx) => {
        if (parentId !== undefined) {
          await lockLabelTree(tx);
          await lockDocumentsOfLabel(tx, id);
        }
        const label = await lockLabel(tx, principal, 'labels.update', id, 'no key update');
        if (!label.isAllowed) throw reasonedError('FORBIDDEN', 'not_your_own');
        await context.requireMatch(tx);
        await updateLabel(tx, principal, id, {
          ...(body.name === undefined ? {} : { name: body.name }),
          ...(body.color === undefined ? {} : { color: body.color }),
          ...(body.description === undefined ? {} : { description: body.description }),
        });
        const hasAdded = parentId !== undefined && (await moveLabel(tx, principal, id, parentId));
        const isRenamed = body.name !== undefined && body.name !== label.name;
        if (isRenamed || hasAdded) await emitDocumentUpdates(tx, id, { isGoing: false });
      });
      return toLabelBody(await getLabel(db, principal, id));
    },
  });

/** Deletes a label; those below it move up. Throws LABEL_NOT_FOUND, and FORBIDDEN where the principal may read but not delete it. */
export const removeLabel = async (tx: Db, { principal, address }: Actor, id: string): Promise<void> => {
  await lockLabelTree(tx);
  await lockDocumentsOfLabel(tx, id);
  const label = await lockLabel(tx, principal, 'labels.delete', id, 'update');
  if (!label.isAllowed) throw reasonedError('FORBIDDEN', 'not_your_own');
  await emitDocumentUpdates(tx, id, { isGoing: true });
  await liftChildren(tx, id);
  await deleteLabel(tx, id);
  await recordAudit(tx, {
    actor: principal,
    address,
    action: 'label.deleted',
    outcome: 'success',
    subject: { type: 'label', id },
    details: { name: label.name },
  });
};

export const remove = ({ database: { db } }: LabelServices): Route =>
  emptyRoute({
    method: 'delete',
    path: '/api/labels/{id}',
    access: 'labels.delete',
    summary: 'Delete a label; its documents remain, and labels below it move up',
    done: 'Deleted',
    errors: { LABEL_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    handle: async ({ params: { id }, principal, context: { address } }) => {
      await getLabel(db, principal, id); // before anything is locked, so that nobody holds up what is not theirs
      await db.transaction((tx) => removeLabel(tx, { principal, address }, id));
    },
  });

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
  createRoute({
    path: '/api/labels',
    access: 'labels.create',
    summary: 'Create a label; 409 with the ID of an existing label of this name',
    description: 'Names are unique, case-insensitive, among the labels visible to the caller.',
    errors: { DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    body: createLabelRequest,
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
    response: labelBody,
    handle: async ({ params, principal }) => toLabelBody(await getLabel(database.db, principal, params.id)),
  });

export const toLabelBody = (label: CountedLabel): LabelBody => ({
  id: label.id,
  name: label.name,
  color: label.color,
  description: label.description,
  parent_id: label.parentId,
  path: [...label.path],
  document_count: label.documents,
  created_by: label.createdBy,
  created_at: label.createdAt.toISOString(),
});
