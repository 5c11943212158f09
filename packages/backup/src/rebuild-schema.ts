import { makeProblem } from '@sheaf/contract/operations';
import { sqlState } from '@sheaf/db';
import { type Migration, migrateWithin } from '@sheaf/db/migrations';
import { FatalError } from '@sheaf/process';
import type { Client } from 'pg';
import { currentSchema, listTables } from './catalog.ts';

/** The first migration makes extensions as well, which others may use, and which only their owner could drop and make again. */
const FIRST_VERSION = 1;

/** Somebody who has a table in use for longer is not about to end. */
const LOCK_TIMEOUT_MS = 10_000;
const LOCK_NOT_AVAILABLE = '55P03';

/** SQLSTATEs of things that are not there, are there already, or have something of somebody else hanging on them. */
const NOT_AS_EXPECTED = new Set(['42P01', '42703', '42704', '42883', '42P07', '42701', '42710', '42723', '3F000', '0A000', '2BP01']);

const CREATED_TABLE = /^create (?:unlogged )?table (?:if not exists )?([a-z_][a-z0-9_]*)/gm;

/** All tables that any version of the schema has, so that nothing else in the database is ever touched. */
export const tablesOf = (known: readonly Migration[]): string[] => [
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
export const rebuildSchema = async (client: Client, known: readonly Migration[], version: number): Promise<void> => {
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
