/** As many as cost little memory: 50 MB. Of the others the bytes are read once more. */
const LIMIT = 500_000;

/** The originals that this run has read back from the target itself. */
export class VerifiedHashes {
  readonly #hashes = new Set<string>();

  add(sha256: string): void {
    if (this.#hashes.size < LIMIT) this.#hashes.add(sha256);
  }

  has(sha256: string): boolean {
    return this.#hashes.has(sha256);
  }
}
