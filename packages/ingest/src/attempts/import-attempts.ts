import { posix } from 'node:path';
import { ledgerReason } from '@sheaf/contract/imports';
import type { Db } from '@sheaf/db';
import type { ImportAttempt } from '@sheaf/db/schema';
import { type Component, type Logger, uuidv7 } from '@sheaf/process';
import { findSourceFiles, recordIgnored } from '@sheaf/sources';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import { noteFile } from '../note-file.ts';
import {
  type AttemptChanges,
  type AttemptedFile,
  type AttemptKind,
  forgetAttempts,
  recordAttempts,
  type StartedAttempt,
  suspectUnfinishedAttempts,
} from '../queries/import-attempts.ts';

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
  async runAttempted<T>(files: readonly AttemptedFile[], work: () => Promise<T>): Promise<T> {
    await this.recover();
    return this.#isolation.runSafely(async () => {
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

/** Lets work run beside other work, or alone: then what runs ends first, and what comes waits. */
class Isolation {
  readonly #running = new Set<Promise<unknown>>();
  /** Ends when all work that is to run alone so far has ended; never rejects. */
  #alone: Promise<unknown> = Promise.resolve();

  async runSafely<T>(work: () => Promise<T>): Promise<T> {
    for (let awaited: unknown; awaited !== this.#alone; ) {
      awaited = this.#alone;
      await awaited;
    }
    const running = work();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  alone<T>(work: () => Promise<T>): Promise<T> {
    const earlier = this.#alone;
    const run = async (): Promise<T> => {
      await earlier;
      await Promise.allSettled(this.#running);
      return work();
    };
    const running = run();
    this.#alone = running.catch(() => {}); // whoever asked for it is told
    return running;
  }
}

/** After so many crashes that nothing else can have caused, a file is skipped until it changes. */
const MAX_CRASHES = 2;

const reasonFor = (crashes: number): LedgerReason => ledgerReason('quarantined', { crashes });

interface RecoveredAttempts {
  /** Files that are to be inspected alone. */
  readonly suspects: readonly ImportAttempt[];
  readonly quarantined: readonly ImportAttempt[];
}

/** What the processes that died before this one have left: suspects, and files that are quarantined with that. */
const recoverAttempts = (db: Db, kind: AttemptKind): Promise<RecoveredAttempts> =>
  db.transaction(async (tx) => {
    const left = await suspectUnfinishedAttempts(tx, kind);
    const quarantined = left.filter(({ crashes }) => crashes >= MAX_CRASHES);
    for (const attempt of quarantined) await quarantine(tx, attempt);
    await forgetAttempts(
      tx,
      quarantined.map(({ id }) => id),
    );
    return { suspects: left.filter(({ crashes }) => crashes < MAX_CRASHES), quarantined };
  });

const quarantine = async (tx: Db, attempt: ImportAttempt): Promise<void> => {
  const { route, path, ownerId, crashes } = attempt;
  const [sizeBytes, modifiedAt] = [attempt.sizeBytes ?? undefined, attempt.modifiedAt ?? undefined];
  const sourceId = attempt.sourceId ?? undefined;
  const documentId = sourceId === undefined ? undefined : await quarantineAtSource(tx, { ...attempt, sourceId });
  const seen = { route, filename: posix.basename(path), ledgerPath: path, ownerId, sourceId, sizeBytes, modifiedAt };
  await noteFile(tx, seen, { state: 'failed', reason: reasonFor(crashes), documentId });
};

/** As a file that was refused by its contents: it is not opened again until it changes. Returns the document that it was before. */
const quarantineAtSource = async (tx: Db, attempt: ImportAttempt & { readonly sourceId: string }): Promise<string | undefined> => {
  const { sourceId, path, etag, sizeBytes, modifiedAt } = attempt;
  const version = { etag: etag ?? undefined, sizeBytes: sizeBytes ?? undefined, modifiedAt: modifiedAt ?? undefined };
  await recordIgnored(tx, sourceId, [{ path, version, wasOpened: true }]);
  const [known] = await findSourceFiles(tx, sourceId, [path]);
  return known?.documentId ?? undefined;
};

interface Waiting {
  readonly attempt: StartedAttempt;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** How an attempt ended: with an outcome, or not, so that a suspect remains one. */
type AttemptEnd = 'cleared' | 'suspended';

/** For how long an end waits for a beginning that it can be written with. */
const END_DELAY_MS = 100;

const keyOf = ({ route, sourceId, path }: Pick<AttemptedFile, 'route' | 'sourceId' | 'path'>): string => `${sourceId ?? route}:${path}`;

/** Writes attempts down, as many with one statement as have gathered while the last one ran. */
class AttemptLog {
  readonly #db: Db;
  readonly #kind: AttemptKind;
  #waiting: Waiting[] = [];
  readonly #ended = new Map<string, { readonly id: string; readonly end: AttemptEnd }>();
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Db, kind: AttemptKind) {
    this.#db = db;
    this.#kind = kind;
  }

  /** Resolves when the attempt is on record. Rejects when the database is away. */
  start(file: AttemptedFile): Promise<StartedAttempt> {
    const attempt = { ...file, id: uuidv7() };
    return new Promise((resolve, reject) => {
      this.#waiting.push({ attempt, resolve: () => resolve(attempt), reject });
      this.#write();
    });
  }

  /** Never throws: what cannot be written is written with what comes next. */
  end(attempt: StartedAttempt, end: AttemptEnd): void {
    this.#ended.set(keyOf(attempt), { id: attempt.id, end });
    this.#timer ??= setTimeout(() => this.#write(), END_DELAY_MS);
  }

  /** Resolves when everything is written that can be. */
  async drain(): Promise<void> {
    await this.#writing;
    if (this.#ended.size > 0) this.#write();
    await this.#writing;
    clearTimeout(this.#timer);
  }

  #write(): void {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
      if (this.#waiting.length > 0) this.#write();
    });
  }

  async #writeAll(): Promise<void> {
    await Promise.resolve(); // so that those who begin at the same moment are written together
    do {
      const [waiting, ended] = [this.#waiting, this.#takeEnded()];
      this.#waiting = [];
      try {
        await recordAttempts(this.#db, this.#kind, toChanges(waiting, ended));
        for (const { resolve } of waiting) resolve();
      } catch (error) {
        for (const [key, end] of ended) if (!this.#ended.has(key)) this.#ended.set(key, end);
        for (const { reject } of waiting) reject(error);
        return;
      }
    } while (this.#waiting.length > 0);
  }

  /** Without those of files that begin again, whose row is written over. */
  #takeEnded(): ReadonlyMap<string, { readonly id: string; readonly end: AttemptEnd }> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { attempt } of this.#waiting) this.#ended.delete(keyOf(attempt));
    const ended = new Map(this.#ended);
    this.#ended.clear();
    return ended;
  }
}

const toChanges = (
  waiting: readonly Waiting[],
  ended: ReadonlyMap<string, { readonly id: string; readonly end: AttemptEnd }>,
): AttemptChanges => {
  const idsOf = (wanted: AttemptEnd): string[] => [...ended.values()].flatMap(({ id, end }) => (end === wanted ? [id] : []));
  return { started: waiting.map(({ attempt }) => attempt), cleared: idsOf('cleared'), suspended: idsOf('suspended') };
};
