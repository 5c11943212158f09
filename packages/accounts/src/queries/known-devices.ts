import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { userBehindLogin } from './login-failures.ts';

/** Of one user; who uses more forgets those that they have not used for the longest time. */
const MAX_OF_A_USER = 20;

/** Those of `origins` from which the user behind `login` has signed in before. */
export const findKnownOrigins = async (db: Db, login: string, origins: readonly string[]): Promise<ReadonlySet<string>> => {
  const { rows } = await db.execute<{ origin: string }>(sql`
    select origin from known_devices join (${userBehindLogin(login)}) as the_user on user_id = the_user.id
    where origin in ${[...origins, '']}`);
  return new Set(rows.map(({ origin }) => origin));
};

/** Whether anybody has signed in from there. */
export const isKnownOrigin = async (db: Db, origin: string): Promise<boolean> =>
  (await db.execute(sql`select from known_devices where origin = ${origin} limit 1`)).rows.length > 0;

/** Notes that the user has signed in from `origins` now. */
export const recordOrigins = async (db: Db, userId: string, origins: readonly string[], now: Date): Promise<void> => {
  const at = sql`${now.toISOString()}::timestamptz`;
  for (const origin of origins) {
    await db.execute(sql`
      insert into known_devices (user_id, origin, last_seen_at) values (${userId}, ${origin}, ${at})
      on conflict (user_id, origin) do update set last_seen_at = excluded.last_seen_at`);
  }
  await db.execute(sql`
    delete from known_devices where user_id = ${userId} and origin not in (
      select origin from known_devices where user_id = ${userId} order by last_seen_at desc, origin limit ${MAX_OF_A_USER})`);
};
