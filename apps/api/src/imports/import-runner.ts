import { access, lstat, readdir, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireMayChange } from '@sheaf/accounts';
import { findDefaultOwner, findUserById } from '@sheaf/accounts/users';
import type { FixedConfig } from '@sheaf/config';
import { type AppError, type Issue, invalidInput, makeIssue, permissionNeeded, type Secret } from '@sheaf/contract';
import type { importOptions } from '@sheaf/contract/imports';
import { type Database, type Db, Listener, readRoles } from '@sheaf/db';
import type { Import, User } from '@sheaf/db/schema';
import { claimImport, deleteImportsBefore, findImportsWithFiles, type HeldImport, importFolder, releaseImport } from '@sheaf/imports/runs';
import { type ChildProgram, type Clock, type Component, type Logger, lastErrorLine, ProgramLoop, startChildProgram } from '@sheaf/process';
import { findInRoots } from '@sheaf/storage/folders';
import { CHANNELS } from '@sheaf/vocabulary/events';
import { missingForImport, type RequestedImportKind } from '@sheaf/vocabulary/imports';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { z } from 'zod';
import type { Cursors } from '../http/list-route.ts';

export type ImportOptions = z.infer<typeof importOptions> & { readonly kind: RequestedImportKind };

const refuse = (issue: Issue): AppError => invalidInput('body', [issue]);

/** Imports manage accounts, so only who may do that sees them: throws FORBIDDEN where the caller may not. */
export const requireAdministrator = ({ permissions }: Principal): void => {
  if (scopeOf(permissions, 'users.update') !== 'all') throw permissionNeeded('users.update');
};

/** Throws FORBIDDEN where the caller may not do what an import does. */
export const requireMayImport = ({ permissions }: Principal): void => {
  const missing = missingForImport(permissions);
  if (missing !== undefined) throw permissionNeeded(missing);
};

/** Throws VALIDATION_ERROR where an option belongs to another kind. */
export const requireFittingOptions = ({ kind, passphrase, pattern }: ImportOptions): void => {
  if (passphrase !== undefined && kind !== 'paperless') throw refuse(makeIssue('passphrase', 'not_for_import_kind', { kind }));
  if (pattern !== undefined && kind !== 'folder') throw refuse(makeIssue('pattern', 'not_for_import_kind', { kind }));
};

/**
 * Who gets documents without an owner. Throws VALIDATION_ERROR for a user who does not exist, and FORBIDDEN for one whom the caller may not
 * change.
 */
export const findOwner = async (
  { database: { db }, config }: Pick<ImportServices, 'database' | 'config'>,
  { owner }: Pick<ImportOptions, 'owner'>,
  principal: Principal,
): Promise<string> => {
  if (owner === undefined) return principal.userId;
  const user = await findDefaultOwner(db, owner);
  if (user === undefined) throw refuse(makeIssue('owner', 'no_such_user'));
  await requireMayImportFor(db, config, principal, user);
  return user.id;
};

/** The same for the owner that an earlier import named; the caller where that user was deleted. */
export const findEarlierOwner = async (
  { database: { db }, config }: Pick<ImportServices, 'database' | 'config'>,
  id: string | null,
  principal: Principal,
): Promise<string> => {
  const user = id === null ? undefined : await findUserById(db, id);
  if (user !== undefined) await requireMayImportFor(db, config, principal, user);
  return user?.id ?? principal.userId;
};

/** Only who may change a user gives documents to that user: in the name of others, nobody imports. */
const requireMayImportFor = async (db: Db, config: ImportServices['config'], principal: Principal, user: User): Promise<void> => {
  if (user.id !== principal.userId) requireMayChange(await readRoles(db, config.signIn.roles), principal, user);
};

const isInside = async (path: string, roots: readonly string[]): Promise<string | undefined> => {
  const stats = await lstat(path);
  if (stats.isDirectory()) {
    const found = await findInRoots(path, roots);
    return found.kind === 'inside' ? found.realPath : undefined;
  }
  if (!stats.isFile()) return undefined;
  const found = await findInRoots(dirname(path), roots);
  const real = found.kind === 'inside' ? join(found.realPath, basename(path)) : undefined;
  return real !== undefined && (await realpath(real)) === real ? real : undefined;
};

/** The folder or file at `path`, by its real path, if it lies in one of `roots` and no link below them leads to it. */
export const findImportPath = (path: string, roots: readonly string[]): Promise<string | undefined> =>
  isInside(resolve(path), roots).catch(() => undefined); // what cannot be entered is nothing for us

/** The same. Throws VALIDATION_ERROR where it does not; what is outside is not told from what is not there. */
export const requireImportPath = async (path: string, roots: readonly string[]): Promise<string> => {
  if (roots.length === 0) throw refuse(makeIssue('path', 'no_import_roots'));
  const found = await findImportPath(path, roots);
  if (found === undefined) throw refuse(makeIssue('path', 'outside_import_roots'));
  return found;
};

/** What the routes of imports use. */
export interface ImportServices {
  readonly config: Pick<FixedConfig, 'imports' | 'signIn' | 'storage'>;
  readonly database: Database;
  readonly cursors: Cursors;
  readonly clock: Clock;
}

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
