import { lockStoredBytes } from '@sheaf/documents';
import { findPathsOfBytes, lockRowsOfBytes, moveRowsOfBytes } from '@sheaf/ingest/integrity';
import { forEachLimit, inBatches } from '@sheaf/process';
import { DOCUMENTS_PREFIX, documentKey, hashOfKey } from '@sheaf/storage';
import { readOriginal } from './content.ts';
import { describeFailure } from './judge-failure.ts';
import { nameDocuments } from './name-documents.ts';
import type { Transfer } from './transfer.ts';

/** Bytes that have an old copy at the source, while documents say that they are at the target. */
async function* findSwitched({ db, source, target, batchSize }: Transfer): AsyncGenerator<string> {
  for await (const batch of inBatches(source.storage.list(DOCUMENTS_PREFIX), batchSize)) {
    const hashes = batch.map(({ key }) => hashOfKey(key)).filter((hash) => hash !== undefined);
    const paths = await findPathsOfBytes(db, hashes);
    for (const [hash, found] of paths) if (found.includes(target.storage.pathOf(documentKey(hash)))) yield hash;
  }
}

/** Has the documents of these bytes say again that they are at the source; how many, or undefined where the old copy is not right. */
const switchBack = async ({ db, source, target }: Transfer, sha256: string): Promise<number | undefined> => {
  if ((await readOriginal(source.storage, sha256)) !== 'right') return undefined;
  return db.transaction(async (tx) => {
    const key = documentKey(sha256);
    await lockStoredBytes(tx, sha256, 'alone');
    await lockRowsOfBytes(tx, sha256);
    if ((await source.storage.stat(key)) === undefined) return undefined;
    return moveRowsOfBytes(tx, sha256, target.place, source.storage.pathOf(key));
  });
};

/**
 * Switches every document that has an old copy back to it, after reading that one. The new copies stay: the next run finds them.
 * What cannot be switched back stays where it is, which is a right copy too. Throws when the database or the list of the source fails.
 */
export const rollBack = async (transfer: Transfer): Promise<void> => {
  const { db, source, tally, report, parallel } = transfer;
  const noteKept = async (sha256: string, why: string): Promise<void> => {
    tally.notRolledBack += 1;
    report.line(`kept     ${sha256}: ${(await nameDocuments(db, sha256)) ?? 'no document'}: not rolled back: ${why}`);
  };
  report.begin('rolling back');
  report.line(`rolling back documents to ${source.storage.place}`);
  await forEachLimit(findSwitched(transfer), parallel, async (sha256) => {
    try {
      const documents = await switchBack(transfer, sha256);
      if (documents === undefined) return await noteKept(sha256, 'its old copy is missing or damaged');
      tally.rolledBack += documents;
      report.detail(`back     ${sha256}`);
      report.advance(0);
    } catch (error) {
      await noteKept(sha256, describeFailure(error));
    }
  });
};
