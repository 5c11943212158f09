import type { Config } from '@sheaf/config';
import { AppError } from '@sheaf/contract';
import { isDatabaseUnavailable } from '@sheaf/db';
import { type ImportProgress, ImportSourceError } from '@sheaf/imports';
import { PaperlessArchiveError } from '@sheaf/paperless-archive';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { fromCaller } from '../caller-path.ts';
import { exitCodeOf, reasonOf } from '../failure.ts';
import { openProgress } from '../progress/open-progress.ts';
import type { ImportArguments } from './arguments.ts';
import { importAll, openImportDatabase } from './import-all.ts';
import { openSource } from './open-source.ts';
import { lineOf, summaryOf } from './summary.ts';

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
