import { DEFAULT_NAME_FORMAT, NAME_PARTS, refusalOfNameFormat } from '@sheaf/paperless/export/names';
import { InvalidArgumentError, Option } from 'commander';
import { fromCaller, makeCommand } from '../command-line.ts';

export interface ExportOptions {
  readonly target: string;
  /** Undefined for the whole library. */
  readonly query: string | undefined;
  readonly isZip: boolean;
  readonly isIncremental: boolean;
  readonly hasSearchable: boolean;
  readonly nameFormat: string;
  /** Undefined: what the library needs. */
  readonly format: 2 | 3 | undefined;
}

interface Flags {
  readonly search?: string;
  readonly zip?: true;
  readonly incremental?: true;
  readonly searchable?: true;
  readonly nameFormat: string;
  readonly paperlessVersion?: '2' | '3';
}

const nameFormat = (text: string): string => {
  const refusal = refusalOfNameFormat(text);
  if (refusal !== undefined) throw new InvalidArgumentError(refusal);
  return text;
};

const query = (text: string): string => {
  if (text.trim() === '') throw new InvalidArgumentError('Use a query, or leave the option out to export everything.');
  return text;
};

/** What the command line asks for. Throws a CommanderError after printing the help or a usage error. */
export const parseArguments = (argv: readonly string[]): ExportOptions => {
  let chosen: ExportOptions | undefined;
  const command = makeCommand('sheaf export').description('Exports documents in the format of another system.');
  const paperless = command
    .command('paperless')
    .description(
      'Exports the library to a folder in the format of the exporter of Paperless-ngx: the original files and a manifest with titles, texts, dates, labels, correspondents, document types, custom fields, notes, users and saved searches. Both `sheaf import paperless` and the importer of Paperless-ngx read it. The service may run meanwhile. The manifest gets its name only when the export is complete. Documents whose file is missing or damaged are named and left out.',
    )
    .argument('<target>', 'folder, which is created or must be empty; with --zip the file to create')
    .addOption(
      new Option('--search <query>', 'export only the processed documents that an administrator finds with this query').argParser(query),
    )
    .option('--zip', 'write a ZIP archive instead of a folder')
    .option(
      '--incremental',
      'update the export in the folder: files that are there with the right checksum are kept, files of deleted documents are removed if an earlier export wrote them. An interrupted export is continued',
    )
    .option(
      '--searchable',
      'also write the searchable PDFs of scans and the PDFs of office documents, as the archive files of Paperless-ngx. Those that are not stored are generated for each export, which takes a second for about 20 pages',
    )
    .addOption(
      new Option('--name-format <format>', `names of the files, with / between folders; values: ${NAME_PARTS.join(', ')}`)
        .argParser(nameFormat)
        .default(DEFAULT_NAME_FORMAT),
    )
    .addOption(
      new Option(
        '--paperless-version <version>',
        'format of Paperless-ngx 2 or 3; default: 2, or 3 if two documents have the same file, which version 2 does not allow',
      ).choices(['2', '3']),
    )
    .addHelpText('after', '\nExit codes: 0 done; 1 failed, or documents were left out; 2 usage error; 78 configuration error.')
    .action((target: string, { search, zip, incremental, searchable, nameFormat: names, paperlessVersion }: Flags) => {
      if (zip === true && incremental === true) paperless.error('error: --incremental cannot be combined with --zip');
      chosen = {
        target: fromCaller(target),
        query: search,
        isZip: zip === true,
        isIncremental: incremental === true,
        hasSearchable: searchable === true,
        nameFormat: names,
        format: paperlessVersion === undefined ? undefined : paperlessVersion === '2' ? 2 : 3,
      };
    });
  command.parse(argv, { from: 'user' });
  return chosen ?? command.error('error: nothing to do');
};
