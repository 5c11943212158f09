import { FatalError } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { QueryResult } from 'pg';
import type { Database } from './client.ts';

/** That a newer Sheaf has been here, which no second start changes. */
export const newerSchema = (found: string): FatalError =>
  new FatalError(`${found}. Start a newer Sheaf, or restore a backup of this version`, EXIT.configuration);

/** What is wrong with a database of the schema `version` for code that needs `expected`, and what to do; undefined where nothing is. */
export const schemaDifference = (version: number, expected: number): FatalError | undefined => {
  if (version === expected) return undefined;
  if (version > expected)
    return newerSchema(`The database has schema version ${version}, but this Sheaf supports versions up to ${expected}`);
  return new FatalError(`The database has schema version ${version}, but this Sheaf requires ${expected}. Run bin/migrate up`);
};

/**
 * The version of a schema that is there, asked so that no question outlives its limit: the server ends it, and a server that cannot
 * be heard any more costs the connection, which may be a dead one.
 */
export const askSchemaVersion = async ({ pool }: Database, limitMs: number): Promise<number> => {
  const question = {
    text: `set local statement_timeout = ${limitMs}; select max(version) as version from migrations`,
    query_timeout: 2 * limitMs,
  };
  const answers: unknown = await pool.query(question);
  const [, { rows }] = answers as [unknown, QueryResult<{ version: number | null }>];
  return rows[0]?.version ?? 0;
};
