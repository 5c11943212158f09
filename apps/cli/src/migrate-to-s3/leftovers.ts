import { findPathsOfBytes } from '@sheaf/ingest/integrity';
import { forEachLimit, inBatches } from '@sheaf/process';
import { DERIVED_PREFIXES, DOCUMENTS_PREFIX, documentKey, hashOfKey } from '@sheaf/storage';
import { readOriginal } from './content.ts';
import { copyDerived } from './derived-files.ts';
import { FailureJudge } from './judge-failure.ts';
import { bring, openScratch } from './move-bytes.ts';
import { nameDocuments } from './name-documents.ts';
import { removeOldCopies } from './old-copies.ts';
import type { Transfer } from './transfer.ts';
import type { VerifiedHashes } from './verified-hashes.ts';
import { whileAllowed } from './walk.ts';

/** Bytes of which something lies at the source under `prefix`, while all their documents say that they are at the target. */
export async function* findLeftovers(transfer: Transfer, prefix: string): AsyncGenerator<string> {
  const { db, source, target, batchSize } = transfer;
  for await (const batch of inBatches(source.storage.list(prefix), batchSize)) {
    const hashes = new Set(batch.map(({ key }) => hashOfKey(key)).filter((hash) => hash !== undefined));
    const paths = await findPathsOfBytes(db, [...hashes]);
    for (const [hash, found] of paths) if (found.every((path) => path === target.storage.pathOf(documentKey(hash)))) yield hash;
  }
}

/** Removes what is left of one original and of what was made from it, once the target is known to have everything. */
const settle = async (transfer: Transfer, sha256: string, isOriginal: boolean, verified: VerifiedHashes): Promise<void> => {
  const { source, target, tally, report } = transfer;
  await using scratch = await openScratch(transfer);
  const isRight = !isOriginal || verified.has(sha256) || (await readOriginal(target.storage, sha256)) === 'right';
  // A new copy that went bad since is mended by the old one.
  if (!isRight && 'condition' in (await bring(transfer, sha256, scratch.path)))
    throw new Error('the new and the old copy are missing or damaged; see bin/sheaf verify --repair');
  await copyDerived(transfer, sha256, scratch.path);
  const fate = await removeOldCopies(transfer, sha256, isOriginal);
  if (fate === 'removed' && isOriginal) tally.removedCopies += 1;
  if (fate === 'kept' && isOriginal) tally.keptCopies += 1;
  report.detail(`${fate.padEnd(8)} ${sha256}: ${isOriginal ? 'the old copy' : 'derived files'} at ${source.storage.place}`);
};

/**
 * Removes the old copies of everything that has arrived: those of this run, those that killed runs left, and pictures and previews
 * that a running service has made at the source meanwhile, which are copied first. Throws TransferStopped.
 */
export const removeLeftovers = async (transfer: Transfer, verified: VerifiedHashes): Promise<void> => {
  const { db, tally, report, parallel } = transfer;
  const judge = new FailureJudge(transfer);
  report.begin('removing old copies');
  for (const prefix of [DOCUMENTS_PREFIX, ...DERIVED_PREFIXES]) {
    await forEachLimit(whileAllowed(transfer, findLeftovers(transfer, prefix)), parallel, async (sha256) => {
      try {
        await settle(transfer, sha256, prefix === DOCUMENTS_PREFIX, verified);
        judge.noteSuccess();
        report.advance(0);
      } catch (error) {
        const reason = await judge.judge(error);
        tally.failed += 1;
        report.line(`failed   ${sha256}: ${(await nameDocuments(db, sha256)) ?? 'no document'}: old copy not removed: ${reason}`);
      }
    });
  }
};
