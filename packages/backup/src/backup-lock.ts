import { FILES_IN_BACKUP_LOCK } from '@sheaf/documents';
import { FatalError } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { Client } from 'pg';

/** One backup at a time ("shk" in hexadecimal). */
const ONE_BACKUP_LOCK = [0x73_68_6b, 2] as const;

/**
 * Takes the locks of a backup, or of a restore, for as long as the connection lives: that it is the only one, and that nobody removes stored files.
 * Waits for those who are removing some now. Throws a FatalError with exit code 69 where another backup runs.
 */
export const takeBackupLocks = async (client: Client): Promise<void> => {
  const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1, $2) as held', [...ONE_BACKUP_LOCK]);
  if (rows[0]?.held !== true)
    throw new FatalError('another backup or restore of this database is running; wait until it has finished', EXIT.replicaRuns);
  await client.query('select pg_advisory_lock($1, $2)', [...FILES_IN_BACKUP_LOCK]);
};
