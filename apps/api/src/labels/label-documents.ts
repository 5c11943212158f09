import { permissionNeeded, reasonedError } from '@sheaf/contract';
import { labelDocumentsRequest } from '@sheaf/contract/documents';
import type { Database, Db } from '@sheaf/db';
import { type SelectedDocument, touchDocuments } from '@sheaf/documents';
import { addLabelsToDocuments, listLabelNames, lockLabel, removeLabelsFromDocuments } from '@sheaf/documents/labels';
import { recordEvents } from '@sheaf/events';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { DOCUMENT_ACTIONS, takeDocuments } from '../documents/select-documents.ts';
import type { Cursors } from '../http/cursor.ts';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';

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
