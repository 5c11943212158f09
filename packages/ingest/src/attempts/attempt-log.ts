import type { Db } from '@sheaf/db';
import { uuidv7 } from '@sheaf/process';
import {
  type AttemptChanges,
  type AttemptedFile,
  type AttemptKind,
  recordAttempts,
  type StartedAttempt,
} from '../queries/import-attempts.ts';

interface Waiting {
  readonly attempt: StartedAttempt;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** How an attempt ended: with an outcome, or not, so that a suspect remains one. */
export type AttemptEnd = 'cleared' | 'suspended';

/** For how long an end waits for a beginning that it can be written with. */
const END_DELAY_MS = 100;

export const keyOf = ({ route, sourceId, path }: Pick<AttemptedFile, 'route' | 'sourceId' | 'path'>): string =>
  `${sourceId ?? route}:${path}`;

/** Writes attempts down, as many with one statement as have gathered while the last one ran. */
export class AttemptLog {
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
