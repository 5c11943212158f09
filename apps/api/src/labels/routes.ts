import { recordAudit } from '@sheaf/accounts/users';
import type { FixedConfig } from '@sheaf/config';
import { permissionNeeded, reasonedError } from '@sheaf/contract';
import {
  createLabelRequest,
  type LabelBody,
  labelBody,
  labelDocumentsRequest,
  labelListQuery,
  updateLabelRequest,
} from '@sheaf/contract/documents';
import type { Database, Db } from '@sheaf/db';
import { type SelectedDocument, touchDocuments } from '@sheaf/documents';
import {
  addLabelsToDocuments,
  type CountedLabel,
  createLabel,
  deleteLabel,
  emitDocumentUpdates,
  getLabel,
  getParent,
  liftChildren,
  listLabelNames,
  listLabels,
  listLabelsAfter,
  lockDocumentsOfLabel,
  lockLabel,
  lockLabelTree,
  moveLabel,
  removeLabelsFromDocuments,
  updateLabel,
} from '@sheaf/documents/labels';
import { recordEvents } from '@sheaf/events';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { DOCUMENT_ACTIONS, takeDocuments } from '../documents/select-documents.ts';
import type { Actor } from '../http/authenticate.ts';
import { type Cursors, rowListRoute } from '../http/list-route.ts';
import { behindFeature } from '../http/offered-routes.ts';
import { idParams } from '../http/parse-input.ts';
import { type ChangeRoutes, changeRoutes, createRoute, emptyRoute, jsonRoute, type Route } from '../http/route.ts';

type Change = 'add_labels' | 'remove_labels';

/** Puts the label on the documents, or takes it off, and says so for those that this changes; answers how many. */
const change = async (tx: Db, how: Change, documents: readonly SelectedDocument[], labelId: string): Promise<number> => {
  const act = how === 'add_labels' ? addLabelsToDocuments : removeLabelsFromDocuments;
  const changed = await act(
    tx,
    documents.map(({ id }) => id),
    [labelId],
  );
  const ids = [...changed];
  const names = await listLabelNames(tx, ids);
  await touchDocuments(tx, ids);
  await recordEvents(
    tx,
    documents
      .filter(({ id }) => changed.has(id))
      .map(({ id, ownerId }) => ({
        event: { type: 'document_updated', document_id: id, changes: { labels: names.get(id) ?? [] } },
        ownerId,
      })),
  );
  return changed.size;
};

interface ChangeRequest {
  readonly params: { readonly id: string };
  readonly body: { readonly document_ids: readonly string[] };
  readonly principal: Principal;
}

/** Answers how many documents were changed. Documents before labels, as everyone locks them. */
const changeDocuments = async (db: Db, how: Change, { params: { id }, body, principal }: ChangeRequest): Promise<number> => {
  if (scopeOf(principal.permissions, 'documents.update') === 'none') throw permissionNeeded('documents.update');
  return db.transaction(async (tx) => {
    const documents = await takeDocuments(tx, principal, DOCUMENT_ACTIONS[how], { ids: [...new Set(body.document_ids)] });
    const label = await lockLabel(tx, principal, 'labels.update', id, 'key share');
    if (!label.isAllowed) throw reasonedError('FORBIDDEN', 'not_your_own');
    return change(tx, how, documents, id);
  });
};

const DESCRIPTION =
  'All or nothing: documents the caller cannot see return 404 with `document_ids`, documents the caller cannot change return 403.';

interface ChangeRoute {
  readonly path: string;
  readonly summary: string;
  /** What the number of documents is called in the answer. */
  readonly answer: string;
}

const changeRoute = ({ database: { db } }: LabelServices, how: Change, { path, summary, answer }: ChangeRoute): Route =>
  jsonRoute({
    method: 'post',
    path,
    access: 'labels.update',
    summary,
    description: DESCRIPTION,
    errors: { LABEL_NOT_FOUND: 'NOT_FOUND', DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    body: labelDocumentsRequest,
    response: z.strictObject({ [answer]: z.int() }),
    handle: async (request) => ({ [answer]: await changeDocuments(db, how, request) }),
  });

export const assign = (services: LabelServices): Route =>
  changeRoute(services, 'add_labels', {
    path: '/api/labels/{id}/assign',
    summary: 'Add the label to documents; returns how many were changed',
    answer: 'assigned',
  });

export const unassign = (services: LabelServices): Route =>
  changeRoute(services, 'remove_labels', {
    path: '/api/labels/{id}/unassign',
    summary: 'Remove the label from documents; returns how many were changed',
    answer: 'unassigned',
  });

/** What the routes of labels use. */
export interface LabelServices {
  readonly database: Database;
  readonly cursors: Cursors;
}

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

export const labelRoutes = (services: LabelServices & { readonly config: Pick<FixedConfig, 'features'> }): readonly Route[] =>
  behindFeature('FEATURE_LABELS', services.config.features.labels, [
    list(services),
    create(services),
    read(services),
    ...update(services),
    remove(services),
    assign(services),
    unassign(services),
  ]);
