/** What became of the objects of a run. */
export class Tally {
  /** Originals that are in the target now, with all that was derived from them. */
  moved = 0;
  /** Documents whose rows say so. */
  documents = 0;
  /** Of the originals moved. */
  bytes = 0;
  /** Originals whose documents were deleted or changed while they were on their way. */
  skipped = 0;
  /** Of the last pass: what is left, and why. */
  missing = 0;
  damaged = 0;
  failed = 0;
  /** Old copies that were removed, and that stay for now because their documents are being read or a backup runs. */
  removedCopies = 0;
  keptCopies = 0;
  /** Objects of the target that were read again. */
  verified = 0;
  mismatched = 0;
  /** Documents that were switched back to their old copies, and that could not be. */
  rolledBack = 0;
  notRolledBack = 0;

  /** Each pass meets again what could not be moved. */
  beginPass(): void {
    this.missing = 0;
    this.damaged = 0;
    this.failed = 0;
  }

  /** What the last pass could not move. */
  get left(): number {
    return this.missing + this.damaged + this.failed;
  }
}
