import { parseArgs } from 'node:util';
import { fromCaller } from '../caller-path.ts';

export const USAGE = `usage: sheaf restore PATH [--force]

  Puts what is in a backup (a directory or an archive that sheaf backup made) in the place of the database and the stored
  files of this configuration. The service has to be stopped, and cannot start meanwhile. The whole backup is read and its
  hashes are compared before anything is changed; then come the files, each read back; then the database, as one change at the
  very end. Where it fails or is killed before that, the database is as it was: run it again.

  A backup of an older version is brought up to this one. Documents go to the storage of this configuration, whatever the
  backup was made from. Whoever was signed in has to sign in again, and links sent by mail do not work any more; users, keys and
  rights are as they were at the time of the backup, also those that were taken away since. Generated secrets are restored
  where the backup has them; the rest of its configuration is compared with this one, and differences are printed.

  --force    even though there are documents or users here: their rows are replaced. Stored files that nobody refers to then
             are set aside by the service for 30 days before they are removed

  Exit codes: 0 restored; 1 it failed; 2 wrong usage; 69 the service, a backup or another restore runs; 78 configuration error.
`;

export interface RestoreCommand {
  readonly path: string;
  readonly isForced: boolean;
}

/** What the command line asks for; undefined when it is not one of ours. */
export const parseArguments = (argv: readonly string[]): RestoreCommand | 'help' | undefined => {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: { force: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    });
    const [path] = positionals;
    if (values.help === true) return 'help';
    return path === undefined || path === '' || positionals.length > 1
      ? undefined
      : { path: fromCaller(path), isForced: values.force === true };
  } catch {
    return undefined; // an unknown flag
  }
};
