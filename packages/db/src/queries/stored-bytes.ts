import type { Db } from '../client.ts';
import { sql } from '../drizzle.ts';

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
