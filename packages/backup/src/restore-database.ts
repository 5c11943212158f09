import { lockMigrations, migrateWithin, readMigrations } from '@sheaf/db/migrations';
import type { Storage } from '@sheaf/storage';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { BackupReader } from './backup-reader.ts';
import { currentSchema, listTables } from './catalog.ts';
import { backupDamaged } from './errors.ts';
import { linesOf } from './lines.ts';
import { type LoadedDatabase, loadDatabase } from './load-database.ts';
import type { BackupReport } from './report.ts';
import { placeDocuments, type SealedValues, settleRestored } from './settle-restored.ts';

/** Throws BACKUP_DAMAGED where bytes that a row refers to are neither in the backup nor among those it says are missing. */
const requireFiles = async (client: Client, reader: Pick<BackupReader, 'manifest' | 'listFiles'>): Promise<void> => {
  const missing = new Set(reader.manifest.files.missing.map(({ sha256 }) => sha256));
  const listed = reader.listFiles()[Symbol.asyncIterator]();
  let next = await listed.next();
  const rows: AsyncIterable<Buffer> = client.query(
    copyTo('copy (select distinct sha256 collate "C" from kept_files order by 1) to stdout', { highWaterMark: 256 * 1024 }),
  );
  let lacking: string | undefined;
  // to its end in any case, as the connection is needed
  for await (const sha256 of linesOf(rows)) {
    while (next.done !== true && next.value.sha256 < sha256) next = await listed.next();
    if ((next.done === true || next.value.sha256 !== sha256) && !missing.has(sha256)) lacking ??= sha256;
  }
  if (lacking !== undefined) throw backupDamaged(`the file ${lacking} of a document is missing in it`);
};

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
