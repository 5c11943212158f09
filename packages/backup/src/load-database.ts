import { pipeline } from 'node:stream/promises';
import { makeProblem } from '@sheaf/contract/operations';
import { type Migration, readMigrations } from '@sheaf/db/migrations';
import { FatalError } from '@sheaf/process';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { BackupReader } from './backup-reader.ts';
import { currentSchema, listTables, OMITTED_TABLES } from './catalog.ts';
import { compareTables } from './compare-tables.ts';
import { prepareDumpSession } from './dump-session.ts';
import { backupDamaged } from './errors.ts';
import type { BackupManifest, BackupTable } from './manifest.ts';
import { rebuildSchema, tablesOf } from './rebuild-schema.ts';
import { putSideStructures, takeSideStructures } from './side-structures.ts';

export interface LoadOptions {
  /** A schema that is made for it, and is the first of the search path until the end of the transaction; undefined: the current one. */
  readonly schema?: string;
  readonly signal: AbortSignal;
  /** Told of each table whose rows are in. */
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
