import type { Config } from '@sheaf/config';
import { AppError } from '@sheaf/contract';
import { type Db, isDatabaseUnavailable, openDatabase } from '@sheaf/db';
import { type ImportProgress, ImportSourceError, type ImportSummary } from '@sheaf/imports';
import { PaperlessArchiveError } from '@sheaf/paperless-archive';
import { makeLogger } from '@sheaf/process';
import { findDefaultOwner } from '@sheaf/users';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { exitCodeOf, reasonOf } from '../failure.ts';
import { openDatabaseForTool } from '../open-database.ts';
import { openProgress } from '../progress/open-progress.ts';
import { requireSchema } from '../require-schema.ts';
import type { ImportArguments } from './arguments.ts';
import { openIngest } from './open-services.ts';
import { openSource } from './open-source.ts';
import { lineOf, summaryOf } from './summary.ts';

/** One for each file that is written at the same time, and for what is asked meanwhile. */
const CONNECTIONS = 6;

interface People {
  readonly by: Principal;
  readonly ownerId: string;
}

const findPeople = async (db: Db, owner: string | undefined): Promise<People> => {
  const administrator = await findDefaultOwner(db, undefined);
  if (administrator === undefined) throw new ImportSourceError('There is no administrator yet: create the first account, then import.');
  const user = owner === undefined ? administrator : await findDefaultOwner(db, owner);
  if (user === undefined) throw new ImportSourceError(`There is no active user ${JSON.stringify(owner)}.`);
  const { id: userId, username, role } = administrator;
  return { by: { userId, username, role, permissions: ['*'], via: 'token' }, ownerId: user.id };
};

/** A bar on stderr, and a line for each thing that is not imported where these are wanted. */
const showProgress = (isJson: boolean): { readonly progress: ImportProgress; readonly close: () => void } => {
  const shown = openProgress();
  const { report } = shown;
  const progress: ImportProgress = {
    begin: (documents) => report.begin('documents', { files: documents, bytes: 0, unit: 'documents' }),
    reach: (documents) => report.reach(documents),
    left: (what) => {
      if (isJson) return;
      report.erase();
      process.stdout.write(`${lineOf(what)}\n`);
    },
  };
  return { progress, close: () => shown.close() };
};

const importAll = async (options: ImportArguments, config: Config): Promise<ImportSummary> => {
  await using scope = new AsyncDisposableStack();
  const source = scope.use(await openSource(options, config));
  const place = scope.use(await openDatabaseForTool(config));
  const log = makeLogger({ ...config.log, level: 'warn' }, 'cli');
  const database = openDatabase(
    { ...config.database, url: place.url, maxConnections: CONNECTIONS, minConnections: 0, applicationName: 'sheaf import' },
    log,
  );
  scope.defer(() => database.close());
  await requireSchema(database);
  const people = await findPeople(database.db, options.owner);
  const ingest = scope.use(await openIngest(config, database, log));
  const { progress, close } = showProgress(options.isJson);
  scope.defer(close);
  const { maxFileBytes: maxBytes, allowedFileTypes } = config.ingest;
  const { name, isDryRun } = options;
  const limits = { maxBytes, allowedExtensions: allowedFileTypes.elsewhere };
  // awaited here, or the database would be closed meanwhile
  return await source.importInto({ ingest, ...people, roles: config.signIn.roles, source: name, limits, isDryRun, progress });
};

const codeOf = (error: unknown): number => {
  if (error instanceof ImportSourceError || error instanceof PaperlessArchiveError) return EXIT.configuration;
  const isAway = isDatabaseUnavailable(error) || (error instanceof AppError && error.kind === 'SERVICE_UNAVAILABLE');
  return isAway ? EXIT.unavailable : exitCodeOf(error);
};

/** Imports an export, prints what became of it, and answers the exit code. */
export const runImport = async (options: ImportArguments, config: Config): Promise<number> => {
  try {
    const summary = await importAll(options, config);
    process.stdout.write(`${options.isJson ? JSON.stringify(summary) : summaryOf(summary, options.isDryRun)}\n`);
    return summary.not_imported.length === 0 ? EXIT.done : EXIT.failed;
  } catch (error) {
    process.stderr.write(`sheaf import: ${reasonOf(error)}\n`);
    return codeOf(error);
  }
};
