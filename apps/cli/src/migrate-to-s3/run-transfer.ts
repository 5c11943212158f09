import { describeFailure } from './judge-failure.ts';
import { removeLeftovers } from './leftovers.ts';
import { moveAll } from './move-all.ts';
import { rollBack } from './roll-back.ts';
import type { Transfer } from './transfer.ts';
import { TransferStopped } from './transfer.ts';
import { VerifiedHashes } from './verified-hashes.ts';
import { verifyTarget } from './verify-target.ts';

export interface VerifyWish {
  /** Undefined: all objects. */
  readonly sampleSize: number | undefined;
}

/** All steps in their order. Throws TransferStopped when they cannot be finished. */
const runSteps = async (transfer: Transfer, verify: VerifyWish | undefined): Promise<void> => {
  const { tally, keepsOldCopies, report } = transfer;
  const verified = new VerifiedHashes();
  await moveAll(transfer, verified);
  if (verify !== undefined) await verifyTarget(transfer, verify.sampleSize);
  if (keepsOldCopies && tally.mismatched > 0) throw new TransferStopped('verification of the moved files failed');
  // What failed may arrive with the next run; what is missing or damaged at the source never will.
  if (keepsOldCopies && tally.failed > 0) report.line('old copies are kept until all files are moved; run it again');
  else await removeLeftovers(transfer, verified);
};

/**
 * Moves all documents from the source to the target, verifies them where that is wished, and removes the old copies. Returns why it
 * was stopped, if it was; a run that keeps the old copies has then switched everything back to them, as far as it could.
 */
export const runTransfer = async (transfer: Transfer, verify: VerifyWish | undefined): Promise<string | undefined> => {
  try {
    await runSteps(transfer, verify);
    return undefined;
  } catch (error) {
    const reason = describeFailure(error);
    transfer.report.line(`stopped: ${reason}`);
    if (transfer.keepsOldCopies) {
      await rollBack(transfer).catch((failure: unknown) => {
        transfer.report.line(`rollback incomplete: ${describeFailure(failure)}. No data is lost; run it again`);
      });
    }
    return reason;
  }
};
