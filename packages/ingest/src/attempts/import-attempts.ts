import type { Db } from '@sheaf/db';
import type { Component, Logger } from '@sheaf/process';
import type { AttemptedFile, AttemptKind } from '../queries/import-attempts.ts';
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

  /** Does `work` on files that are no suspects, with the attempts at all of them on record: few statements for many files. */
  async runBeside<T>(files: readonly AttemptedFile[], work: () => Promise<T>): Promise<T> {
    await this.recover();
    return this.#isolation.beside(async () => {
      const started = await Promise.all(files.map((file) => this.#attempts.start(file)));
      try {
        return await work();
      } finally {
        for (const attempt of started) this.#attempts.end(attempt, 'cleared');
      }
    });
  }

  /** Does `work` on a suspect, beside nothing else. `isOutcome` tells whether the file was inspected to the end. */
  async runAlone<T>(file: AttemptedFile, work: () => Promise<T>, isOutcome: (result: T) => boolean): Promise<T> {
    await this.recover();
    return this.#isolation.alone(async () => {
      const started = await this.#attempts.start(file);
      let end: AttemptEnd = 'suspended';
      try {
        const result = await work();
        if (isOutcome(result)) end = 'cleared';
        return result;
      } finally {
        this.#attempts.end(started, end);
        if (end === 'cleared') this.#suspects.delete(keyOf(file));
      }
    });
  }

  async #recover(): Promise<void> {
    const { db, kind, log } = this.#deps;
    const { suspects, quarantined } = await recoverAttempts(db, kind);
    for (const { path, route, crashes } of quarantined) log.error({ path, route, crashes }, 'file quarantined after repeated crashes');
    if (suspects.length > 0) log.warn({ files: suspects.length }, 'files being imported during a crash are retried one at a time');
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
