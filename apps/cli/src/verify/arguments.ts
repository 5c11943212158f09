import { makeCommand } from '../command-line.ts';

export interface VerifyOptions {
  readonly isRepair: boolean;
  readonly isFast: boolean;
}

const makeVerifyCommand = () =>
  makeCommand('sheaf verify')
    .description(
      'Compares the search index and its statistics with the documents, compares every stored file with its hash, and finds damaged previews, pages and thumbnails and files that no document refers to. Prints a line for each difference: the check, the id of the document or the object, and what is wrong. The service may run meanwhile.',
    )
    .option(
      '--repair',
      'repair differences: files from another storage, from quarantine, or from a backup in BACKUP_PATH if the hash of the copy is correct; previews and pages by processing the document again',
    )
    .option('--fast', 'check only that stored files exist and have the right size; files known to be damaged are still read')
    .addHelpText(
      'after',
      '\nExit codes: 0 no differences, or all repaired; 1 differences are left, or it failed; 2 usage error; 78 configuration error.',
    );

/** What the command line asks for. Throws a CommanderError after printing the help or a usage error. */
export const parseArguments = (argv: readonly string[]): VerifyOptions => {
  const { repair, fast } = makeVerifyCommand().parse(argv, { from: 'user' }).opts<{ repair?: true; fast?: true }>();
  return { isRepair: repair === true, isFast: fast === true };
};
