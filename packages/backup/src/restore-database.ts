import { lockMigrations, migrateWithin, readMigrations } from '@sheaf/db/migrations';
import { uuidv7 } from '@sheaf/process';
import { documentKey, type Storage } from '@sheaf/storage';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { currentSchema, listTables } from './catalog.ts';
import { backupDamaged } from './errors.ts';
import { linesOf } from './lines.ts';
import { type LoadedDatabase, loadDatabase } from './load-database.ts';
import type { BackupManifest } from './manifest.ts';
import type { BackupReader } from './verify-checksums.ts';

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

/** Told how far long work is. */
export interface BackupReport {
  /** A phase begins; `total` where it is known. */
  begin(phase: string, total?: { readonly files: number; readonly bytes: number }): void;
  /** One more file or table is done, of so many bytes. */
  advance(bytes: number): void;
}

const ANY_HASH = '0'.repeat(64);
const ANY_PLACE = `00/00/${ANY_HASH}`;

/** The tables that say where stored files are, of the schema now and of older ones, which have not all of them or say it elsewhere. */
const TABLES_OF_FILES = ['documents', 'document_versions', 'trashed_documents', 'trashed_files'] as const;

/** Makes the rows tell where `storage` has the documents' bytes. Works with any version of the schema. */
const placeDocuments = async (client: Client, storage: Pick<Storage, 'pathOf'>): Promise<void> => {
  const path = storage.pathOf(documentKey(ANY_HASH));
  if (!path.endsWith(ANY_PLACE)) throw new Error(`storage path does not end with its key: ${path}`);
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_attribute join pg_class on pg_class.oid = attrelid
      where relnamespace = $1::regnamespace and relkind = 'r' and attname = 'file_path' and relname = any($2::text[])`,
    [client.escapeIdentifier(await currentSchema(client)), [...TABLES_OF_FILES]],
  );
  for (const { name } of rows)
    await client.query(
      `update ${name} set file_path = $1 || left(sha256, 2) || '/' || substr(sha256, 3, 2) || '/' || sha256
        where file_path <> $1 || left(sha256, 2) || '/' || substr(sha256, 3, 2) || '/' || sha256`,
      [path.slice(0, -ANY_PLACE.length)],
    );
};

/** Sealed values that open only with the APP_SECRET_KEY that they were sealed with. */
interface SealedValues {
  readonly secondFactors: number;
  readonly sourcePasswords: number;
}

/**
 * Ends what was under way when the backup was made: whoever signed in then is signed out, tokens that work once may have worked,
 * what was being read is read again, and mail that waited has probably left since: who wants it sent after all may say so. To be called with the newest schema.
 */
const settleRestored = async (client: Client, { created_at, service_version }: BackupManifest): Promise<SealedValues> => {
  await client.query('truncate sessions, one_time_tokens, stored_file_checks, import_attempts');
  await client.query(`with given_back as (
      update ocr_jobs set status = 'pending', lease_by = null, lease_until = null, claimed_at = null, processing_since = null, fence = fence + 1,
        attempts = greatest(attempts - 1, 0), due_at = least(due_at, now())
      where status = 'processing' returning document_id)
    update documents set status = 'pending', updated_at = now() where status = 'processing' or id in (select document_id from given_back)`);
  await client.query(`update deliveries set state = 'failed', lease_until = null, fence = fence + 1, last_status = null,
      last_error = 'A backup was restored. It is unknown whether this delivery was sent before.'
    where state in ('pending', 'sending')`);
  await client.query(
    `insert into audit_log (id, action, outcome, subject_type, details) values ($1, 'backup.restored', 'success', 'backup', $2)`,
    [uuidv7(), { created_at, service_version }],
  );
  const { rows } = await client.query<SealedValues>(`select
    (select count(*)::int from mfa_devices where secret is not null) as "secondFactors",
    (select count(*)::int from sources where sealed_secret is not null) as "sourcePasswords"`);
  return rows[0] ?? { secondFactors: 0, sourcePasswords: 0 };
};
