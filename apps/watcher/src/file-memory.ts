import { posix } from 'node:path';
import { ledgerReason } from '@sheaf/contract/imports';
import type { Db } from '@sheaf/db';
import type { LedgerEntry } from '@sheaf/db/schema';
import { findLedgerEntries, lockWaitingEntries, noteFile } from '@sheaf/ingest';
import type { Logger } from '@sheaf/process';
import { type FileFacts, isSameFile } from '@sheaf/storage/folders';
import type { IngestRoute, LedgerState } from '@sheaf/vocabulary/documents';
import type { LedgerReasonCode } from '@sheaf/vocabulary/ledger-reasons';
import type { LedgerFile } from './take-file.ts';

/** What the ledger has of a file, as far as a scan asks. */
export interface Noted {
  readonly state: LedgerState;
  /** Null also in rows of earlier versions, whatever the reason. */
  readonly reasonCode: LedgerReasonCode | null;
  readonly reason: string | null;
  readonly sizeBytes: number | null;
  readonly modifiedMs: number | null;
  /** Whether there is a document that the file became, or is the same as. */
  readonly hasDocument: boolean;
}

/** Not final: a file that comes back, as from a disk that was not mounted for a while, waits as before. */
export const GONE_REASON = ledgerReason('gone_while_waiting');

interface Memory {
  noted: Noted | undefined;
  /** What the file looked like, and since when it has. */
  seen: { readonly facts: FileFacts; readonly sinceMs: number } | undefined;
  round: number;
}

/**
 * What a scan knows of the files that are there now, so that one that was settled costs neither a query nor a look into it.
 * The ledger is the truth: it is asked once for each file that is new here. This process is the only one that writes its route.
 */
export class FileMemory {
  readonly #route: IngestRoute;
  readonly #files = new Map<string, Memory>();
  #round = 0;

  constructor(route: IngestRoute) {
    this.#route = route;
  }

  get size(): number {
    return this.#files.size;
  }

  beginRound(): void {
    this.#round += 1;
  }

  /** Forgets the files that a whole round did not meet. Returns whether one of them waited. */
  endRound(): boolean {
    let hasWaiting = false;
    for (const [path, memory] of this.#files) {
      if (memory.round === this.#round) continue;
      hasWaiting ||= memory.noted?.state === 'waiting';
      this.#files.delete(path);
    }
    return hasWaiting;
  }

  /** Whether the round that has just ended met the file. */
  wasMet(path: string): boolean {
    return this.#files.has(path);
  }

  /** Makes sure that the ledger's word on these files is known. */
  async recall(db: Db, files: readonly LedgerFile[]): Promise<void> {
    const unknown = files.filter(({ ledgerPath }) => !this.#files.has(ledgerPath)).map(({ ledgerPath }) => ledgerPath);
    for (const entry of await findLedgerEntries(db, this.#route, unknown))
      this.note(entry.path, {
        state: entry.state,
        reasonCode: entry.reasonCode,
        reason: entry.reason,
        sizeBytes: entry.sizeBytes,
        modifiedMs: entry.modifiedAt === null ? null : entry.modifiedAt.getTime(),
        hasDocument: entry.documentId !== null,
      });
    for (const { ledgerPath } of files) this.#of(ledgerPath).round = this.#round;
  }

  noted(path: string): Noted | undefined {
    return this.#files.get(path)?.noted;
  }

  note(path: string, noted: Noted): void {
    const memory = this.#of(path);
    memory.noted = noted;
    if (noted.state !== 'waiting') memory.seen = undefined; // how it looked is asked again only when it changes
  }

  /** Whether the file waits, or did when it was last there. */
  waits({ ledgerPath }: LedgerFile): boolean {
    const noted = this.noted(ledgerPath);
    return noted?.state === 'waiting' || noted?.reasonCode === GONE_REASON.code;
  }

  /**
   * Whether the last word on the file was final and the file is still the one it was said of. A hard link is not final: removing the other
   * name changes nothing that the ledger keeps of a file.
   */
  isSettled(file: LedgerFile): boolean {
    const { ledgerPath, facts, sort } = file;
    const noted = this.noted(ledgerPath);
    if (noted === undefined || this.waits(file)) return false;
    if (noted.sizeBytes !== facts.sizeBytes || noted.modifiedMs !== facts.modifiedMs) return false;
    return noted.reasonCode !== 'hard_link' || sort === 'hardlink';
  }

  /** Whether the file was imported as it is now, and there is a document that has it. */
  isTaken(file: LedgerFile): boolean {
    return this.isSettled(file) && this.noted(file.ledgerPath)?.hasDocument === true;
  }

  /** Keeps in mind that the document of the file is gone. */
  forgetDocument({ ledgerPath }: LedgerFile): void {
    const noted = this.noted(ledgerPath);
    if (noted !== undefined) this.note(ledgerPath, { ...noted, hasDocument: false });
  }

  /**
   * For how many milliseconds the file has looked as it does now, by the monotonic time `nowMs`; 0 when this is the first look
   * at it, or it changed since the last one.
   */
  observe({ ledgerPath, facts }: LedgerFile, nowMs: number): number {
    const memory = this.#of(ledgerPath);
    if (memory.seen !== undefined && isSameFile(memory.seen.facts, facts)) return nowMs - memory.seen.sinceMs;
    memory.seen = { facts, sinceMs: nowMs };
    return 0;
  }

  #of(path: string): Memory {
    let memory = this.#files.get(path);
    if (memory === undefined) {
      memory = { noted: undefined, seen: undefined, round: this.#round };
      this.#files.set(path, memory);
    }
    return memory;
  }
}

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
