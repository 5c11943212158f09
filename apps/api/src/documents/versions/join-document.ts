import { recordAudit } from '@sheaf/accounts/users';
import { reasonedError } from '@sheaf/contract';
import { documentBody, joinVersionRequest } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { deleteDocuments, readWholeDocument } from '@sheaf/documents';
import { copyLabels } from '@sheaf/documents/labels';
import { joinVersions, moveNotes, trimVersions } from '@sheaf/documents/versions';
import { recordEvent } from '@sheaf/events';
import { removeTrimmed } from '@sheaf/ingest';
import { indexDocument } from '@sheaf/search';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { idParams } from '../../http/parse-input.ts';
import { jsonRoute, type RequestContext, type Route } from '../../http/route.ts';
import type { DocumentServices } from '../document-services.ts';
import { presentDocument } from '../present-documents.ts';
import { DOCUMENT_ACTIONS, findDocuments, takeDocuments } from '../select-documents.ts';

interface Pair {
  readonly id: string;
  readonly otherId: string;
}

const takePair = async (tx: Db, principal: Principal, { id, otherId }: Pair) => {
  if (id === otherId) throw reasonedError('VALIDATION_ERROR', 'merged_into_itself');
  const taken = await takeDocuments(tx, principal, DOCUMENT_ACTIONS.replace, { ids: [id, otherId] });
  const [other] = await findDocuments(tx, principal, DOCUMENT_ACTIONS.delete.permission, { ids: [otherId] });
  const newer = taken.find((document) => document.id === id);
  if (newer === undefined || other === undefined) throw new Error('A document was taken that is not there');
  return { newer, other };
};

/** Returns the hashes of versions that are too many now. */
const joinIn = async (
  tx: Db,
  pair: Pair,
  principal: Principal,
  { address }: Pick<RequestContext, 'address'>,
  versionsKeep: number,
): Promise<string[]> => {
  const { id, otherId } = pair;
  const { newer, other } = await takePair(tx, principal, pair);
  const version = await joinVersions(tx, id, otherId);
  const labels = await copyLabels(tx, otherId, id);
  const notesCount = await moveNotes(tx, otherId, id);
  await recordAudit(tx, {
    actor: principal,
    address,
    action: 'document.versions_joined',
    outcome: 'success',
    subject: { type: 'document', id },
    details: { document_id: otherId, title: other.title, owner_id: other.ownerId, sha256: other.sha256 },
  });
  await deleteDocuments(tx, [otherId]);
  await recordEvent(tx, { type: 'document_deleted', document_id: otherId }, other.ownerId);
  await indexDocument(tx, id);
  const changes = { version, joined_document_id: otherId, notes_count: notesCount, labels };
  await recordEvent(tx, { type: 'document_updated', document_id: id, changes }, newer.ownerId);
  return trimVersions(tx, id, versionsKeep);
};

export const joinDocument = ({ database: { db }, storage, ingest: { settings } }: DocumentServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/documents/{id}/versions',
    access: 'documents.update',
    summary: 'Make another document an earlier version of this one',
    description:
      'The files of the other document become earlier versions, numbered by the time at which they were added; the file of this document stays the current one. Labels and notes of the other document are added to this one, and the other document no longer exists. Requires documents.update for both and documents.delete for the other one.',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    body: joinVersionRequest,
    status: 200,
    response: documentBody,
    handle: async ({ params: { id }, body: { document_id: otherId }, principal, context }) => {
      const trimmed = await db.transaction((tx) => joinIn(tx, { id, otherId }, principal, context, settings.current().versionsKeep));
      await removeTrimmed({ db, storage }, trimmed);
      const document = await readWholeDocument(db, principal, id);
      return presentDocument(db, principal, document, document.content);
    },
  });
