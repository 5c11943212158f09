import { lockDocumentAndJob } from '@sheaf/documents';
import { readAgain } from '@sheaf/ingest';
import { checkStoredFile } from '@sheaf/ingest/integrity';
import type { FileCheckDeps } from './file-check-deps.ts';

/**
 * Queues a completed document to be read again, as its owner would. Throws where its stored file is not right: it would lose the
 * text that it has for nothing. `prepare` is called before.
 */
export const readDocumentAgain = async (
  { db, storage, maxAttempts }: FileCheckDeps,
  documentId: string,
  sha256: string,
  prepare: () => Promise<unknown> = async () => undefined,
): Promise<void> => {
  if ((await checkStoredFile(storage, sha256)) !== 'ok') throw new Error('its stored file must be restored first');
  await prepare();
  await db.transaction(async (tx) => {
    const document = await lockDocumentAndJob(tx, documentId);
    if (document?.status === 'completed') await readAgain(tx, [document], { maxAttempts });
  });
};
