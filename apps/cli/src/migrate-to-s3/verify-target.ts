import { countBytesAt, type ReferencedBytes, sampleBytesAt } from '@sheaf/ingest/integrity';
import { forEachLimit } from '@sheaf/process';
import { readOriginal } from './content.ts';
import { FailureJudge } from './judge-failure.ts';
import { nameDocuments } from './name-documents.ts';
import type { Transfer } from './transfer.ts';
import { walkBytesAt, whileAllowed } from './walk.ts';

async function* sampleAtTarget({ db, target }: Transfer, size: number): AsyncGenerator<ReferencedBytes> {
  yield* await sampleBytesAt(db, target.place, size);
}

const beginReport = async ({ db, target, report }: Transfer, sampleSize: number | undefined): Promise<void> => {
  const { files, bytes } = await countBytesAt(db, target.place);
  const chosen = Math.min(files, sampleSize ?? files);
  report.begin('verifying', { files: chosen, bytes: files === 0 ? 0 : Math.round((bytes * chosen) / files) });
};

/** Reads what is at the target again, all of it or `sampleSize` objects at random, and compares the hashes. Throws TransferStopped. */
export const verifyTarget = async (transfer: Transfer, sampleSize: number | undefined): Promise<void> => {
  const { db, target, parallel, report, tally } = transfer;
  const judge = new FailureJudge(transfer);
  const look = async (sha256: string): Promise<string> => {
    try {
      const condition = await readOriginal(target.storage, sha256);
      judge.noteSuccess();
      return condition;
    } catch (error) {
      return await judge.judge(error);
    }
  };
  const verifyOne = async ({ sha256, sizeBytes }: ReferencedBytes): Promise<void> => {
    const finding = await look(sha256);
    report.advance(sizeBytes);
    if (finding === 'right') {
      tally.verified += 1;
      return report.detail(`verified ${sha256}`);
    }
    const documents = await nameDocuments(db, sha256);
    if (documents === undefined) return; // deleted while it was read
    tally.mismatched += 1;
    report.line(`wrong    ${sha256}: ${documents}: at ${target.storage.place}: ${finding}`);
  };
  await beginReport(transfer, sampleSize);
  const chosen = sampleSize === undefined ? walkBytesAt(transfer, target.place) : sampleAtTarget(transfer, sampleSize);
  await forEachLimit(whileAllowed(transfer, chosen), parallel, verifyOne);
};
