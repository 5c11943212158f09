import type { Db } from '@sheaf/db';
import { type Reach, within } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import { TOP_UPLOADERS } from '@sheaf/vocabulary/limits';

/** Who was active at least so long ago, in days. */
const ACTIVE_DAYS = { day: 1, week: 7, month: 30 } as const;

export interface UserFigures {
  readonly total: number;
  readonly activeDay: number;
  readonly activeWeek: number;
  readonly activeMonth: number;
  readonly byRole: Readonly<Record<string, number>>;
  readonly topUploaders: readonly {
    readonly userId: string;
    readonly username: string;
    readonly documents: number;
    readonly bytes: number;
  }[];
}

interface FiguresRow extends Record<string, unknown> {
  readonly total: number;
  readonly active_day: number;
  readonly active_week: number;
  readonly active_month: number;
  readonly roles: Record<string, number> | null;
  readonly uploaders: { user_id: string; username: string; documents: number; bytes: number }[] | null;
}

const daysBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * 86_400_000);

/**
 * Figures about all users; what they have counts as far as it is within `reach`. Who was active is told by sessions and keys, and by the
 * audit log for sessions that are gone by now, or are not kept in the database.
 */
export const readUserFigures = async (db: Db, reach: Reach, now: Date): Promise<UserFigures> => {
  const [day, week, month] = [ACTIVE_DAYS.day, ACTIVE_DAYS.week, ACTIVE_DAYS.month].map((days) => daysBefore(now, days));
  const { rows } = await db.execute<FiguresRow>(sql`
    with seen as (
      select user_id, max(last_seen_at) as at from sessions where last_seen_at >= ${month} group by user_id
      union all
      select user_id, max(last_used_at) from api_keys where last_used_at >= ${month} group by user_id
      union all
      select actor_id, max(created_at) from audit_log where action = 'sign_in' and outcome = 'success' and created_at >= ${month} group by actor_id
    ), active as (
      select users.id, max(seen.at) as at from seen join users on users.id = seen.user_id group by users.id
    ), uploaders as (
      select owner_id, count(*)::int as documents, sum(size_bytes)::float8 as bytes
      from ${documents} where ${within(reach, documents.ownerId)} group by owner_id order by documents desc, owner_id limit ${TOP_UPLOADERS}
    )
    select (select count(*)::int from users) as total,
      (select count(*)::int from active where at >= ${day}) as active_day,
      (select count(*)::int from active where at >= ${week}) as active_week,
      (select count(*)::int from active) as active_month,
      (select json_object_agg(role, users) from (select role, count(*) as users from users group by role order by role) as r) as roles,
      (select json_agg(json_build_object('user_id', users.id, 'username', username, 'documents', documents, 'bytes', bytes)
        order by documents desc, username) from uploaders join users on users.id = owner_id) as uploaders`);
  const [row] = rows;
  if (row === undefined) throw new Error('an aggregate returned no row');
  return {
    total: row.total,
    activeDay: row.active_day,
    activeWeek: row.active_week,
    activeMonth: row.active_month,
    byRole: row.roles ?? {},
    topUploaders: (row.uploaders ?? []).map(({ user_id, ...counted }) => ({ userId: user_id, ...counted })),
  };
};
