import type { ReferencedBytes } from '@sheaf/ingest/integrity';
import { forEachLimit } from '@sheaf/process';
import { DOCUMENTS_PREFIX, documentKey } from '@sheaf/storage';
import { describeFailure } from './judge-failure.ts';
import { findLeftovers } from './leftovers.ts';
import { nameDocuments } from './name-documents.ts';
import type { Transfer } from './transfer.ts';
import { walkBytesAt, whileAllowed } from './walk.ts';

/** What a run would find. */
export interface Survey {
  /** Originals that would be moved, and those of them that the target has already. */
  files: number;
  bytes: number;
  alreadyThere: number;
  /** What would be left behind. */
  missing: number;
  damaged: number;
  /** Copies that an earlier run left and this one would remove. */
  oldCopies: number;
  /** Why the target cannot be used now; undefined where it can be read. */
  unreachable: string | undefined;
}

/** Reads one page of the list, and writes nothing. */
const reach = async ({ target }: Transfer): Promise<string | undefined> => {
  try {
    for await (const _ of target.storage.list(DOCUMENTS_PREFIX)) break;
    return undefined;
  } catch (error) {
    return describeFailure(error);
  }
};

const lookAt = async (transfer: Transfer, survey: Survey, { sha256, sizeBytes }: ReferencedBytes): Promise<void> => {
  const { db, source, target, report } = transfer;
  const key = documentKey(sha256);
  const there = survey.unreachable === undefined ? await target.storage.stat(key) : undefined;
  const here = await source.storage.stat(key);
  report.advance(sizeBytes);
  const problem = here === undefined ? 'missing' : here.sizeBytes === sizeBytes ? undefined : 'damaged';
  if (problem !== undefined && there === undefined) {
    survey[problem] += 1;
    return report.line(`${problem.padEnd(8)} ${sha256}: ${(await nameDocuments(db, sha256)) ?? 'no document'}: will not be moved`);
  }
  survey.files += 1;
  survey.bytes += sizeBytes;
  if (there !== undefined) survey.alreadyThere += 1;
  report.detail(`to move  ${sha256} (${sizeBytes} bytes${there === undefined ? '' : ', already at the target'})`);
};

/** What a run would do, by names and sizes alone: nothing is changed, and no file is read. */
export const surveyTransfer = async (transfer: Transfer): Promise<Survey> => {
  const unreachable = await reach(transfer);
  const survey: Survey = { files: 0, bytes: 0, alreadyThere: 0, missing: 0, damaged: 0, oldCopies: 0, unreachable };
  transfer.report.begin('looking');
  const all = whileAllowed(transfer, walkBytesAt(transfer, transfer.source.place));
  await forEachLimit(all, transfer.parallel, (bytes) => lookAt(transfer, survey, bytes));
  for await (const _ of whileAllowed(transfer, findLeftovers(transfer, DOCUMENTS_PREFIX))) survey.oldCopies += 1;
  return survey;
};
