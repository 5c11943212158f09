import { Option } from 'commander';
import { countUpTo, fromCaller, makeCommand } from '../command-line.ts';

export type BackupCommand =
  | {
      readonly verb: 'make';
      /** Undefined: as configured. */
      readonly folder: string | undefined;
      readonly isArchive: boolean;
      readonly isFull: boolean;
      readonly withSecrets: boolean;
      readonly keep: number | undefined;
    }
  | { readonly verb: 'list'; readonly folder: string | undefined }
  | { readonly verb: 'verify'; readonly path: string; readonly isFast: boolean };

interface Flags {
  readonly output?: string;
  readonly archive?: true;
  readonly withSecrets?: true;
  readonly keep?: number;
  readonly full?: true;
}

const MOST_KEPT = 999_999;

const outputOption = (description: string): Option => new Option('--output <dir>', description).argParser(fromCaller);

/** What the command line asks for. Throws a CommanderError after printing the help or a usage error. */
export const parseArguments = (argv: readonly string[]): BackupCommand => {
  let chosen: BackupCommand | undefined;
  const command = makeCommand('sheaf backup')
    .enablePositionalOptions()
    .description(
      'Backs up the database, the stored files and the configuration to a directory in BACKUP_PATH named after the time. The service may run meanwhile. The directory gets its name only when the backup is complete; its path is the last line on stdout. Files that the previous backup contains are hard links where the file system supports them; each backup can still be deleted independently. An interrupted backup is continued by the next one.',
    )
    .addOption(outputOption('write the backup to this directory instead of BACKUP_PATH'))
    .option('--archive', 'write one .tar file, always with all files, instead of a directory')
    .option(
      '--with-secrets',
      'include the values of secret variables and the generated secrets, without which second factors and the passwords of sources cannot be restored. Keep such a backup where only you can read it',
    )
    .option('--keep <n>', 'once this backup is complete, remove all but the newest n complete backups', countUpTo(MOST_KEPT))
    .option('--full', 'read all files from the storage, including those that the previous backup contains')
    .addHelpText(
      'after',
      `
Exit codes: 0 done or verified; 1 failed, files are missing, or the backup is damaged; 2 usage error; 69 another backup is running;
78 configuration error.`,
    )
    .action(({ output, archive, withSecrets, keep, full }: Flags) => {
      chosen = {
        verb: 'make',
        folder: output,
        isArchive: archive === true,
        isFull: full === true,
        withSecrets: withSecrets === true,
        keep,
      };
    })
    .hook('preSubcommand', (parent, subcommand) => {
      const flags: Readonly<Record<string, unknown>> = parent.opts();
      const foreign = parent.options.find(
        (option) => flags[option.attributeName()] !== undefined && !(subcommand.name() === 'list' && option.long === '--output'),
      );
      if (foreign !== undefined) parent.error(`error: ${foreign.long} cannot be combined with "${subcommand.name()}"`);
    });
  command
    .command('list')
    .description('list the backups in BACKUP_PATH')
    .addOption(outputOption('list the backups in this directory instead'))
    .action(({ output }: Flags) => {
      chosen = { verb: 'list', folder: output ?? command.opts<Flags>().output };
    });
  command
    .command('verify')
    .description('read and hash everything in a backup, load its database into a temporary schema and compare it')
    .argument('<path>', 'directory or archive of the backup')
    .option('--fast', 'skip the database')
    .action((path: string, { fast }: { readonly fast?: true }) => {
      chosen = { verb: 'verify', path, isFast: fast === true };
    });
  command.parse(argv, { from: 'user' });
  return chosen ?? command.error('error: nothing to do');
};
