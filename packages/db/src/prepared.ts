import type { Scope } from '@sheaf/vocabulary/permissions';
import type { SQL } from 'drizzle-orm';
import type { Db } from './client.ts';

/**
 * A statement with $1, $2 in it, or SQL with its parameters, which must be the same each time but for these. `name` is its own: the server
 * keeps the plan under it.
 */
export interface PreparedStatement<Text extends string | SQL = string> {
  readonly name: string;
  readonly text: Text;
}

interface PreparingSession {
  readonly dialect: { sqlToQuery(query: SQL): { sql: string; params: unknown[] } };
  readonly session: {
    prepareQuery(
      query: { sql: string; params: unknown[] },
      fields: undefined,
      name: string,
      isArrayMode: false,
    ): { execute(): Promise<unknown> };
  };
}

/**
 * The rows of a statement that the server parses and plans once for each connection. drizzle prepares only what its own builder
 * made; planning a statement that writes to six tables takes longer than running it.
 */
export const runPrepared = async <T>(
  db: Db,
  { name, text }: PreparedStatement<string | SQL>,
  given: readonly unknown[] = [],
): Promise<T[]> => {
  const { session, dialect } = db as unknown as PreparingSession;
  const { sql, params } = typeof text === 'string' ? { sql: text, params: [...given] } : dialect.sqlToQuery(text);
  const result = await session.prepareQuery({ sql, params }, undefined, name, false).execute();
  return (result as { rows: T[] }).rows;
};

/** A query of drizzle's builder that `prepare` makes, once for each database and each scope. */
export const preparedByScope = <Query>(prepare: (db: Db, scope: Scope) => Query): ((db: Db, scope: Scope) => Query) => {
  const queries = new WeakMap<Db, Map<Scope, Query>>();
  return (db, scope) => {
    const known = queries.get(db) ?? new Map<Scope, Query>();
    queries.set(db, known);
    const query = known.get(scope) ?? prepare(db, scope);
    known.set(scope, query);
    return query;
  };
};
