import { makeProblem } from '@sheaf/contract/operations';
import { FatalError } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { QueryResult } from 'pg';
import type { Database, Db } from './client.ts';
import { sql } from './drizzle.ts';
import { COMPATIBLE_FROM_SQL, IS_THERE } from './migrate.ts';

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
