import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeProblem } from '@sheaf/contract/operations';
import { FatalError } from '@sheaf/process';
import { CHANNELS } from '@sheaf/vocabulary/events';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { Client, QueryResult } from 'pg';
import type { Database, Db } from './client.ts';
import { sql } from './drizzle.ts';

/** The schema of a database, as code asks for it that is written for another one. */
export interface SchemaState {
  /** 0 where there is none. */
  readonly version: number;
  /** The oldest schema whose code works with what is newer than the code that asks; 0 where nothing is. */
  readonly compatibleFrom: number;
}

/** What ends code that needs `expected` with a schema that it does not work with, and what to do; undefined where it does. */
export const schemaDifference = ({ version, compatibleFrom }: SchemaState, expected: number): FatalError | undefined => {
  const isNewer = version > expected;
  if (version === expected || (isNewer && compatibleFrom <= expected)) return undefined;
  const problem = makeProblem(isNewer ? 'schema_newer' : 'schema_outdated', { version: String(version), expected: String(expected) });
  // that a newer Sheaf has been here no second start changes
  return new FatalError(problem, isNewer ? EXIT.configuration : EXIT.failed);
};

interface StateRow extends Record<string, unknown> {
  readonly version: number | null;
  readonly compatible_from: number | null;
}

const stateText = (expected: number): string =>
  `select max(version) as version, max(${COMPATIBLE_FROM_SQL}) filter (where version > ${expected}) as compatible_from from migrations`;

const toState = (row: StateRow | undefined): SchemaState => ({ version: row?.version ?? 0, compatibleFrom: row?.compatible_from ?? 0 });

/** The schema of a database that may have none, for code that needs `expected`. */
export const readSchemaState = async (db: Db, expected: number): Promise<SchemaState> => {
  const { rows } = await db.execute<{ there: boolean }>(sql.raw(IS_THERE));
  if (rows[0]?.there !== true) return toState(undefined);
  return toState((await db.execute<StateRow>(sql.raw(stateText(expected)))).rows[0]);
};

/**
 * A schema that is there, for code that needs `expected`, asked so that no question outlives its limit: the server ends it, and a server
 * that cannot be heard any more costs the connection, which may be a dead one.
 */
export const askSchemaState = async ({ pool }: Database, expected: number, limitMs: number): Promise<SchemaState> => {
  const question = {
    text: `set local statement_timeout = ${limitMs}; ${stateText(expected)}`,
    query_timeout: 2 * limitMs,
  };
  const answers: unknown = await pool.query(question);
  const [, { rows }] = answers as [unknown, QueryResult<StateRow>];
  return toState(rows[0]);
};

export interface Migration {
  readonly version: number;
  readonly name: string;
  /** The oldest schema whose code works with this one as well: its own version where only newer code does. */
  readonly compatibleFrom: number;
  readonly up: string;
  readonly down: string;
}

/** Where the reviewed SQL stands. */
const MIGRATIONS_PATH = join(import.meta.dirname, '../../../drizzle');
const FILE_NAME = /^(\d{4})_([a-z0-9_]+)\.sql$/;

/** A line of a migration that code of an older schema works with, and the version of that schema. */
const COMPATIBLE_FROM = /^-- compatible-from: (\d{4})$/m;

/** Migrations that two starters run at the same time would both apply. */
const LOCK = [0x73_68_66, 0x6d_69_67] as const;

/** All migrations of this version of the service, in order. */
export const readMigrations = async (folder: string = MIGRATIONS_PATH): Promise<Migration[]> => {
  const files = (await readdir(folder)).filter((file) => FILE_NAME.test(file)).toSorted();
  return Promise.all(
    files.map(async (file) => {
      const [, version = '', name = ''] = FILE_NAME.exec(file) ?? [];
      const [up, down] = await Promise.all([
        readFile(join(folder, file), 'utf8'),
        readFile(join(folder, file.replace(/\.sql$/, '.down.sql')), 'utf8'),
      ]);
      return { version: Number(version), name, compatibleFrom: Number(COMPATIBLE_FROM.exec(up)?.[1] ?? version), up, down };
    }),
  );
};

const hashOf = (migration: Migration): string => createHash('sha256').update(migration.up).digest('hex');

const ensureTable = async (client: Client): Promise<void> => {
  await client.query(`create table if not exists migrations (
    version integer primary key, name text not null, sha256 text not null, applied_at timestamptz not null default now(),
    compatible_from integer)`);
  // older versions made the table without it; it is asked for first, as the change waits for everybody who reads
  const { rows } = await client.query(
    `select from pg_attribute where attrelid = 'migrations'::regclass and attname = 'compatible_from' and not attisdropped`,
  );
  if (rows.length === 0) await client.query('alter table migrations add column if not exists compatible_from integer');
};

interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly sha256: string;
  /** As `Migration.compatibleFrom`. */
  readonly compatibleFrom: number;
}

/** Of a row of `migrations`; a table that an older version made lacks the column. */
const COMPATIBLE_FROM_SQL = `coalesce((to_jsonb(migrations) ->> 'compatible_from')::integer, version)`;

/** Asks in the schema that tables are made in alone: where that is not the first one, another one may have its own. */
const IS_THERE = `select to_regclass(quote_ident(current_schema()) || '.migrations') is not null as there`;

/** What the database has, in order; empty where it has nothing yet. */
export const readApplied = async (client: Client): Promise<AppliedMigration[]> => {
  const { rows } = await client.query<{ there: boolean }>(IS_THERE);
  if (rows[0]?.there !== true) return [];
  const select = `select version, name, sha256, ${COMPATIBLE_FROM_SQL} as "compatibleFrom" from migrations order by version`;
  return (await client.query<AppliedMigration>(select)).rows;
};

/** What of it is newer than this code: `refuse` all of it, or only what this code does not work with. */
type Newer = 'refuse' | 'refuse-incompatible';

const refuseForeignSchema = (applied: readonly AppliedMigration[], known: readonly Migration[], newer: Newer): void => {
  const newest = known.at(-1)?.version ?? 0;
  for (const { version, name, sha256, compatibleFrom } of applied) {
    const own = known.find((migration) => migration.version === version);
    if (own === undefined && newer === 'refuse-incompatible' && version > newest && compatibleFrom <= newest) continue;
    if (own === undefined) throw new FatalError(makeProblem('migration_unknown', { version: String(version), name }), EXIT.configuration);
    if (hashOf(own) !== sha256)
      throw new FatalError(makeProblem('migration_changed', { version: String(version), name }), EXIT.configuration);
  }
};

const inTransaction = async (client: Client, work: () => Promise<void>): Promise<void> => {
  await client.query('begin');
  try {
    await work();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {}); // the connection may be what failed
    throw error;
  }
};

const underLock = async <T>(client: Client, work: () => Promise<T>): Promise<T> => {
  await client.query('select pg_advisory_lock($1, $2)', [...LOCK]);
  try {
    return await work();
  } finally {
    await client.query('select pg_advisory_unlock($1, $2)', [...LOCK]);
  }
};

/** In the transaction of the step: processes that do not work with the new schema end as soon as it is there. */
const notifyMigrated = async (client: Client): Promise<void> => {
  await client.query('select pg_notify($1, $2)', [CHANNELS.schema, '']);
};

const stepUp = async (client: Client, migration: Migration): Promise<void> => {
  const { version, name, compatibleFrom, up } = migration;
  const row = [version, name, hashOf(migration), compatibleFrom];
  await client.query('insert into migrations (version, name, sha256, compatible_from) values ($1, $2, $3, $4)', row);
  await client.query(up);
  await notifyMigrated(client);
};

const stepDown = async (client: Client, { version, down }: Migration): Promise<void> => {
  await client.query(down);
  await client.query('delete from migrations where version = $1', [version]);
  await notifyMigrated(client);
};

/** What the database has. Refuses a schema that is not the one of these migrations. */
const readOwn = async (client: Client, known: readonly Migration[], newer: Newer): Promise<readonly AppliedMigration[]> => {
  await ensureTable(client);
  const applied = await readApplied(client);
  refuseForeignSchema(applied, known, newer);
  return applied;
};

const findMissing = async (client: Client, known: readonly Migration[], version: number): Promise<Migration[]> => {
  const applied = await readOwn(client, known, 'refuse-incompatible');
  return known.filter((migration) => migration.version <= version && !applied.some((row) => row.version === migration.version));
};

const findNewer = async (client: Client, known: readonly Migration[], version: number): Promise<Migration[]> => {
  const applied = await readOwn(client, known, 'refuse');
  return known.filter((migration) => migration.version > version && applied.some((row) => row.version === migration.version)).toReversed();
};

/** Applies what is missing, one transaction each, and returns it. Refuses a newer schema that this code does not work with. */
export const migrateUp = (client: Client, known: readonly Migration[]): Promise<Migration[]> =>
  underLock(client, async () => {
    const missing = await findMissing(client, known, Number.POSITIVE_INFINITY);
    for (const migration of missing) await inTransaction(client, () => stepUp(client, migration));
    return missing;
  });

/** Takes migrations back, the newest first, until `version` is the newest left; returns what was taken back. */
export const migrateDown = (client: Client, known: readonly Migration[], version: number): Promise<Migration[]> =>
  underLock(client, async () => {
    const newer = await findNewer(client, known, version);
    for (const migration of newer) await inTransaction(client, () => stepDown(client, migration));
    return newer;
  });

/** Keeps others from migrating until the end of the transaction that the caller has begun. */
export const lockMigrations = async (client: Client): Promise<void> => {
  await client.query('select pg_advisory_xact_lock($1, $2)', [...LOCK]);
};

/**
 * Takes the schema up or down to `version`, within a transaction that the caller has begun: all of it happens or nothing. Works in
 * the first schema of the search path. Refuses a schema that is newer than this code.
 */
export const migrateWithin = async (client: Client, known: readonly Migration[], version: number): Promise<void> => {
  for (const migration of await findNewer(client, known, version)) await stepDown(client, migration);
  for (const migration of await findMissing(client, known, version)) await stepUp(client, migration);
};

/** The version of the schema this code is written for. */
export const latestVersion = async (): Promise<number> => (await readMigrations()).at(-1)?.version ?? 0;
