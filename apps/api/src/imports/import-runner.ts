import { access, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FixedConfig } from '@sheaf/config';
import type { Secret } from '@sheaf/contract';
import { type Db, Listener } from '@sheaf/db';
import type { Import } from '@sheaf/db/schema';
import { claimImport, deleteImportsBefore, findImportsWithFiles, type HeldImport, importFolder, releaseImport } from '@sheaf/imports/runs';
import { type ChildProgram, type Clock, type Component, type Logger, lastErrorLine, ProgramLoop, startChildProgram } from '@sheaf/process';
import { CHANNELS } from '@sheaf/vocabulary/events';
import { findImportPath } from './import-order.ts';

/** What is asked for is told: this is for what was missed, and for imports of processes that died. */
const POLL_MS = 10_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** So long an uploaded file can be imported after its dry run; and an upload takes no longer. */
const KEEP_MS = DAY_MS;
const RETENTION_MS = 365 * DAY_MS;
const ID = /^[0-9a-f-]{36}$/;

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

export interface ImportRunnerDeps {
  readonly db: Db;
  readonly config: Pick<FixedConfig, 'imports' | 'storage'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly start: StartImportProgram;
}

/**
 * Does the imports that are asked for in the interface, one at a time, each in a process of its own, on the host that has the files. What it does is in the
 * database, with a lease: when this process or that one dies, the import is continued.
 */
export class ImportRunner extends ProgramLoop {
  readonly #deps: ImportRunnerDeps;
  #sweptAt = 0;

  constructor(deps: ImportRunnerDeps) {
    super({ name: 'imports', loop: 'imports', intervalMs: POLL_MS, log: deps.log });
    this.#deps = deps;
  }

  protected async round(signal: AbortSignal): Promise<boolean> {
    const { db, clock } = this.#deps;
    const now = clock.now().getTime();
    if (now - this.#sweptAt > HOUR_MS) {
      this.#sweptAt = now;
      await this.#sweep(now);
      await deleteImportsBefore(db, new Date(now - RETENTION_MS));
    }
    const claimed = await claimImport(db, (waiting) => this.#isHere(waiting));
    if (claimed === undefined) return false;
    if (signal.aborted) await releaseImport(db, claimed, null);
    else await this.#execute(claimed);
    return true;
  }

  /** Other hosts have other files. */
  async #isHere({ id, path, filename, hasPassphrase }: Import): Promise<boolean> {
    const { imports, storage } = this.#deps.config;
    const folder = importFolder(storage.importPath, id);
    if (path !== null && (await findImportPath(path, imports.roots)) !== path) return false;
    if (filename !== null && !(await exists(folder.upload))) return false;
    return !hasPassphrase || exists(folder.passphrase);
  }

  async #execute(claimed: Import): Promise<void> {
    const { db, config, log, start } = this.#deps;
    const fields = { import_id: claimed.id, kind: claimed.kind, is_dry_run: claimed.isDryRun, attempt: claimed.attempts };
    log.info(fields, 'import started');
    const { stderr } = await this.waitFor(start(claimed));
    const problem = lastErrorLine(stderr, 'sheaf import');
    // does nothing where it has ended as it should, was cancelled, or failed
    await releaseImport(db, { ...claimed, uploadPath: importFolder(config.storage.importPath, claimed.id).path }, problem);
    log.info({ ...fields, problem }, 'import process ended');
  }

  /** Removes the files of imports that are over, and of uploads that came to nothing. */
  async #sweep(now: number): Promise<void> {
    const base = this.#deps.config.storage.importPath;
    const ids = (await readdir(base).catch(() => [])).filter((name) => ID.test(name));
    const needed = await findImportsWithFiles(this.#deps.db, ids, new Date(now - KEEP_MS));
    for (const id of ids) {
      const path = join(base, id);
      const facts = await stat(path).catch(() => undefined);
      if (needed.has(id) || facts === undefined || now - facts.mtimeMs < KEEP_MS) continue;
      await rm(path, { recursive: true, force: true });
      this.#deps.log.info({ import_id: id }, 'files of import removed');
    }
  }
}

interface ImportsDeps extends ImportRunnerDeps {
  readonly databaseUrl: Secret;
}

/** What does the imports that are asked for, here or at another host. */
export const openImports = ({ databaseUrl, ...deps }: ImportsDeps): Component[] => {
  const runner = new ImportRunner(deps);
  const onNudge = (_channel: unknown, what?: string): void => {
    if (what !== 'backup') runner.nudge();
  };
  return [runner, new Listener({ url: databaseUrl, channels: [CHANNELS.requests], log: deps.log, onNudge })];
};

const PROGRAM = fileURLToPath(new URL('../../../cli/src/import-requested.ts', import.meta.url));

export type StartImportProgram = (held: HeldImport) => ChildProgram;

/**
 * Starts the program that imports, with the configuration of this process, or that of a test. It ends by itself when this process is gone;
 * then another one continues. Nothing is lost where it is stopped.
 */
export const makeStartImportProgram =
  (environment?: NodeJS.ProcessEnv): StartImportProgram =>
  ({ id, fence }) =>
    startChildProgram(PROGRAM, [id, String(fence)], { environment });
