import { randomBytes } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { AppError, type Secret } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import { connectClient, sqlState } from '@sheaf/db';
import { lockMigrations, type Migration, migrateWithin, readMigrations } from '@sheaf/db/migrations';
import { FatalError, uuidv7 } from '@sheaf/process';
import { documentKey, type Storage } from '@sheaf/storage';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { compareTables, currentSchema, listTables, OMITTED_TABLES, prepareDumpSession } from './compare-tables.ts';
import { type BackupManifest, type BackupTable, backupDamaged } from './manifest.ts';
import { linesOf } from './measure.ts';
import type { BackupReader } from './verify-checksums.ts';

export interface LoadOptions {
  /** A schema that is made for it, and is the first of the search path until the end of the transaction; undefined: the current one. */
  readonly schema?: string;
  readonly signal: AbortSignal;
  /** Called for each table whose rows are in. */
  readonly onTable?: (table: BackupTable) => void;
  /** Changes rows while neither triggers nor indexes look on. */
  readonly adjust?: (client: Client) => Promise<void>;
}

export interface LoadedDatabase {
  readonly tables: number;
  readonly rows: number;
  readonly bytes: number;
  /** Tables of the backup that no version of the schema has; they are left out. */
  readonly foreignTables: readonly string[];
}

/**
 * Makes the database of the backup, in the version of the schema that it has there, within a transaction that the caller has begun and
 * ends: until then everybody else sees the old one, and after a rollback it is still there. What is loaded is dumped once more and
 * compared. After a failure the connection is good for nothing but to be ended. Throws BACKUP_DAMAGED; a FatalError where the backup
 * has a newer schema, or the database is in no state to load it.
 */
export const loadDatabase = async (
  client: Client,
  reader: Pick<BackupReader, 'manifest' | 'table'>,
  { schema, signal, onTable = () => {}, adjust = async () => {} }: LoadOptions,
): Promise<LoadedDatabase> => {
  const { database, schema_version: version } = reader.manifest;
  const known = await readMigrations();
  refuseNewerSchema(reader.manifest, known);
  await prepareDumpSession(client);
  await client.query(`set local maintenance_work_mem = '128MB'`); // for making indexes
  if (schema !== undefined) await enterNewSchema(client, schema);
  await rebuildSchema(client, known, version);
  const own = new Set(tablesOf(known));
  const tables = database.tables.filter(({ name }) => own.has(name));
  await requireAllTables(client, tables, own);
  const taken = await takeSideStructures(
    client,
    tables.map(({ name }) => name),
  );
  for (const table of tables) {
    await loadTable(client, reader, table, signal);
    onTable(table);
  }
  const [finding] = await compareTables(client, tables, signal);
  if (finding !== undefined) throw new FatalError(makeProblem('backup_restored_differently', { error: finding }));
  await setSequences(client, reader.manifest);
  await adjust(client);
  await putSideStructures(client, taken, signal);
  return {
    tables: tables.length,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0),
    foreignTables: database.tables.filter(({ name }) => !own.has(name)).map(({ name }) => name),
  };
};

/** Throws a FatalError where the backup is of a later version of the service than this one. */
export const refuseNewerSchema = (
  { schema_version, service_version }: Pick<BackupManifest, 'schema_version' | 'service_version'>,
  known: readonly Migration[],
): void => {
  const newest = known.at(-1)?.version ?? 0;
  if (schema_version > newest)
    throw new FatalError(makeProblem('backup_newer', { version: schema_version, expected: newest, service_version }));
};

/** Extensions and dictionaries stay reachable behind it. */
const enterNewSchema = async (client: Client, schema: string): Promise<void> => {
  const name = client.escapeIdentifier(schema);
  await client.query(`create schema ${name}`);
  await client.query(`select set_config('search_path', $1 || ', ' || current_setting('search_path'), true)`, [name]);
};

/** A table of the schema without its part in the backup would silently become empty. */
const requireAllTables = async (client: Client, tables: readonly BackupTable[], own: ReadonlySet<string>): Promise<void> => {
  const present = (await listTables(client, await currentSchema(client))).map(({ name }) => name).filter((name) => own.has(name));
  const missing = present.find((name) => !Object.hasOwn(OMITTED_TABLES, name) && !tables.some((table) => table.name === name));
  if (missing !== undefined) throw backupDamaged(`the table ${missing} is missing`);
  const unknown = tables.find(({ name }) => !present.includes(name));
  if (unknown !== undefined) throw backupDamaged(`it contains the table ${unknown.name}, which is not part of its schema version`);
};

const loadTable = async (
  client: Client,
  reader: Pick<BackupReader, 'table'>,
  { name, columns, rows }: BackupTable,
  signal: AbortSignal,
): Promise<void> => {
  const listed = columns.map((column) => client.escapeIdentifier(column)).join(', ');
  const target = client.query(copyFrom(`copy ${client.escapeIdentifier(name)} (${listed}) from stdin`));
  await pipeline(reader.table(name), target, { signal });
  if (target.rowCount !== rows) throw backupDamaged(`the table ${name} has ${target.rowCount} rows, not ${rows}`);
};

const setSequences = async (client: Client, { database }: BackupManifest): Promise<void> => {
  const schema = client.escapeIdentifier(await currentSchema(client));
  for (const { name, last_value, is_called } of database.sequences) {
    const sequence = `${schema}.${client.escapeIdentifier(name)}`;
    const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [sequence]);
    if (rows[0]?.there === true) await client.query('select setval($1::regclass, $2::bigint, $3)', [sequence, last_value, is_called]);
  }
};

/** What was taken off tables, as the statements that put it back. */
type SideStructures = readonly string[];

interface Pair {
  readonly take: string;
  readonly put: string;
}

const FOREIGN_KEYS = `
  select format('alter table %1$s drop constraint %2$I', conrelid::regclass, conname) as take,
    format('alter table %1$s add constraint %2$I %3$s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as put
  from pg_constraint
  where contype = 'f' and conparentid = 0 and conrelid = any ($1::regclass[])
  order by conrelid::regclass::text, conname`;

const PLAIN_INDEXES = `
  select format('drop index %s', indexrelid::regclass) as take, pg_get_indexdef(indexrelid) as put
  from pg_index
  where indrelid = any ($1::regclass[]) and not exists (select from pg_constraint where conindid = indexrelid)
  order by indexrelid::regclass::text`;

/**
 * Takes foreign keys and indexes off the tables and lets their triggers rest: rows then come in any order, what triggers would count
 * comes with them, and an index that is made of all rows at once takes a tenth of the time. Keys stay. Within a transaction only:
 * nobody may see the tables so.
 */
const takeSideStructures = async (client: Client, tables: readonly string[]): Promise<SideStructures> => {
  const names = tables.map((table) => client.escapeIdentifier(table));
  for (const name of names) await client.query(`alter table ${name} disable trigger user`);
  const keys = await client.query<Pair>(FOREIGN_KEYS, [names]);
  const indexes = await client.query<Pair>(PLAIN_INDEXES, [names]);
  for (const { take } of [...keys.rows, ...indexes.rows]) await client.query(take);
  // indexes first: foreign keys are compared with their help
  return [...indexes.rows, ...keys.rows].map(({ put }) => put).concat(names.map((name) => `alter table ${name} enable trigger user`));
};

/** Puts back what was taken off. Throws where rows break what is restored. */
const putSideStructures = async (client: Client, taken: SideStructures, signal: AbortSignal): Promise<void> => {
  for (const statement of taken) {
    signal.throwIfAborted();
    await client.query(statement);
  }
};

/** The first migration makes extensions as well, which others may use, and which only their owner could drop and make again. */
const FIRST_VERSION = 1;

/** Somebody who has a table in use for longer is not about to end. */
const LOCK_TIMEOUT_MS = 10_000;
const LOCK_NOT_AVAILABLE = '55P03';

/** SQLSTATEs of things that are not there, are there already, or have something of somebody else hanging on them. */
const NOT_AS_EXPECTED = new Set(['42P01', '42703', '42704', '42883', '42P07', '42701', '42710', '42723', '3F000', '0A000', '2BP01']);

const CREATED_TABLE = /^create (?:unlogged )?table (?:if not exists )?([a-z_][a-z0-9_]*)/gm;

/** All tables that any version of the schema has, so that nothing else in the database is ever touched. */
const tablesOf = (known: readonly Migration[]): string[] => [
  ...new Set(known.flatMap(({ up }) => [...up.matchAll(CREATED_TABLE)].map(([, name = '']) => name))),
];

/** Empties those tables of the current schema that belong to the service. */
const emptyTables = async (client: Client, known: readonly Migration[]): Promise<void> => {
  const own = new Set(tablesOf(known));
  const present = (await listTables(client, await currentSchema(client))).filter(({ name }) => own.has(name));
  if (present.length > 0) await client.query(`truncate ${present.map(({ name }) => client.escapeIdentifier(name)).join(', ')}`);
};

/**
 * Makes the tables of the current schema anew as they are in `version`, and empty, within the transaction that the caller has begun.
 * Throws a FatalError where the schema is not the one that its migrations made, or a newer one.
 */
const rebuildSchema = async (client: Client, known: readonly Migration[], version: number): Promise<void> => {
  try {
    await client.query(`set local lock_timeout = '${LOCK_TIMEOUT_MS}ms'`);
    await emptyTables(client, known); // going down is a matter of a moment then
    await migrateWithin(client, known, FIRST_VERSION);
    await migrateWithin(client, known, version);
    await emptyTables(client, known); // a migration may bring rows of its own
  } catch (error) {
    const state = sqlState(error);
    if (state === LOCK_NOT_AVAILABLE) throw new FatalError(makeProblem('database_tables_in_use'), 1, error);
    if (state === undefined || !NOT_AS_EXPECTED.has(state)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new FatalError(makeProblem('schema_incomplete', { error: reason }), 1, error);
  }
};

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
