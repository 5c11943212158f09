import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findDefaultOwner } from '@sheaf/accounts/users';
import type { Config } from '@sheaf/config';
import { AppError } from '@sheaf/contract';
import { type Database, type Db, isDatabaseUnavailable } from '@sheaf/db';
import { hasLocalDocuments } from '@sheaf/documents';
import { isSignedPdf } from '@sheaf/extraction/searchable';
import { type ImportProgress, ImportSourceError, type ImportSummary, type NotImported, whilePreparing } from '@sheaf/imports';
import type { HeldImport } from '@sheaf/imports/runs';
import { type FindIsSigned, type IngestDeps, TypeCheck } from '@sheaf/ingest';
import { PaperlessArchiveError } from '@sheaf/paperless/archive';
import { constant, type Logger, makeLogger } from '@sheaf/process';
import { openStorage, TempArea } from '@sheaf/storage';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { fromCaller } from '../command-line.ts';
import { exitCodeOf, reasonOf } from '../failure.ts';
import { connectTool } from '../open-database.ts';
import { openProgress } from '../progress/progress.ts';
import type { ImportArguments } from './arguments.ts';
import { type ImportSource, openSource } from './open-source.ts';

/** Nothing interrupts it but the end of this process. */
const NEVER = new AbortController().signal;

/** Looks for signatures in PDFs that come with their text, so that no worker processes them. */
const makeIsSigned =
  ({ storage: { tempPath }, ocr: { limits } }: Config): FindIsSigned =>
  async (content, signal = NEVER) => {
    await using scratch = await new TempArea(tempPath).makeScratch('signatures');
    const path = typeof content === 'string' ? content : join(scratch.path, 'file.pdf');
    if (typeof content !== 'string') await writeFile(path, content);
    return await isSignedPdf({ path, scratchPath: scratch.path, limits, signal });
  };

/** What files are imported with; closed at the end of the scope. */
const openIngest = async (config: Config, { db }: Database, log: Logger): Promise<IngestDeps & AsyncDisposable> => {
  const { storage: settings } = config;
  const { maxAttempts, defaultLanguage, notifications, versionsKeep } = config.ingest;
  await mkdir(settings.tempPath, { recursive: true });
  const storage = await openStorage(settings, { hasLocalDocuments: () => hasLocalDocuments(db) });
  const typeCheck = new TypeCheck({ threads: 1 }, log);
  return {
    db,
    storage,
    temp: new TempArea(settings.tempPath),
    settings: constant({ maxAttempts, defaultLanguage, notifications, versionsKeep }),
    typeCheck,
    isSigned: makeIsSigned(config),
    [Symbol.asyncDispose]: async () => {
      await typeCheck.stop();
      await storage.close();
    },
  };
};

/** One for each file that is written at the same time, and for what is asked meanwhile. */
const CONNECTIONS = 6;

/** For whom something is imported. */
export interface ImportPeople {
  /** Who gets documents without an owner; the requester where nobody is named. */
  readonly owner: string | undefined;
  /** Who requested it, with the permissions of now; undefined on the command line: whoever runs it is the operator and may do everything. */
  readonly findRequester?: (() => Promise<Principal>) | undefined;
}

interface People {
  readonly by: Principal;
  readonly ownerId: string;
}

/** The operator of the machine, in the name of the first administrator. */
const findOperator = async (db: Db): Promise<Principal> => {
  const administrator = await findDefaultOwner(db, undefined);
  if (administrator === undefined) throw new ImportSourceError('There is no administrator yet: create the first account, then import.');
  const { id: userId, username, role } = administrator;
  return { userId, username, role, permissions: ['*'], via: 'token' };
};

const findPeople = async (db: Db, { owner, findRequester }: ImportPeople): Promise<People> => {
  const by = findRequester === undefined ? await findOperator(db) : await findRequester();
  if (owner === undefined) return { by, ownerId: by.userId };
  const user = await findDefaultOwner(db, owner);
  if (user === undefined) throw new ImportSourceError(`There is no active user ${JSON.stringify(owner)}.`);
  return { by, ownerId: user.id };
};

/** The database of this service, with the schema of this version; closed at the end of `scope`. */
export const openImportDatabase = async (config: Config, scope: AsyncDisposableStack) => {
  const log = makeLogger({ ...config.log, level: 'warn' }, 'cli');
  return { database: await connectTool(config, scope, { applicationName: 'sheaf import', maxConnections: CONNECTIONS, log }), log };
};

export interface ImportOptions {
  /** Opens what is imported; closed at the end. */
  readonly open: () => Promise<ImportSource>;
  /** What the other installation is called here. */
  readonly name: string;
  readonly isDryRun: boolean;
  readonly people: ImportPeople;
  readonly progress: ImportProgress;
  /** What was asked for in the interface. */
  readonly held?: HeldImport | undefined;
  readonly onLost?: (() => void) | undefined;
}

/** Imports what the options name, and answers what became of it. Throws an ImportSourceError where it cannot be imported. */
export const importAll = async (
  { open, name, isDryRun, people: wanted, progress, held, onLost = () => {} }: ImportOptions,
  config: Config,
  { database, log }: Awaited<ReturnType<typeof openImportDatabase>>,
): Promise<ImportSummary> => {
  await using scope = new AsyncDisposableStack();
  const prepare = async () => ({ people: await findPeople(database.db, wanted), source: scope.use(await open()) });
  const { people, source } = await (held === undefined ? prepare() : whilePreparing(database.db, held, onLost, prepare));
  const ingest = scope.use(await openIngest(config, database, log));
  const { maxFileBytes: maxBytes, allowedFileTypes } = config.ingest;
  const limits = { maxBytes, allowedExtensions: allowedFileTypes.elsewhere };
  // awaited here, or the storage would be closed meanwhile
  return await source.importInto({ ingest, ...people, roles: config.signIn.roles, source: name, limits, isDryRun, progress, held, onLost });
};

/** Text of strangers for a line of a terminal. */
const quoted = (text: string): string =>
  JSON.stringify(text)
    .replaceAll('\u007f', '\\u007f')
    .replaceAll(/[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');

/** `document paperless:12 "Invoice": the file is missing`. */
const lineOf = ({ kind, name, document, reason }: NotImported): string =>
  `${kind}${document === null ? '' : ` (${quoted(document).slice(1, -1)})`} ${quoted(name)}: ${quoted(reason).slice(1, -1)}`;

/** The counts, on a few lines. */
const summaryOf = (summary: ImportSummary, isDryRun: boolean): string => {
  const { documents, checksums } = summary;
  const would = isDryRun ? ' (dry run, nothing was written)' : '';
  return [
    `documents: ${documents.imported} imported, ${documents.skipped} skipped (${summary.already_imported} of them imported before), ${documents.failed} failed, ${summary.queued} to be processed${would}`,
    `checksums: ${checksums.verified} verified, ${checksums.wrong} wrong`,
    `labels: ${summary.labels}, correspondents: ${summary.correspondents}, document types: ${summary.document_types}, fields: ${summary.fields} with ${summary.field_values} values, notes: ${summary.notes}`,
    `users: ${summary.users}, saved searches: ${summary.saved_searches}, rules: ${summary.rules}`,
    `not imported, or not as it was: ${summary.not_imported.length}`,
  ].join('\n');
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

/** Why an import failed, as an exit code. */
const codeOf = (error: unknown): number => {
  if (error instanceof ImportSourceError || error instanceof PaperlessArchiveError) return EXIT.configuration;
  const isAway = isDatabaseUnavailable(error) || (error instanceof AppError && error.kind === 'SERVICE_UNAVAILABLE');
  return isAway ? EXIT.unavailable : exitCodeOf(error);
};

const importAsAsked = async (options: ImportArguments, config: Config) => {
  await using scope = new AsyncDisposableStack();
  const opened = await openImportDatabase(config, scope);
  const { progress, close } = showProgress(options.isJson);
  scope.defer(close);
  const { owner, passphraseFile, databaseUrlFile, path } = options;
  const files = [passphraseFile, databaseUrlFile].map((file) => file && fromCaller(file));
  const from = { ...options, path: fromCaller(path), passphraseFile: files[0], databaseUrlFile: files[1] };
  const { name, isDryRun } = options;
  return await importAll({ open: () => openSource(from, config), name, isDryRun, people: { owner }, progress }, config, opened);
};

/** Imports an export, prints what became of it, and answers the exit code. */
export const runImport = async (options: ImportArguments, config: Config): Promise<number> => {
  try {
    const summary = await importAsAsked(options, config);
    process.stdout.write(`${options.isJson ? JSON.stringify(summary) : summaryOf(summary, options.isDryRun)}\n`);
    return summary.not_imported.length === 0 ? EXIT.done : EXIT.failed;
  } catch (error) {
    process.stderr.write(`sheaf import: ${reasonOf(error)}\n`);
    return codeOf(error);
  }
};
