import {
  type Db,
  type Document,
  hasOtherOrigin,
  lockDocumentAndJob,
  queueReading,
  recordEvent,
  rememberFile,
  replaceContent,
} from '@sheaf/db';
import { noteFile } from './note-file.ts';
import { seenFile } from './record.ts';
import type { RemoteCase } from './record-remote.ts';
import type { RemoteResult } from './remote-file.ts';

/**
 * Puts changed contents under the document that the file became before, and has it read again; its text stays until then, its
 * title and labels for ever. Undefined where there is no such document any more, or where it is not this file's alone: what
 * somebody uploaded, or another path brought, must not change under him.
 */
export const replaceDocument = async (tx: Db, found: RemoteCase): Promise<RemoteResult | undefined> => {
  const { arrival, stored, settings } = found;
  const document = await lockReplaced(tx, found);
  if (document === undefined) return undefined;
  const { sha256, sizeBytes } = arrival.received;
  await replaceContent(tx, document.id, { sha256, sizeBytes, mimeType: arrival.mimeType, filePath: stored.filePath });
  await queueReading(tx, [document.id], { maxAttempts: settings.maxAttempts });
  const changes = { sha256, size: sizeBytes, status: 'pending' };
  await recordEvent(tx, { type: 'document_updated', document_id: document.id, changes }, document.ownerId);
  const { sourceId, ledgerPath: path, version } = arrival;
  await rememberFile(tx, { sourceId, path, version, sha256, state: 'ingested', documentId: document.id });
  await noteFile(tx, seenFile(arrival), { state: 'ingested', documentId: document.id });
  return { outcome: 'updated', documentId: document.id };
};

const lockReplaced = async (tx: Db, { arrival, own }: RemoteCase): Promise<Document | undefined> => {
  const { replaces, sourceId, ownerId, ledgerPath } = arrival;
  if (replaces === undefined || own?.documentId !== replaces || own.state === 'duplicate') return undefined;
  const document = await lockDocumentAndJob(tx, replaces);
  if (document === undefined || document.ownerId !== ownerId) return undefined;
  return (await hasOtherOrigin(tx, replaces, sourceId, ledgerPath)) ? undefined : document;
};
