import { type ComponentHealth, warning } from '@sheaf/contract/operations';
import { type Db, isDatabaseUnavailable } from '@sheaf/db';
import type { LedgerEntry } from '@sheaf/db/schema';
import { findLedgerEntries, markMoved } from '@sheaf/ingest';
import { forEachLimit, type Logger } from '@sheaf/process';
import type { FsPath } from '@sheaf/storage/folders';
import type { IngestRoute } from '@sheaf/vocabulary/documents';
import type { OpenWatchRoot } from './file-notes.ts';
import { type MoveOutcome, type MovePoint, moveProcessed } from './move-processed.ts';
import type { LedgerFile } from './take-file.ts';

export interface MoverSettings {
  readonly route: IngestRoute;
  readonly processedFolder: string;
  readonly db: Db;
  readonly log: Logger;
  readonly onMoved: () => void;
  /** For tests that end the process at a point of a move. */
  readonly at?: ((point: MovePoint) => void | Promise<void>) | undefined;
}

/** Moves at the same time: each one mostly waits for the disk. */
const MAX_CONCURRENT = 4;

/**
 * So many files of a root that cannot be moved are tried in one scan, and the others in the next ones, so that a full disk is not
 * hammered. Of each root, so that nobody's files keep those of others where they are.
 */
const MAX_FAILURES_A_SCAN = 100;

/** What could not be moved of one root. */
interface Trouble {
  /** Files with the reason, since all such files were tried the last time. */
  readonly failed: Map<string, string>;
  failuresLeft: number;
}

/** Puts files that became documents out of the watched folders. What cannot be moved is tried again, and never costs anything else. */
export class FileMover {
  readonly #settings: MoverSettings;
  /** By the prefix of the root. */
  readonly #troubles = new Map<string, Trouble>();
  #logged = new Set<string>();
  #health: ComponentHealth = { status: 'healthy' };

  constructor(settings: MoverSettings) {
    this.#settings = settings;
  }

  /** To be called before each scan. */
  beginRound(): void {
    this.#logged = new Set([...this.#troubles.values()].flatMap(({ failed }) => [...new Set(failed.values())]));
    for (const trouble of this.#troubles.values()) {
      // After a scan that gave up, this one goes on with the files that had no turn.
      if (trouble.failuresLeft > 0) trouble.failed.clear();
      trouble.failuresLeft = MAX_FAILURES_A_SCAN;
    }
  }

  /** To be called after each scan that met all files. */
  endRound(): void {
    this.#health = this.#describe();
  }

  health(): ComponentHealth {
    return this.#health;
  }

  /**
   * Moves those of the files that the ledger has as documents and that are still what was imported. Returns the files whose
   * documents are gone: they stay, and need not be asked for again. Throws when the database does not work.
   */
  async move(files: readonly LedgerFile[], root: OpenWatchRoot): Promise<LedgerFile[]> {
    const { db, route } = this.#settings;
    const trouble = this.#troubleOf(root);
    const candidates = files.filter(({ ledgerPath, sort }) => sort === 'file' && !trouble.failed.has(ledgerPath));
    if (candidates.length === 0 || trouble.failuresLeft === 0) return [];
    const rows = await findLedgerEntries(
      db,
      route,
      candidates.map(({ ledgerPath }) => ledgerPath),
    );
    const entries = new Map(rows.map((entry) => [entry.path, entry]));
    await forEachLimit(candidates, MAX_CONCURRENT, async (file) => {
      const entry = entries.get(file.ledgerPath);
      if (entry !== undefined && trouble.failuresLeft > 0) await this.#moveOne(file, entry, root);
    });
    return candidates.filter(({ ledgerPath }) => entries.get(ledgerPath)?.documentId === null);
  }

  async #moveOne(file: LedgerFile, { documentId, sha256, sizeBytes, modifiedAt }: LedgerEntry, root: OpenWatchRoot): Promise<void> {
    if (documentId === null || sha256 === null) return;
    if (sizeBytes !== file.facts.sizeBytes || modifiedAt?.getTime() !== file.facts.modifiedMs) return;
    const { log, onMoved } = this.#settings;
    const outcome = await this.#tryToMove(file, sha256, root);
    switch (outcome.kind) {
      case 'changed':
        return;
      case 'failed':
        return this.#fail(file, outcome.reason, root);
      case 'moved':
        onMoved();
        log.info({ path: file.ledgerPath, moved_to: outcome.to }, 'file moved');
    }
  }

  async #tryToMove(file: LedgerFile, sha256: string, root: OpenWatchRoot): Promise<MoveOutcome> {
    const { db, route, processedFolder, log, at } = this.#settings;
    const relativePath = relativeTo(root, file.fsPath);
    // Noted before it is true, and taken back if it does not become so: the other way round a killed move would be noted nowhere.
    let announced: string | undefined;
    const announce = async (to: string): Promise<void> => {
      await markMoved(db, route, file.ledgerPath, to);
      announced = to;
    };
    try {
      const outcome = await moveProcessed({ file, realRoot: root.realPath, sha256, processedFolder, relativePath, announce }, at);
      if (outcome.kind !== 'moved' && announced !== undefined) await markMoved(db, route, file.ledgerPath, null);
      return outcome;
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      // A mistake of ours must not keep the other files out.
      log.error({ err: error, path: file.ledgerPath }, 'moving a file failed with an internal error');
      return { kind: 'failed', reason: 'internal error, see the log' };
    }
  }

  #troubleOf({ ledgerPrefix }: OpenWatchRoot): Trouble {
    const trouble = this.#troubles.get(ledgerPrefix) ?? { failed: new Map<string, string>(), failuresLeft: MAX_FAILURES_A_SCAN };
    this.#troubles.set(ledgerPrefix, trouble);
    return trouble;
  }

  #fail({ ledgerPath }: LedgerFile, reason: string, root: OpenWatchRoot): void {
    const trouble = this.#troubleOf(root);
    trouble.failuresLeft = Math.max(0, trouble.failuresLeft - 1);
    trouble.failed.set(ledgerPath, reason);
    this.#health = this.#describe();
    const isNew = !this.#logged.has(reason);
    this.#logged.add(reason);
    if (isNew) this.#settings.log.warn({ path: ledgerPath, reason }, 'file cannot be moved, retried at every scan');
  }

  #describe(): ComponentHealth {
    let files = 0;
    let reason: string | undefined;
    for (const { failed } of this.#troubles.values()) {
      files += failed.size;
      reason ??= failed.values().next().value;
    }
    return reason === undefined
      ? { status: 'healthy' }
      : warning('files_not_moved', { files, folder: this.#settings.processedFolder, error: reason });
  }
}

/** The path below the processed folder: as below the root, in the user's directory where there is one. */
const relativeTo = ({ realPath, ledgerPrefix }: OpenWatchRoot, fsPath: FsPath): FsPath =>
  typeof fsPath === 'string'
    ? ledgerPrefix + fsPath.slice(realPath.length + 1)
    : Buffer.concat([Buffer.from(ledgerPrefix), fsPath.subarray(Buffer.byteLength(realPath) + 1)]);
