import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { replaceContent, trimVersions } from '@sheaf/documents/versions';
import { recordEvent } from '@sheaf/events';
import { queueReading } from '@sheaf/queue';
import type { IngestDeps, IngestSettings } from '../incoming-file.ts';
import { removeStoredBytes } from '../sweep.ts';
import type { Arrival, StoredAt } from '../take-in.ts';

/**
 * Makes an arrival the newest version of a document, whose row and job are locked, and has it processed. Its text stays until then, its
 * title, its labels and what people have set for ever. Returns the hashes of versions that are too many now: `removeTrimmed` takes them.
 */
export const putVersion = async (
  tx: Db,
  document: Document,
  arrival: Arrival,
  { filePath }: StoredAt,
  { maxAttempts, versionsKeep }: IngestSettings,
): Promise<string[]> => {
  const { filename, mimeType, route: source, sourceId = null } = arrival;
  const { sha256, sizeBytes } = arrival.received;
  await replaceContent(tx, document.id, { sha256, sizeBytes, mimeType, filePath, filename, source, sourceId });
  await queueReading(tx, [document.id], { maxAttempts });
  const changes = { version: document.version + 1, filename, sha256, size: sizeBytes, mime_type: mimeType, status: 'pending' };
  await recordEvent(tx, { type: 'document_updated', document_id: document.id, changes }, document.ownerId);
  return trimVersions(tx, document.id, versionsKeep);
};

/**
 * Removes the bytes of versions that were trimmed, as far as no row refers to them. After the commit: what stays because the process ends
 * here, a backup runs or the storage is away is left to the sweep.
 */
export const removeTrimmed = async (deps: Pick<IngestDeps, 'db' | 'storage'>, hashes: readonly string[]): Promise<void> => {
  for (const sha256 of hashes) await removeStoredBytes(deps, sha256).catch(() => false);
};
