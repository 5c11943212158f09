import { Argument, InvalidArgumentError } from 'commander';
import { makeCommand } from '../command-line.ts';

export interface ImportArguments {
  /** Path of the export as it was given. */
  readonly path: string;
  /** What the other installation is called here. */
  readonly name: string;
  /** Who gets documents without an owner; the first administrator where nobody is named. */
  readonly owner: string | undefined;
  readonly passphraseFile: string | undefined;
  /** Nothing is written. */
  readonly isDryRun: boolean;
  readonly isJson: boolean;
}

const sourceName = (text: string): string => {
  if (!/^[a-z0-9][a-z0-9_-]{0,49}$/.test(text)) throw new InvalidArgumentError('Use 1 to 50 of a-z, 0-9, - and _.');
  return text;
};

const makeImportCommand = () =>
  makeCommand('sheaf import')
    .description(
      'Imports the export of another system: for paperless, the folder or ZIP file that document_exporter of Paperless-ngx has written. Documents keep their text and are not processed again; those without text are processed in the background. A second run continues an interrupted one, and adds what is new. Prints a line for everything that is not imported, and a summary. The service may run meanwhile.',
    )
    .addArgument(new Argument('<kind>', 'system that the export is from').choices(['paperless']))
    .argument('<source>', 'folder or ZIP file of the export')
    .option('--dry-run', 'write nothing, print what would be imported and what would not')
    .option('--owner <user>', 'user who gets documents without an owner; default: the first administrator')
    .option('--name <name>', 'name of the other installation; use another one for each that you import from', sourceName, 'paperless')
    .option('--passphrase-file <file>', 'file with the passphrase of an encrypted export')
    .option('--json', 'print the result as JSON instead of lines')
    .addHelpText(
      'after',
      '\nExit codes: 0 everything was imported; 1 something was left out, or it failed; 2 usage error; 69 the database or the storage cannot be reached; 78 configuration error, or an export that cannot be used.',
    );

interface Options {
  readonly dryRun?: true;
  readonly owner?: string;
  readonly name: string;
  readonly passphraseFile?: string;
  readonly json?: true;
}

/** What the command line asks for. Throws a CommanderError after printing the help or a usage error. */
export const parseArguments = (argv: readonly string[]): ImportArguments => {
  const command = makeImportCommand().parse(argv, { from: 'user' });
  const { dryRun, owner, name, passphraseFile, json } = command.opts<Options>();
  const [, path = ''] = command.args;
  return { path, name, owner, passphraseFile, isDryRun: dryRun === true, isJson: json === true };
};
