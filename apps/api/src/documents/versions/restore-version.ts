import { recordAudit } from '@sheaf/accounts/users';
import { documentBody, versionParams } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { getVersion, trimVersions } from '@sheaf/documents/versions';
import { recordEvent } from '@sheaf/events';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { jsonRoute, type RequestContext, type Route } from '../../http/route.ts';
import type { DocumentServices } from '../document-services.ts';
import { lockForReplacement } from './replace-content.ts';
import { restoreAndPresent, restoreFile } from './restore-file.ts';

interface Wanted {
  readonly id: string;
  readonly version: number;
}

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
  await restoreFile(tx, document, earlier, maxAttempts);
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

export const restoreVersion = (services: DocumentServices): Route =>
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
    handle: ({ params, principal, context }) =>
      restoreAndPresent(services, principal, params.id, (tx) =>
        restoreIn(tx, params, principal, context, services.ingest.settings.current()),
      ),
  });
