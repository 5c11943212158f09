import { pipeline } from 'node:stream/promises';
import { makeProblem } from '@sheaf/contract/operations';
import { sqlState } from '@sheaf/db';
import { type Migration, migrateWithin, readMigrations } from '@sheaf/db/migrations';
import { FatalError } from '@sheaf/process';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { currentSchema, listTables, OMITTED_TABLES } from './catalog.ts';
import { compareTables, prepareDumpSession } from './compare-tables.ts';
import { backupDamaged } from './errors.ts';
import type { BackupManifest, BackupTable } from './manifest.ts';
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
