import { lockMigrations, migrateWithin, readMigrations } from '@sheaf/db';
import type { Storage } from '@sheaf/storage';
import type { Client } from 'pg';
import type { BackupReader } from './backup-reader.ts';
import { currentSchema, listTables } from './catalog.ts';
import { type LoadedDatabase, loadDatabase } from './load-database.ts';
import type { BackupReport } from './report.ts';
import { requireFiles } from './require-files.ts';
import { placeDocuments, type SealedValues, settleRestored } from './settle-restored.ts';

export interface RestoreDatabaseDeps {
  readonly reader: BackupReader;
  /** Has the files already. */
  readonly storage: Pick<Storage, 'pathOf'>;
  readonly signal: AbortSignal;
  readonly report: BackupReport;
}

export interface RestoredDatabase extends LoadedDatabase {
  readonly sealed: SealedValues;
}

/**
 * Puts the database of the backup in the place of the present one, in one transaction, and brings its schema up to that of this
 * version. After a failure the present one is as it was, and the connection is good for nothing but to be ended.
 */
export const restoreDatabase = async (client: Client, deps: RestoreDatabaseDeps): Promise<RestoredDatabase> => {
  const { reader, storage, signal, report } = deps;
  const { tables } = reader.manifest.database;
  report.begin('database', { files: tables.length, bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0) });
  await client.query('begin');
  await lockMigrations(client);
  const loaded = await loadDatabase(client, reader, {
    signal,
    onTable: ({ bytes }) => report.advance(bytes),
    adjust: (on) => placeDocuments(on, storage),
  });
  report.begin('schema and statistics');
  await migrateWithin(client, await readMigrations(), Number.POSITIVE_INFINITY);
  const sealed = await settleRestored(client, reader.manifest);
  await requireFiles(client, reader);
  for (const { name } of await listTables(client, await currentSchema(client)))
    await client.query(`analyze ${client.escapeIdentifier(name)}`);
  signal.throwIfAborted();
  await client.query('commit');
  return { ...loaded, sealed };
};
