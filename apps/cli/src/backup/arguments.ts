import { parseArgs } from 'node:util';
import { fromCaller } from '../caller-path.ts';

export const USAGE = `usage: sheaf backup [--output DIR] [--archive] [--with-secrets] [--keep N] [--full]
       sheaf backup list [--output DIR]
       sheaf backup verify PATH [--fast]

  Makes a backup of the database, the stored files and the configuration, while the service runs or stands: a directory in
  BACKUP_PATH, named by the time, which is whole as soon as it has its name. Its path is the last line on stdout. A file that
  the backup before it has is linked to that one where the file system can, so it costs no space; each backup may still be
  deleted by itself. Where a backup was interrupted, the next one goes on.

  --output DIR      make it in DIR instead
  --archive         one .tar file instead of a directory; always with all files
  --with-secrets    with the values of secret variables and the generated secrets, without which second factors and the
                    passwords of sources cannot be restored: keep such a backup where only you can read it
  --keep N          remove all whole backups in that folder but the newest N, once this one is whole
  --full            read every file from the storage, also those that the backup before has

  list              the backups in that folder
  verify PATH       read and hash everything in a backup, load its database into a scratch schema and compare that
                    --fast   without the database

  Exit codes: 0 done, or verified; 1 it failed, files are lost, or the backup is damaged; 2 wrong usage; 69 another backup
  runs; 78 configuration error.
`;

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
  | { readonly verb: 'verify'; readonly path: string; readonly isFast: boolean }
  | { readonly verb: 'help' };

const OPTIONS = {
  output: { type: 'string' },
  archive: { type: 'boolean' },
  'with-secrets': { type: 'boolean' },
  keep: { type: 'string' },
  full: { type: 'boolean' },
  fast: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const FLAGS_OF = {
  make: ['output', 'archive', 'with-secrets', 'keep', 'full'],
  list: ['output'],
  verify: ['fast'],
} as const satisfies Record<Exclude<BackupCommand['verb'], 'help'>, readonly (keyof typeof OPTIONS)[]>;

type Flags = NonNullable<ReturnType<typeof readFlags>>['values'];

const readFlags = (argv: readonly string[]) => {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  } catch {
    return undefined; // an unknown flag
  }
};

const folderOf = ({ output }: Flags): string | undefined => (output === undefined ? undefined : fromCaller(output));

const toMake = (flags: Flags): BackupCommand | undefined => {
  if (flags.keep !== undefined && !/^[1-9]\d{0,5}$/.test(flags.keep)) return undefined;
  return {
    verb: 'make',
    folder: folderOf(flags),
    isArchive: flags.archive === true,
    isFull: flags.full === true,
    withSecrets: flags['with-secrets'] === true,
    keep: flags.keep === undefined ? undefined : Number(flags.keep),
  };
};

const toCommand = (flags: Flags, [verb = 'make', path, ...rest]: readonly string[]): BackupCommand | undefined => {
  if (rest.length > 0) return undefined;
  if (verb === 'verify') return path === undefined ? undefined : { verb, path, isFast: flags.fast === true };
  if (path !== undefined) return undefined;
  if (verb === 'list') return { verb, folder: folderOf(flags) };
  return verb === 'make' ? toMake(flags) : undefined;
};

/** What the command line asks for; undefined when it is not one of ours. */
export const parseArguments = (argv: readonly string[]): BackupCommand | undefined => {
  const read = readFlags(argv);
  if (read === undefined) return undefined;
  if (read.values.help === true) return { verb: 'help' };
  const command = toCommand(read.values, read.positionals);
  if (command === undefined || command.verb === 'help') return undefined;
  const allowed: readonly string[] = FLAGS_OF[command.verb];
  return Object.keys(read.values).every((flag) => allowed.includes(flag)) ? command : undefined;
};
