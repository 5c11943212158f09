import { InvalidArgumentError, Option } from 'commander';
import { makeCommand } from '../command-line.ts';

export interface FactsOptions {
  /** Also documents whose facts this version found before. */
  readonly isAll: boolean;
  /** This one alone. */
  readonly documentId: string | undefined;
  /** Nothing is written. */
  readonly isDryRun: boolean;
  readonly isJson: boolean;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const documentId = (text: string): string => {
  if (!UUID.test(text)) throw new InvalidArgumentError('Use the ID of a document.');
  return text.toLowerCase();
};

const makeFactsCommand = () =>
  makeCommand('sheaf facts')
    .description(
      'Finds dates, amounts, numbers and senders in the text of processed documents and stores them, as the OCR worker does, without processing the documents again. Without options, of all documents that have none yet or those of an earlier version, so an interrupted run continues where it stopped. Dates and correspondents that people have set or chosen stay. Prints a line for each document that changes. The service may run meanwhile.',
    )
    .option('--all', 'also documents whose facts this version found before; the others come first')
    .addOption(new Option('--document <id>', 'only this document').argParser(documentId).conflicts('all'))
    .option('--dry-run', 'write nothing, print what would change')
    .option('--json', 'print the counts as JSON instead of lines')
    .addHelpText('after', '\nExit codes: 0 done; 1 failed, or failed for some documents; 2 usage error; 78 configuration error.');

/** What the command line asks for. Throws a CommanderError after printing the help or a usage error. */
export const parseArguments = (argv: readonly string[]): FactsOptions => {
  const { all, document, dryRun, json } = makeFactsCommand()
    .parse(argv, { from: 'user' })
    .opts<{ all?: true; document?: string; dryRun?: true; json?: true }>();
  return { isAll: all === true, documentId: document, isDryRun: dryRun === true, isJson: json === true };
};
