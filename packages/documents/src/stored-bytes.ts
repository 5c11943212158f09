import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';

/** First key of the advisory locks over stored bytes ("shb" in hexadecimal). */
export const BYTES_LOCKS = 0x73_68_62;

/**
 * Holds the bytes with this hash until the end of the transaction: shared by those who make rows that refer to them, alone by
 * the one who removes them because no row does.
 */
export const lockStoredBytes = async (tx: Db, sha256: string, mode: 'share' | 'alone'): Promise<void> => {
  const lock = mode === 'share' ? sql`pg_advisory_xact_lock_shared` : sql`pg_advisory_xact_lock`;
  await tx.execute(sql`select ${lock}(${BYTES_LOCKS}, hashtext(${sha256}))`);
};

/** Advisory lock that a backup holds alone while it copies files, and everyone shares who removes some ("shk" in hexadecimal). */
export const FILES_IN_BACKUP_LOCK = [0x73_68_6b, 1] as const;

/**
 * Keeps backups from beginning until the end of the transaction, because it removes bytes. False while one runs: its snapshot may
 * have rows that refer to them, so they stay, for the sweep to find.
 */
export const holdOffBackup = async (tx: Db): Promise<boolean> => {
  const [space, key] = FILES_IN_BACKUP_LOCK;
  const { rows } = await tx.execute<{ held: boolean }>(sql`select pg_try_advisory_xact_lock_shared(${space}::int, ${key}::int) as held`);
  return rows[0]?.held === true;
};
