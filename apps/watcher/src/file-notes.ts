import { realpath } from 'node:fs/promises';
import { findDefaultOwner } from '@sheaf/accounts/users';
import { ledgerReason } from '@sheaf/contract/imports';
import type { Db } from '@sheaf/db';
import { type IngestResult, noteFile } from '@sheaf/ingest';
import type { Logger } from '@sheaf/process';
import { EXCHANGE_FOLDER_MODE, makeFolder } from '@sheaf/process/machine';
import type { OpenRoot } from '@sheaf/storage/folders';
import type { IngestRoute } from '@sheaf/vocabulary/documents';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import type { FileMemory } from './file-memory.ts';
import type { LedgerFile } from './take-file.ts';

export interface NotesDeps {
  readonly route: IngestRoute;
  readonly memory: FileMemory;
  readonly db: Db;
  readonly log: Logger;
}

const STATE_OF_OUTCOME = { ingested: 'ingested', duplicate: 'duplicate', refused: 'ignored', trashed: 'duplicate' } as const;

/** Says what became of files: in the ledger, in the memory of the scans and in the log, once each and not at every scan. */
export class FileNotes {
  readonly #deps: NotesDeps;

  constructor(deps: NotesDeps) {
    this.#deps = deps;
  }

  /** Writes an outcome that `ingest` does not write, unless the file waits for the same reason as before. */
  async note(file: LedgerFile, state: 'waiting' | 'ignored', reason: LedgerReason, { owner }: OpenWatchRoot): Promise<void> {
    const { route, memory, db, log } = this.#deps;
    const { ledgerPath, name: filename, facts } = file;
    const noted = memory.noted(ledgerPath);
    if (state === 'waiting' && noted?.state === state && noted.reason === reason.message) return;
    const ownerId = 'id' in owner ? owner.id : undefined;
    const seen = { route, filename, ledgerPath, ownerId, sizeBytes: facts.sizeBytes, modifiedAt: new Date(facts.modifiedMs) };
    await db.transaction((tx) => noteFile(tx, seen, { state, reason }));
    const { code: reasonCode, message } = reason;
    const { sizeBytes, modifiedMs } = facts;
    memory.note(ledgerPath, { state, reasonCode, reason: message, sizeBytes, modifiedMs, hasDocument: false });
    log.info({ path: ledgerPath, state, reason: message }, 'file not imported');
  }

  /** Keeps in mind what `ingest` has written. */
  keepNote({ ledgerPath, facts }: LedgerFile, result: IngestResult): void {
    const { memory, log } = this.#deps;
    const documentId = documentOf(result);
    const { sizeBytes, modifiedMs } = facts;
    memory.note(ledgerPath, {
      state: STATE_OF_OUTCOME[result.outcome],
      reasonCode: null,
      reason: null,
      sizeBytes,
      modifiedMs,
      hasDocument: documentId !== null,
    });
    if (result.outcome === 'ingested') log.info({ path: ledgerPath, document_id: documentId }, 'file imported');
    else if (result.outcome === 'duplicate') log.info({ path: ledgerPath, document_id: documentId }, 'duplicate file skipped');
    else if (result.outcome === 'refused') log.info({ path: ledgerPath, state: 'ignored', reason: result.message }, 'file not imported');
  }
}

const documentOf = (result: IngestResult): string | null => {
  switch (result.outcome) {
    case 'ingested':
      return result.document.id;
    case 'duplicate':
      return result.documentId;
    case 'refused':
    case 'trashed':
      return null;
  }
};

interface GlobalFolder {
  readonly folder: string;
  /** The user who owns what is found; the first administrator where none is named. */
  readonly owner: string | undefined;
}

/** The one root of the global watch folder, which is made when it is absent. It may be a link: whoever configured it chose that. */
export const makeGlobalRoot =
  (db: Db, { folder, owner }: GlobalFolder): FindRoots =>
  async () => {
    await makeFolder(folder, { mode: EXCHANGE_FOLDER_MODE });
    return [{ path: await realpath(folder), ledgerPrefix: '', owner: await ownerOf(db, owner) }];
  };

const ownerOf = async (db: Db, username: string | undefined): Promise<WatchRoot['owner']> => {
  const user = await findDefaultOwner(db, username);
  if (user !== undefined) return { id: user.id };
  return {
    missing: username === undefined ? ledgerReason('no_owner_yet') : ledgerReason('owner_unknown', { username }),
  };
};

/** One folder that is watched, with everything below it that counts as its. */
export interface WatchRoot {
  /** Absolute; it may be absent, and it is a folder by itself, no link. */
  readonly path: string;
  /** What stands before a path below the root in the ledger: empty, or the name of a user's directory and `/`. */
  readonly ledgerPrefix: string;
  /** Who owns what is found here, or why nobody does yet. */
  readonly owner: { readonly id: string } | { readonly missing: LedgerReason };
}

/** One that is there, for one scan. */
export type OpenWatchRoot = OpenRoot<WatchRoot>;

/** The roots as they are now; asked at the beginning of each scan. */
export type FindRoots = () => Promise<readonly WatchRoot[]>;
