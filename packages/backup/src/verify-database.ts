import { randomBytes } from 'node:crypto';
import { AppError, type Secret } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import { connectClient } from '@sheaf/db';
import { FatalError } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { loadDatabase } from './load-database.ts';
import type { BackupTable } from './manifest.ts';
import type { BackupReader } from './verify-checksums.ts';

export interface VerifyDatabaseOptions {
  readonly databaseUrl: Secret;
  readonly signal: AbortSignal;
  readonly onTable?: (table: BackupTable) => void;
}

/**
 * Loads the database of the backup into a schema of its own beside that of the service, which compares what was loaded, and takes all of
 * it back. Says in words what is wrong; nothing where it can be restored. A process that is killed meanwhile leaves nothing behind.
 */
export const verifyDatabase = async (
  reader: BackupReader,
  { databaseUrl, signal, onTable = () => {} }: VerifyDatabaseOptions,
): Promise<readonly string[]> => {
  const client = await connectClient(databaseUrl, { applicationName: 'sheaf backup verify' });
  let lost: Error | undefined;
  client.on('error', (error) => (lost = error));
  try {
    await client.query('begin'); // and never commit
    await loadDatabase(client, reader, { schema: `sheaf_verify_${randomBytes(4).toString('hex')}`, signal, onTable });
    return [];
  } catch (error) {
    if (lost !== undefined) throw new FatalError(makeProblem('database_connection_lost', { operation: 'verify' }), EXIT.failed, lost);
    if (signal.aborted) throw signal.reason;
    if (error instanceof AppError || error instanceof FatalError) return [error.message];
    throw error;
  } finally {
    await client.end();
  }
};
