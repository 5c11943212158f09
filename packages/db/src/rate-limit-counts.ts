import type { Scope } from '@sheaf/vocabulary/permissions';
import type { SQL } from 'drizzle-orm';
import type { Db } from './client.ts';
import { sql } from './drizzle.ts';

/** What a subject did that is not counted yet. */
export interface RateLimitAddition {
  readonly subject: string;
  readonly points: number;
  /** Until its window ends, if this begins one. */
  readonly msLeft: number;
}

/** What a subject has done in its window, over all processes. */
export interface RateLimitCount {
  readonly subject: string;
  readonly points: number;
  readonly msLeft: number;
  /** In milliseconds since 1970 by the clock of the server: the same as long as the window is. */
  readonly endsAtMs: number;
}

/** By the clock of the server, as those of the hosts differ. In the order of the subjects, or two of these could wait for each other. */
const ADD: PreparedStatement = {
  name: 'add_rate_limit_counts',
  text: `insert into rate_limit_counts as kept (subject, points, ends_at)
    select subject, points, statement_timestamp() + ms_left * interval '1 millisecond'
      from unnest($1::text[], $2::int[], $3::float8[]) as added (subject, points, ms_left) order by subject
    on conflict (subject) do update set
      points = case when kept.ends_at > statement_timestamp() then kept.points else 0 end + excluded.points,
      ends_at = case when kept.ends_at > statement_timestamp() then kept.ends_at else excluded.ends_at end
    returning subject, points, extract(epoch from ends_at - statement_timestamp())::float8 * 1000 as "msLeft",
      extract(epoch from ends_at)::float8 * 1000 as "endsAtMs"`,
};

/** Adds to the counts and returns what they are then, in no order. Each subject comes once in `additions`. */
export const addRateLimitCounts = (db: Db, additions: readonly RateLimitAddition[]): Promise<RateLimitCount[]> =>
  runPrepared(db, ADD, [
    additions.map(({ subject }) => subject),
    additions.map(({ points }) => points),
    additions.map(({ msLeft }) => msLeft),
  ]);

/** Forgets at most `limit` counts whose window has ended; returns how many. */
export const deleteEndedRateLimitCounts = async (db: Db, limit: number): Promise<number> => {
  const { rowCount } = await db.execute(sql`
    delete from rate_limit_counts where subject in (
      select subject from rate_limit_counts where ends_at < now() order by ends_at limit ${limit} for update skip locked)`);
  return rowCount ?? 0;
};

/**
 * A statement with $1, $2 in it, or SQL with its parameters, which must be the same each time but for these. `name` is its own: the server
 * keeps the plan under it.
 */
interface PreparedStatement<Text extends string | SQL = string> {
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
