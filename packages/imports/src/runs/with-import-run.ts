import { AppError } from '@sheaf/contract';
import { type Db, isDatabaseUnavailable } from '@sheaf/db';
import { type ImportProgress, ImportReport, type ImportSummary } from '../report.ts';
import { reasonOf } from '../source-error.ts';
import { beginImport, endImport, type HeldImport, type ImportIdentity, type ImportPosition, renewImport } from './import-runs.ts';

/** How often an import says that it runs, and how far it is. */
const RENEW_MS = 2_000;

/** Somebody has cancelled the import, or another process has it: whatever is done still is not this one's to do. */
class ImportLostError extends Error {
  override readonly name = 'ImportLostError';
}

interface KeeperHooks {
  /** Called once where the import is not to go on. */
  readonly onLost: () => void;
  /** Writes down that its requester may not import any more. */
  readonly onRefused: (error: AppError) => Promise<void>;
}

/** Says that an import runs, and how far it is, until it is closed. */
class ImportKeeper {
  readonly #db: Db;
  readonly #held: HeldImport;
  readonly #onLost: () => void;
  readonly #onRefused: (error: AppError) => Promise<void>;
  readonly #timer: NodeJS.Timeout;
  #position: ImportPosition = { phase: 'preparing', done: 0, total: null };
  #reported: ImportPosition = this.#position;
  #isLost = false;
  #renewing: Promise<void> = Promise.resolve();

  constructor(db: Db, held: HeldImport, { onLost, onRefused }: KeeperHooks) {
    this.#db = db;
    this.#onRefused = onRefused;
    this.#held = held;
    this.#onLost = onLost;
    this.#timer = setInterval(() => {
      this.#renewing = this.#renewing.then(() => this.#renew());
    }, RENEW_MS);
  }

  /** Hears what `progress` hears. Throws in the midst of the work where the import was lost. */
  watch(progress: ImportProgress | undefined): ImportProgress {
    return {
      begin: (total) => {
        this.#position = { phase: 'documents', done: 0, total };
        progress?.begin(total);
      },
      reach: (done) => {
        if (this.#isLost) throw new ImportLostError('the import was cancelled');
        this.#position = { ...this.#position, phase: 'documents', done };
        progress?.reach(done);
      },
      finish: () => {
        this.#position = { ...this.#position, phase: 'finishing' };
      },
      left: (what) => progress?.left(what),
    };
  }

  async #renew(): Promise<void> {
    const isNews = this.#position !== this.#reported;
    const position = this.#position;
    try {
      await this.#refuseUnlessAllowed();
      if (await renewImport(this.#db, this.#held, position, isNews)) this.#reported = position;
      else if (!this.#isLost) {
        this.#isLost = true;
        this.#onLost();
      }
    } catch {
      // the next one may work; if none does, the work fails of itself
    }
  }

  /** Ends the import where its requester may not import any more: it is not held any longer then. */
  async #refuseUnlessAllowed(): Promise<void> {
    try {
      await this.#held.requireAllowed?.();
    } catch (error) {
      if (error instanceof AppError && error.kind === 'FORBIDDEN') await this.#onRefused(error);
      else throw error;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing;
  }
}

/** Whether the same import may well work in a minute. */
const isPassing = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || (error instanceof AppError && error.kind === 'SERVICE_UNAVAILABLE');

const endFailed = (db: Db, held: HeldImport, error: unknown, report: ImportReport): Promise<void> =>
  endImport(
    db,
    held,
    {
      state: 'failed',
      error: reasonOf(error),
      errorCode: error instanceof AppError ? error.details.reason : undefined,
    },
    report.summary(),
  ).catch(() => {});

/**
 * Keeps an import that was asked for while `work` prepares it. Throws what that throws: then the import has failed, or is left to be
 * continued where the database or the storage does not work.
 */
export const whilePreparing = async <T>(db: Db, held: HeldImport, onLost: () => void, work: () => Promise<T>): Promise<T> => {
  const end = (error: unknown): Promise<void> => endFailed(db, held, error, new ImportReport());
  const keeper = new ImportKeeper(db, held, { onLost, onRefused: end });
  try {
    await held.requireAllowed?.();
    return await work();
  } catch (error) {
    if (!isPassing(error)) await end(error);
    throw error;
  } finally {
    await keeper.close();
  }
};

export interface ImportRun extends ImportIdentity {
  readonly db: Db;
  readonly isDryRun: boolean;
  /** The one that was asked for in the interface; undefined: the command line imports. */
  readonly held: HeldImport | undefined;
  /** Called once where it was cancelled, or another process has it. */
  readonly onLost?: (() => void) | undefined;
  readonly progress?: ImportProgress | undefined;
}

/**
 * Does the work of an import, writes down how far it is and what became of it, and answers that. Throws what the work throws; an import
 * that was asked for is left to be continued where the database or the storage does not work.
 */
export const withImportRun = async (
  { db, isDryRun, held: given, onLost = () => {}, progress, ...identity }: ImportRun,
  work: (report: ImportReport, progress: ImportProgress | undefined) => Promise<void>,
): Promise<ImportSummary> => {
  const report = new ImportReport((left) => progress?.left(left));
  const held = given ?? (isDryRun ? undefined : await beginImport(db, identity));
  if (held === undefined) {
    await work(report, progress);
    return report.summary();
  }
  const keeper = new ImportKeeper(db, held, { onLost, onRefused: (error) => endFailed(db, held, error, report) });
  try {
    await work(report, keeper.watch(progress));
  } catch (error) {
    await keeper.close();
    if (given === undefined || !isPassing(error)) await endFailed(db, held, error, report);
    throw error;
  }
  await keeper.close();
  const summary = report.summary();
  await endImport(db, held, { state: 'completed', error: null }, summary);
  return summary;
};
