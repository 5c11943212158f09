import { countBytesAt, type ReferencedBytes } from '@sheaf/ingest/integrity';
import { forEachLimit } from '@sheaf/process';
import { FailureJudge } from './judge-failure.ts';
import { type MoveResult, moveBytes } from './move-bytes.ts';
import { nameDocuments } from './name-documents.ts';
import type { Transfer } from './transfer.ts';
import type { VerifiedHashes } from './verified-hashes.ts';
import { walkBytesAt, whileAllowed } from './walk.ts';

/** A running service brings new files meanwhile; what comes after so many passes waits for the next run. */
const MAX_PASSES = 10;

const PROBLEMS = {
  missing: 'the file is missing and was not moved; bin/sheaf verify --repair searches a valid copy, also in backups',
  damaged: 'the file is damaged and was not moved; bin/sheaf verify --repair searches a valid copy, also in backups',
} as const;

/** One walk over everything that is at the source. */
class Pass {
  readonly #transfer: Transfer;
  readonly #judge: FailureJudge;
  readonly #verified: VerifiedHashes;
  moved = 0;

  constructor(transfer: Transfer, verified: VerifiedHashes) {
    this.#transfer = transfer;
    this.#judge = new FailureJudge(transfer);
    this.#verified = verified;
  }

  async run(): Promise<void> {
    const { parallel, tally, source } = this.#transfer;
    tally.beginPass();
    const all = whileAllowed(this.#transfer, walkBytesAt(this.#transfer, source.place));
    await forEachLimit(all, parallel, (bytes) => this.#moveOne(bytes));
  }

  async #moveOne({ sha256, sizeBytes }: ReferencedBytes): Promise<void> {
    try {
      await this.#note(sha256, await moveBytes(this.#transfer, sha256));
      this.#judge.noteSuccess();
    } catch (error) {
      await this.#noteProblem(sha256, 'failed', await this.#judge.judge(error));
    }
    this.#transfer.report.advance(sizeBytes);
  }

  async #note(sha256: string, result: MoveResult): Promise<void> {
    if (result.outcome === 'moved') this.#noteMoved(sha256, result);
    else if (result.outcome === 'skipped') this.#noteSkipped(sha256);
    else await this.#noteProblem(sha256, result.outcome, PROBLEMS[result.outcome]);
  }

  #noteMoved(sha256: string, { documents, sizeBytes, oldCopy }: Extract<MoveResult, { outcome: 'moved' }>): void {
    const { tally, report } = this.#transfer;
    this.moved += 1;
    this.#verified.add(sha256);
    tally.moved += 1;
    tally.documents += documents;
    tally.bytes += sizeBytes;
    if (oldCopy === 'removed') tally.removedCopies += 1;
    report.detail(`moved    ${sha256} (${sizeBytes} bytes, ${documents} ${documents === 1 ? 'document' : 'documents'})`);
  }

  #noteSkipped(sha256: string): void {
    this.#transfer.tally.skipped += 1;
    this.#transfer.report.detail(`skipped  ${sha256}: its documents were deleted`);
  }

  async #noteProblem(sha256: string, problem: 'missing' | 'damaged' | 'failed', reason: string): Promise<void> {
    const { db, tally, report } = this.#transfer;
    const documents = await nameDocuments(db, sha256);
    if (documents === undefined) return this.#noteSkipped(sha256);
    tally[problem] += 1;
    report.line(`${problem.padEnd(8)} ${sha256}: ${documents}: ${reason}`);
  }
}

/**
 * Moves everything that documents have at the source, pass by pass, until nothing is left but what cannot be moved. Throws
 * TransferStopped.
 */
export const moveAll = async (transfer: Transfer, verified: VerifiedHashes): Promise<void> => {
  const { db, source, tally, report } = transfer;
  for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
    const ahead = await countBytesAt(db, source.place);
    if (ahead.files === 0) return tally.beginPass();
    if (pass > 1 && tally.failed === 0 && ahead.files <= tally.left) return;
    report.begin('moving', ahead);
    const walk = new Pass(transfer, verified);
    await walk.run();
    if (walk.moved === 0) return;
  }
};
