import { stat } from 'node:fs/promises';
import { AppError } from '@sheaf/contract';
import { holdOffBackup, lockStoredBytes } from '@sheaf/documents';
import {
  countBytesAt,
  findPathsOfBytes,
  lockRowsOfBytes,
  type MovablePlace,
  moveRowsOfBytes,
  type ReferencedBytes,
} from '@sheaf/ingest/integrity';
import { forEachLimit, inBatches } from '@sheaf/process';
import {
  DERIVED_PREFIXES,
  DOCUMENTS_PREFIX,
  documentKey,
  hashOfKey,
  previewKey,
  type Storage,
  type StoredObject,
  searchableKey,
  thumbnailKey,
} from '@sheaf/storage';
import {
  type Condition,
  FailureJudge,
  fetchOriginal,
  nameDocuments,
  readOriginal,
  type Side,
  type Transfer,
  walkBytesAt,
  whileAllowed,
} from './judge-failure.ts';

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
  await using scratch = await transfer.temp.makeScratch('moving');
  const isRight = !isOriginal || verified.has(sha256) || (await readOriginal(target.storage, sha256)) === 'right';
  // A new copy that went bad since is mended by the old one.
  if (!isRight && 'condition' in (await bring(transfer, sha256, scratch.path)))
    throw new Error('the new and the old copy are missing or damaged; see bin/sheaf verify --repair');
  await copyDerived(transfer, sha256, scratch.path);
  const outcome = await removeOldCopies(transfer, sha256, isOriginal);
  if (outcome === 'removed' && isOriginal) tally.removedCopies += 1;
  if (outcome === 'kept' && isOriginal) tally.keptCopies += 1;
  report.detail(`${outcome.padEnd(8)} ${sha256}: ${isOriginal ? 'the old copy' : 'derived files'} at ${source.storage.place}`);
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

/** What became of one original with all that belongs to it. */
type MoveResult =
  | { readonly outcome: 'moved'; readonly documents: number; readonly sizeBytes: number; readonly oldCopy: 'removed' | 'kept' | 'left' }
  | { readonly outcome: 'skipped' }
  | { readonly outcome: Exclude<Condition, 'right'> };

/** An original that is in the target, read back. */
interface Arrived {
  readonly sizeBytes: number;
  /** Whether it came by us. */
  readonly isNew: boolean;
}

/** Puts the file into the target until it reads back with its hash; one that was there and is damaged is replaced. */
const deliver = async ({ target: { storage } }: Transfer, sha256: string, path: string): Promise<boolean> => {
  const key = documentKey(sha256);
  const { isNew } = await storage.put(key, path);
  if ((await readOriginal(storage, sha256)) === 'right') return isNew;
  await storage.replace(key, path);
  if ((await readOriginal(storage, sha256)) === 'right') return isNew;
  if (isNew) await storage.delete(key);
  throw new Error(`${storage.pathOf(key)} differs from what was written; check the storage ${storage.place}`);
};

/** Sees to it that the target has the original, or says what is wrong with that of the source. */
const bring = async (
  transfer: Transfer,
  sha256: string,
  scratch: string,
): Promise<Arrived | { readonly condition: 'missing' | 'damaged' }> => {
  const { source, target } = transfer;
  const original = await fetchOriginal(source.storage, sha256, scratch);
  if (original.condition === 'right') return { sizeBytes: original.sizeBytes, isNew: await deliver(transfer, sha256, original.path) };
  // A killed run has moved it, or somebody put it there: then only the row is behind.
  if ((await readOriginal(target.storage, sha256)) !== 'right') return original;
  const there = await target.storage.stat(documentKey(sha256));
  return there === undefined ? original : { sizeBytes: there.sizeBytes, isNew: false };
};

/** Nobody refers to what we have just brought. */
const takeBack = async ({ target: { storage } }: Transfer, sha256: string): Promise<void> => {
  for (const { key } of await listDerived(storage, sha256)) await storage.delete(key);
  await storage.delete(documentKey(sha256));
};

/** Has the rows say where the bytes are now; undefined where there are none any more. */
const switchRows = (transfer: Transfer, sha256: string, { sizeBytes, isNew }: Arrived): Promise<number | undefined> =>
  transfer.db.transaction(async (tx) => {
    const { source, target } = transfer;
    const key = documentKey(sha256);
    await lockStoredBytes(tx, sha256, 'alone');
    if ((await lockRowsOfBytes(tx, sha256)).length === 0) {
      if (isNew) await takeBack(transfer, sha256); // what was there before is the sweep's
      return undefined;
    }
    // A document that was deleted and came again since has taken our copy with it.
    if ((await target.storage.stat(key))?.sizeBytes !== sizeBytes)
      throw new Error('deleted and uploaded again during the move; run the migration again');
    return moveRowsOfBytes(tx, sha256, source.place, target.storage.pathOf(key));
  });

/**
 * Moves the bytes with this hash, and what was made from them: copied, read back, rows switched, old copies removed, in this
 * order, so that at every moment a right copy is where the rows say. Throws when a storage or the database fails.
 */
const moveBytes = async (transfer: Transfer, sha256: string): Promise<MoveResult> => {
  await using scratch = await transfer.temp.makeScratch('moving');
  const arrived = await bring(transfer, sha256, scratch.path);
  if ('condition' in arrived) return { outcome: arrived.condition };
  await copyDerived(transfer, sha256, scratch.path);
  const documents = await switchRows(transfer, sha256, arrived);
  if (documents === undefined) return { outcome: 'skipped' };
  const oldCopy = transfer.keepsOldCopies ? 'left' : await removeOldCopies(transfer, sha256, true);
  return { outcome: 'moved', documents, sizeBytes: arrived.sizeBytes, oldCopy };
};

/** What became of an old copy: `kept` while its document is read or a backup runs, `left` where it is, or may be, still needed. */
type OldCopyOutcome = 'removed' | 'kept' | 'left';

/** Programs read a local file by its path, page after page; a copy of a remote one is their own. */
const mayBeOpen = (place: MovablePlace): boolean => place === 'local';

const removeFiles = async ({ storage }: Side, sha256: string, withOriginal: boolean): Promise<void> => {
  for (const { key } of await listDerived(storage, sha256)) await storage.delete(key);
  // last: where it is, the next run finds what is left of the others
  if (withOriginal) await storage.delete(documentKey(sha256));
};

/**
 * Removes the source's copies of bytes that are all at the target, under the lock of those who make rows for them: each has
 * committed before us, and we see its row, or finds the object gone. With `withOriginal` the caller has read the target's one.
 */
const removeOldCopies = ({ db, source, target, ...rest }: Transfer, sha256: string, withOriginal: boolean): Promise<OldCopyOutcome> =>
  db.transaction(async (tx) => {
    await lockStoredBytes(tx, sha256, 'alone');
    const rows = await lockRowsOfBytes(tx, sha256);
    const path = target.storage.pathOf(documentKey(sha256));
    // Without any row it is the sweep that decides, which sets an original aside.
    if (rows.length === 0 || rows.some(({ filePath }) => filePath !== path)) return 'left';
    if (!(await holdOffBackup(tx))) return 'kept';
    if (mayBeOpen(source.place) && rows.some(({ isProcessing }) => isProcessing)) return 'kept';
    if ((await target.storage.stat(documentKey(sha256))) === undefined) return 'left';
    if ((await listMissingDerived({ db, source, target, ...rest }, sha256)).length > 0) return 'left';
    await removeFiles(source, sha256, withOriginal);
    return 'removed';
  });

const foldersOf = (sha256: string): readonly string[] =>
  [thumbnailKey(sha256, ''), searchableKey(sha256, '')].map((anyOne) => anyOne.slice(0, anyOne.lastIndexOf('/') + 1));

/** What was made from an original: its preview, its thumbnails and its searchable PDF, as far as they are in `storage`. */
const listDerived = async (storage: Storage, sha256: string): Promise<StoredObject[]> => {
  const preview = await storage.stat(previewKey(sha256));
  const found = preview === undefined ? [] : [preview];
  for (const folder of foldersOf(sha256))
    for await (const object of storage.list(folder)) if (hashOfKey(object.key) === sha256) found.push(object);
  return found;
};

const isThere = async (storage: Storage, { key, sizeBytes }: Pick<StoredObject, 'key' | 'sizeBytes'>): Promise<boolean> =>
  (await storage.stat(key))?.sizeBytes === sizeBytes;

/** Those that the target lacks, or has with another size. */
const listMissingDerived = async ({ source, target }: Transfer, sha256: string): Promise<StoredObject[]> => {
  const missing: StoredObject[] = [];
  for (const object of await listDerived(source.storage, sha256)) if (!(await isThere(target.storage, object))) missing.push(object);
  return missing;
};

/** Undefined where it went meanwhile. */
const fetchDerived = async (storage: Storage, key: string, scratch: string): Promise<string | undefined> => {
  try {
    return await storage.localPath(key, scratch);
  } catch (error) {
    if (error instanceof AppError && error.code === 'FILE_MISSING') return undefined;
    throw error;
  }
};

/** Copies what was made from the original to the target, where it is not there yet. */
const copyDerived = async (transfer: Transfer, sha256: string, scratch: string): Promise<void> => {
  const { source, target } = transfer;
  for (const { key } of await listMissingDerived(transfer, sha256)) {
    const path = await fetchDerived(source.storage, key, scratch);
    if (path === undefined) continue;
    const sizeBytes = (await stat(path)).size;
    await target.storage.put(key, path);
    if (!(await isThere(target.storage, { key, sizeBytes }))) throw new Error(`${target.storage.pathOf(key)} is incomplete at the target`);
  }
};
