import type { AttemptedFile, AttemptKind, Db } from '@sheaf/db';
import type { Component, Logger } from '@sheaf/runtime';
import { type AttemptEnd, AttemptLog, keyOf } from './attempt-log.ts';
import { Isolation } from './isolation.ts';
import { recoverAttempts } from './quarantine.ts';

export interface ImportAttemptsDeps {
  readonly db: Db;
  readonly kind: AttemptKind;
  readonly log: Logger;
}

type Version = AttemptedFile['version'];

/**
 * Has it on record which files are being inspected, so that a file that crashes the process is found. A process has one of these for
 * all that it imports: what was under way at a crash is inspected alone afterwards, and what crashes the process alone twice is
 * quarantined.
 */
export class ImportAttempts implements Component {
  readonly name = 'import-attempts';
  readonly #deps: ImportAttemptsDeps;
  readonly #attempts: AttemptLog;
  readonly #isolation = new Isolation();
  /** What crashed suspects looked like. */
  readonly #suspects = new Map<string, Version>();
  #recovering: Promise<void> | undefined;

  constructor(deps: ImportAttemptsDeps) {
    this.#deps = deps;
    this.#attempts = new AttemptLog(deps.db, deps.kind);
  }

  async start(): Promise<void> {}

  stop(): Promise<void> {
    return this.#attempts.drain();
  }

  /** Finds out what the process before this one has left, once; to be called before files are compared with the ledger. Throws when the database is away. */
  recover(): Promise<void> {
    this.#recovering ??= this.#recover().catch((error: unknown) => {
      this.#recovering = undefined;
      throw error;
    });
    return this.#recovering;
  }

  /** Whether the file, as it is now, is to be inspected alone, which is done when nothing else is left to do. */
  isSuspect(file: AttemptedFile): boolean {
    const version = this.#suspects.get(keyOf(file));
    return version !== undefined && isSameVersion(version, file.version);
  }

  /** Does `work` on the file with the attempt on record. `isOutcome` tells whether the file was inspected to the end. */
  async run<T>(file: AttemptedFile, work: () => Promise<T>, isOutcome: (result: T) => boolean): Promise<T> {
    await this.recover();
    const isSuspect = this.isSuspect(file);
    const attempt = (): Promise<T> => this.#attempt(file, isSuspect, work, isOutcome);
    return isSuspect ? this.#isolation.alone(attempt) : this.#isolation.beside(attempt);
  }

  async #attempt<T>(file: AttemptedFile, isSuspect: boolean, work: () => Promise<T>, isOutcome: (result: T) => boolean): Promise<T> {
    const started = await this.#attempts.start(file);
    let end: AttemptEnd = isSuspect ? 'suspended' : 'cleared';
    try {
      const result = await work();
      if (isOutcome(result)) end = 'cleared';
      return result;
    } finally {
      this.#attempts.end(started, end);
      if (end === 'cleared') this.#suspects.delete(keyOf(file));
    }
  }

  async #recover(): Promise<void> {
    const { db, kind, log } = this.#deps;
    const { suspects, quarantined } = await recoverAttempts(db, kind);
    for (const { path, route, crashes } of quarantined) log.error({ path, route, crashes }, 'file quarantined after repeated crashes');
    if (suspects.length > 0) log.warn({ files: suspects.length }, 'files that were being imported during a crash are imported one by one');
    for (const { route, path, sourceId, etag, sizeBytes, modifiedAt } of suspects)
      this.#suspects.set(keyOf({ route, path, sourceId: sourceId ?? undefined }), {
        etag: etag ?? undefined,
        sizeBytes: sizeBytes ?? undefined,
        modifiedAt: modifiedAt ?? undefined,
      });
  }
}

const isSameVersion = (a: Version, b: Version): boolean =>
  a.etag === b.etag && a.sizeBytes === b.sizeBytes && a.modifiedAt?.getTime() === b.modifiedAt?.getTime();
