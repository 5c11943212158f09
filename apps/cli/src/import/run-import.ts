import type { Config } from '@sheaf/config';
import { AppError } from '@sheaf/contract';
import { isDatabaseUnavailable } from '@sheaf/db';
import { type ImportProgress, ImportSourceError, type ImportSummary, type NotImported } from '@sheaf/imports';
import { PaperlessArchiveError } from '@sheaf/paperless/archive';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { fromCaller } from '../caller-path.ts';
import { exitCodeOf, reasonOf } from '../failure.ts';
import { openProgress } from '../progress/progress.ts';
import type { ImportArguments } from './arguments.ts';
import { importAll, openImportDatabase } from './import-all.ts';
import { openSource } from './open-source.ts';

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
