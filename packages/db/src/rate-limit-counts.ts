import type { Db } from './client.ts';
import { sql } from './drizzle.ts';
import { type PreparedStatement, runPrepared } from './prepared.ts';

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
