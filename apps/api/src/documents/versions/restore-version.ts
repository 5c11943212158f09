import { reasonedError } from '@sheaf/contract';
import { documentBody, versionParams } from '@sheaf/contract/documents';
import { type Db, violates } from '@sheaf/db';
import { lockStoredBytes, readWholeDocument } from '@sheaf/documents';
import { findOtherByHash, getVersion, restoreContent, trimVersions } from '@sheaf/documents/versions';
import { recordEvent } from '@sheaf/events';
import { removeTrimmed } from '@sheaf/ingest';
import { enqueueJobs, markPending } from '@sheaf/ocr-queue';
import { indexDocument } from '@sheaf/search';
import { recordAudit } from '@sheaf/users';
import { CONTENT_EXCERPT_CHARACTERS } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { jsonRoute, type RequestContext, type Route } from '../../http/route.ts';
import type { DocumentServices } from '../document-services.ts';
import { presentDocument } from '../present-documents.ts';
import { lockForReplacement } from './replace-content.ts';

interface Wanted {
  readonly id: string;
  readonly version: number;
}

const fileOfAnother = (documentId: string | undefined) =>
  reasonedError('DUPLICATE_RESOURCE', 'duplicate_file', { document_id: documentId ?? null, requeued: false });

/** Returns the hashes of versions that are too many now. */
const restoreIn = async (
  tx: Db,
  { id, version }: Wanted,
  principal: Principal,
  { address }: Pick<RequestContext, 'address'>,
  { maxAttempts, versionsKeep }: { readonly maxAttempts: number; readonly versionsKeep: number },
): Promise<string[]> => {
  const document = await lockForReplacement(tx, principal, id);
  const earlier = await getVersion(tx, document, version);
  if (earlier.isCurrent || earlier.sha256 === document.sha256) return [];
  await lockStoredBytes(tx, earlier.sha256, 'share');
  const other = await findOtherByHash(tx, document.ownerId, earlier.sha256, id);
  if (other !== undefined) throw fileOfAnother(other);
  await restoreContent(tx, id, version, CONTENT_EXCERPT_CHARACTERS);
  await markPending(tx, id);
  // its pages are there, so that nothing is recognised again: what is left are the facts, the e-invoice and the rules
  await enqueueJobs(tx, [id], { maxAttempts, priority: 'high' });
  await indexDocument(tx, id);
  const { sha256, sizeBytes: size, filename, mimeType } = earlier;
  const changes = {
    version: document.version + 1,
    restored_version: version,
    filename,
    sha256,
    size,
    mime_type: mimeType,
    status: 'pending',
  };
  await recordEvent(tx, { type: 'document_updated', document_id: id, changes }, document.ownerId);
  await recordAudit(tx, {
    actor: principal,
    address,
    action: 'document.version_restored',
    outcome: 'success',
    subject: { type: 'document', id },
    details: { restored_version: version, version: document.version + 1, sha256, previous_sha256: document.sha256 },
  });
  return trimVersions(tx, id, versionsKeep);
};

export const restoreVersion = ({ database: { db }, storage, ingest: { settings } }: DocumentServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/documents/{id}/versions/{version}/restore',
    access: 'documents.update',
    summary: 'Make an earlier version the newest one',
    description:
      'Adds a new version with the file and the text of the earlier one; nothing is recognized again. The current version changes nothing. If another document of the owner has this file by now, returns 409 with its ID.',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', VERSION_NOT_FOUND: 'NOT_FOUND', DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    params: versionParams,
    status: 200,
    response: documentBody,
    handle: async ({ params, principal, context }) => {
      try {
        const trimmed = await db.transaction((tx) => restoreIn(tx, params, principal, context, settings.current()));
        await removeTrimmed({ db, storage }, trimmed);
      } catch (error) {
        if (violates(error, 'documents_owner_sha256_key')) throw fileOfAnother(undefined); // uploaded in this moment
        throw error;
      }
      const document = await readWholeDocument(db, principal, params.id);
      return presentDocument(db, principal, document, document.content);
    },
  });
