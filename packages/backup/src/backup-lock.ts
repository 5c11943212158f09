import { makeProblem } from '@sheaf/contract/operations';
import { FILES_IN_BACKUP_LOCK } from '@sheaf/documents';
import { FatalError } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { Client } from 'pg';

/** One backup at a time ("shk" in hexadecimal). */
export const ONE_BACKUP_LOCK = [0x73_68_6b, 2] as const;

/**
 * Takes the locks of a backup, or of a restore, for as long as the connection lives: that it is the only one, and that nobody removes stored files.
 * Waits for those who are removing some now. Throws a FatalError with exit code 69 where another backup runs, and with 78 on a standby,
 * whose locks those who remove files do not see.
 */
export const takeBackupLocks = async (client: Client): Promise<void> => {
  const server = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
  if (server.rows[0]?.standby === true) throw new FatalError(makeProblem('backup_on_standby'), EXIT.configuration);
  const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1, $2) as held', [...ONE_BACKUP_LOCK]);
  if (rows[0]?.held !== true) throw new FatalError(makeProblem('backup_running'), EXIT.replicaRuns);
  await client.query('select pg_advisory_lock($1, $2)', [...FILES_IN_BACKUP_LOCK]);
};
