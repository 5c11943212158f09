import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { IMPORT_KINDS, IMPORT_NAME, type ImportKind } from '@sheaf/vocabulary/imports';
import { Argument, InvalidArgumentError } from 'commander';
import { makeCommand } from '../command-line.ts';

export interface ImportArguments {
  readonly kind: ImportKind;
  /** Path of the export as it was given. */
  readonly path: string;
  /** What the other installation is called here. */
  readonly name: string;
  /** Who gets documents without an owner; the first administrator where nobody is named. */
  readonly owner: string | undefined;
  readonly passphraseFile: string | undefined;
  /** What the parts of paths below a folder are. */
  readonly pattern: string | undefined;
  /** File with the address of Readur's database. */
  readonly databaseUrlFile: string | undefined;
  /** Nothing is written. */
  readonly isDryRun: boolean;
  readonly isJson: boolean;
}

const sourceName = (text: string): string => {
  if (!IMPORT_NAME.test(text)) throw new InvalidArgumentError('Use 1 to 50 of a-z, 0-9, - and _.');
  return text;
};

const makeImportCommand = () =>
  makeCommand('sheaf import')
    .description(
      `Imports the archive of another system, or a folder. A second run continues an interrupted one, and adds what is new. Prints a line for everything that is not imported, and a summary. The service may run meanwhile.

paperless: the folder or ZIP file that document_exporter of Paperless-ngx has written.
folder: a folder of documents. Its folders become labels, or what --pattern says; dates are read from names, and facts from .json and .xmp files beside the documents.
mbox: an mbox file, a Maildir, or a folder with such or with .eml files. Messages become PDFs, and the files that came with them documents.
docspell: the target folder of "dsc export".
papra: the data folder of Papra, with db/db.sqlite and documents/ in it.
readur: the upload folder of Readur, with --database-url-file.

Documents that have their text are not processed again; those without are processed in the background.`,
    )
    .addArgument(new Argument('<kind>', 'what is imported').choices(IMPORT_KINDS))
    .argument('<source>', 'folder or ZIP file')
    .option('--dry-run', 'write nothing, print what would be imported and what would not')
    .option('--owner <user>', 'user who gets documents without an owner; default: the first administrator')
    .option('--name <name>', 'name of what is imported; use another one for each installation or folder; default: the kind', sourceName)
    .option('--passphrase-file <file>', 'file with the passphrase of an encrypted export')
    .option(
      '--pattern <pattern>',
      'with folder: what the parts of paths are, such as {correspondent}/{year}/{date} {title}; default: {labels}/{title}',
    )
    .option('--database-url-file <file>', "with readur: file with the address of Readur's database")
    .option('--json', 'print the result as JSON instead of lines')
    .addHelpText(
      'after',
      '\nExit codes: 0 everything was imported; 1 something was left out, or it failed; 2 usage error; 69 the database or the storage cannot be reached; 78 configuration error, or an export that cannot be used.',
    );

interface Options {
  readonly dryRun?: true;
  readonly owner?: string;
  readonly name?: string;
  readonly passphraseFile?: string;
  readonly pattern?: string;
  readonly databaseUrlFile?: string;
  readonly json?: true;
}

/** Which options belong to one kind alone. */
const requireFitting = (kind: ImportKind, { passphraseFile, pattern, databaseUrlFile }: Options): void => {
  const wrong = [
    ['--passphrase-file', passphraseFile, 'paperless'],
    ['--pattern', pattern, 'folder'],
    ['--database-url-file', databaseUrlFile, 'readur'],
  ].find(([, value, only]) => value !== undefined && only !== kind);
  if (wrong !== undefined) throw new InvalidArgumentError(`${wrong[0]} is an option of ${wrong[2]} alone.`);
  if (kind === 'readur' && databaseUrlFile === undefined)
    throw new InvalidArgumentError('Name the database of Readur with --database-url-file.');
};

/** What the command line asks for. Throws a CommanderError after printing the help or a usage error. */
export const parseArguments = (argv: readonly string[]): ImportArguments => {
  const command = makeImportCommand().parse(argv, { from: 'user' });
  const options = command.opts<Options>();
  const kind = IMPORT_KINDS.find((known) => known === command.args[0]) ?? 'paperless';
  try {
    requireFitting(kind, options);
  } catch (error) {
    if (error instanceof InvalidArgumentError) command.error(`error: ${error.message}`, { exitCode: EXIT.usage });
    throw error;
  }
  const { dryRun, owner, name = kind, passphraseFile, pattern, databaseUrlFile, json } = options;
  const [, path = ''] = command.args;
  return { kind, path, name, owner, passphraseFile, pattern, databaseUrlFile, isDryRun: dryRun === true, isJson: json === true };
};
