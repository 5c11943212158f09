import { fromCaller, makeCommand } from '../command-line.ts';

export interface RestoreCommand {
  readonly path: string;
  readonly isForced: boolean;
}

const makeRestoreCommand = () =>
  makeCommand('sheaf restore')
    .description(
      `Replaces the database and the stored files of this configuration with the contents of a backup. Stop the service first; it cannot start meanwhile. The whole backup is read and its hashes are compared before anything changes. Then the files are written and read back, then the database is replaced in one transaction. If the restore fails before that, the database is unchanged: run it again.

A backup of an older version is migrated to this version. Documents go to the storage of this configuration. All sessions end and links sent by e-mail become invalid. Users, API keys and permissions return to their state at the time of the backup, including those revoked since. Generated secrets are restored if the backup contains them. Differences between the configuration of the backup and this one are printed.`,
    )
    .argument('<path>', 'directory or archive made by "sheaf backup"', (path: string) => fromCaller(path))
    .option(
      '--force',
      'replace existing documents and users. Stored files that are no longer referenced are quarantined for 30 days, then removed',
    )
    .addHelpText(
      'after',
      `
Exit codes: 0 restored; 1 failed; 2 usage error; 69 the service, a backup or another restore is running; 78 configuration error.`,
    );

/** What the command line asks for. Throws a CommanderError after printing the help or a usage error. */
export const parseArguments = (argv: readonly string[]): RestoreCommand => {
  const command = makeRestoreCommand().parse(argv, { from: 'user' });
  const path: unknown = command.processedArgs[0];
  if (typeof path !== 'string' || command.args[0] === '') return command.error('error: the path is empty');
  return { path, isForced: command.opts<{ force?: true }>().force === true };
};
