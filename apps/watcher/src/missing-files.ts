import { posix } from 'node:path';
import type { Db } from '@sheaf/db';
import type { LedgerEntry } from '@sheaf/db/schema';
import { lockWaitingEntries, noteFile } from '@sheaf/ingest';
import type { Logger } from '@sheaf/process';
import type { IngestRoute } from '@sheaf/vocabulary/documents';
import { type FileMemory, GONE_REASON } from './file-memory.ts';

export interface GoneFilesDeps {
  readonly route: IngestRoute;
  readonly memory: FileMemory;
  readonly db: Db;
  readonly log: Logger;
}

const BATCH = 500;

/** Ends the waiting of files that are not there any more, which no scan would ever speak of again. */
export class GoneFiles {
  readonly #deps: GoneFilesDeps;
  /** Whether the ledger may have such files: at first those that were removed while no watcher ran. */
  #mayHave = true;

  constructor(deps: GoneFilesDeps) {
    this.#deps = deps;
  }

  /**
   * Notes that files which wait were not met in the round that has just ended: once, and only those below the roots, by their
   * prefixes in the ledger, that were read completely. `forgotten` says whether a file that waited was not met in the round.
   */
  async note(readPrefixes: readonly string[], forgotten: boolean): Promise<void> {
    if (!this.#mayHave && !forgotten) return;
    this.#mayHave = true; // also if the database fails now
    let isOpen = false;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const { last, left } = await this.#noteBatch(after, readPrefixes);
      isOpen ||= left;
      after = last;
    }
    this.#mayHave = isOpen;
  }

  /** `last` is where the next batch begins, if there is one; `left` whether files were not met below roots that were not read. */
  async #noteBatch(after: string, readPrefixes: readonly string[]): Promise<{ last: string | undefined; left: boolean }> {
    const { db, route, memory, log } = this.#deps;
    const { entries, gone, left } = await db.transaction(async (tx) => {
      const entries = await lockWaitingEntries(tx, route, after, BATCH);
      const unmet = entries.filter(({ path }) => !memory.wasMet(path));
      const gone = unmet.filter(({ path }) => readPrefixes.some((prefix) => path.startsWith(prefix)));
      for (const entry of gone) await noteFile(tx, seenFile(entry), { state: 'ignored', reason: GONE_REASON });
      return { entries, gone, left: gone.length < unmet.length };
    });
    for (const { path } of gone) log.info({ path, state: 'ignored', reason: GONE_REASON.message }, 'file not imported');
    return { last: entries.length < BATCH ? undefined : entries.at(-1)?.path, left };
  }
}

const seenFile = ({ route, path, ownerId, sizeBytes, modifiedAt }: LedgerEntry) => ({
  route,
  ledgerPath: path,
  filename: posix.basename(path),
  ownerId: ownerId ?? undefined,
  sizeBytes: sizeBytes ?? undefined,
  modifiedAt: modifiedAt ?? undefined,
});
