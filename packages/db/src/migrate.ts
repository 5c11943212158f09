import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FatalError } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { Client } from 'pg';
import type { Db } from './client.ts';
import { sql } from './drizzle.ts';
import { newerSchema } from './schema-version.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly up: string;
  readonly down: string;
}

/** Where the reviewed SQL stands. */
const MIGRATIONS_PATH = join(import.meta.dirname, '../../../drizzle');
const FILE_NAME = /^(\d{4})_([a-z0-9_]+)\.sql$/;

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
      return { version: Number(version), name, up, down };
    }),
  );
};

const hashOf = (migration: Migration): string => createHash('sha256').update(migration.up).digest('hex');

const ensureTable = (client: Client): Promise<unknown> =>
  client.query(`create table if not exists migrations (
    version integer primary key, name text not null, sha256 text not null, applied_at timestamptz not null default now())`);

export interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly sha256: string;
}

/** Asks in the schema that tables are made in alone: where that is not the first one, another one may have its own. */
const IS_THERE = `select to_regclass(quote_ident(current_schema()) || '.migrations') is not null as there`;

/** What the database has, in order; empty where it has nothing yet. */
export const readApplied = async (client: Client): Promise<AppliedMigration[]> => {
  const { rows } = await client.query<{ there: boolean }>(IS_THERE);
  if (rows[0]?.there !== true) return [];
  return (await client.query<AppliedMigration>('select version, name, sha256 from migrations order by version')).rows;
};

const refuseForeignSchema = (applied: readonly AppliedMigration[], known: readonly Migration[]): void => {
  for (const { version, name, sha256 } of applied) {
    const own = known.find((migration) => migration.version === version);
    if (own === undefined) throw newerSchema(`The database has the unknown migration ${version} (${name}). Use a newer version of Sheaf`);
    if (hashOf(own) !== sha256)
      throw new FatalError(
        `Migration ${version} (${name}) differs from the applied one. Restore the original file, or a matching backup`,
        EXIT.configuration,
      );
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

const stepUp = async (client: Client, migration: Migration): Promise<void> => {
  const { version, name, up } = migration;
  await client.query('insert into migrations (version, name, sha256) values ($1, $2, $3)', [version, name, hashOf(migration)]);
  await client.query(up);
};

const stepDown = async (client: Client, { version, down }: Migration): Promise<void> => {
  await client.query(down);
  await client.query('delete from migrations where version = $1', [version]);
};

/** What the database has of those that are known. Refuses a schema that is newer than this code. */
const readOwn = async (client: Client, known: readonly Migration[]): Promise<readonly AppliedMigration[]> => {
  await ensureTable(client);
  const applied = await readApplied(client);
  refuseForeignSchema(applied, known);
  return applied;
};

const findMissing = async (client: Client, known: readonly Migration[], version: number): Promise<Migration[]> => {
  const applied = await readOwn(client, known);
  return known.filter((migration) => migration.version <= version && !applied.some((row) => row.version === migration.version));
};

const findNewer = async (client: Client, known: readonly Migration[], version: number): Promise<Migration[]> => {
  const applied = await readOwn(client, known);
  return known.filter((migration) => migration.version > version && applied.some((row) => row.version === migration.version)).toReversed();
};

/** Applies what is missing, one transaction each, and returns it. Refuses a schema that is newer than this code. */
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

/** The version of the schema that the database has; 0 where it has none. */
export const readSchemaVersion = async (db: Db): Promise<number> => {
  const { rows } = await db.execute<{ there: boolean }>(sql.raw(IS_THERE));
  if (rows[0]?.there !== true) return 0;
  return (await db.execute<{ version: number | null }>(sql`select max(version) as version from migrations`)).rows[0]?.version ?? 0;
};

/** The version of the schema this code is written for. */
export const latestVersion = async (): Promise<number> => (await readMigrations()).at(-1)?.version ?? 0;
