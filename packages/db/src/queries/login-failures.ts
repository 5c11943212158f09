import type { Db } from '../client.ts';
import { and, lte, or, type SQL, sql } from '../drizzle.ts';
import { loginFailures } from '../schema/identity.ts';

/** Who tried to sign in. */
export interface SignInAttempt {
  /** The name that was typed, in the one spelling that stands for all that mean the same. */
  readonly login: string;
  /** The address or the block of addresses that counts as one. */
  readonly address: string | undefined;
}

export interface LoginLocks {
  /** Of the name as it was typed. */
  readonly loginUntil: Date | undefined;
  /** Of the user behind the name, by whichever of his names it came about. */
  readonly userUntil: Date | undefined;
  readonly addressUntil: Date | undefined;
}

const loginSubject = (login: string): string => `account:${login}`;
const addressSubject = (address: string): string => `address:${address}`;

/** The one whom sign-in would take `login` for. */
const userOf = (login: string): SQL => sql`
  select id, username, email from users where lower(username) = ${login} or lower(email) = ${login}
  order by (lower(username) = ${login}) desc limit 1`;

/** The locks that hold at `now`. */
export const findLoginLocks = async (db: Db, { login, address }: SignInAttempt, now: Date): Promise<LoginLocks> => {
  const { rows } = await db.execute<{ kind: 'login' | 'user' | 'address'; locked_until: string }>(sql`
    with meant (kind, subject) as (
      values ('login', ${loginSubject(login)}::text), ('address', ${address === undefined ? null : addressSubject(address)})
      union all select 'user', 'user:' || id from (${userOf(login)}) as the_user
    )
    select kind, locked_until from meant join login_failures using (subject) where locked_until > ${now.toISOString()}::timestamptz`);
  const until = (kind: string): Date | undefined => {
    const row = rows.find((candidate) => candidate.kind === kind);
    return row && new Date(row.locked_until);
  };
  return { loginUntil: until('login'), userUntil: until('user'), addressUntil: until('address') };
};

export interface LockoutRule {
  readonly maxAttempts: number;
  readonly maxAttemptsOfAddress: number;
  readonly durationMs: number;
}

/**
 * Counts one failure for the typed name, for the user behind it and for the address, in one statement, so that none is lost
 * among many at once. A count starts anew when its window or its lock is over. Answers what is locked by this very failure.
 */
export const countLoginFailure = async (db: Db, { login, address }: SignInAttempt, rule: LockoutRule, now: Date): Promise<string[]> => {
  const at = sql`${now.toISOString()}::timestamptz`;
  const windowStart = sql`${new Date(now.getTime() - rule.durationMs).toISOString()}::timestamptz`;
  const lockEnd = sql`${new Date(now.getTime() + rule.durationMs).toISOString()}::timestamptz`;
  const isOver = sql`coalesce(login_failures.locked_until <= ${at}, login_failures.first_at <= ${windowStart})`;
  const limitOf = (subject: SQL): SQL =>
    sql`case when ${subject} like 'address:%' then ${rule.maxAttemptsOfAddress}::int else ${rule.maxAttempts}::int end`;
  const { rows } = await db.execute<{ subject: string; is_locked_now: boolean }>(sql`
    with meant (subject, attempts) as (
      values (${loginSubject(login)}::text, ${rule.maxAttempts}::int),
        (${address === undefined ? null : addressSubject(address)}, ${rule.maxAttemptsOfAddress}::int)
      union all select 'user:' || id, ${rule.maxAttempts}::int from (${userOf(login)}) as the_user
    )
    insert into login_failures (subject, failures, first_at, locked_until)
    select subject, 1, ${at}, case when attempts <= 1 then ${lockEnd} end from meant where subject is not null order by subject
    on conflict (subject) do update set
      failures = case when ${isOver} then 1 else login_failures.failures + 1 end,
      first_at = case when ${isOver} then ${at} else login_failures.first_at end,
      locked_until = case
        when ${isOver} then excluded.locked_until
        when login_failures.locked_until is null and login_failures.failures + 1 >= ${limitOf(sql`excluded.subject`)} then ${lockEnd}
        else login_failures.locked_until end
    returning subject, locked_until is not null and failures = ${limitOf(sql`login_failures.subject`)} as is_locked_now`);
  return rows.filter((row) => row.is_locked_now).map(({ subject }) => subject);
};

/** Forgets the failures of the user behind `login`, under all his names, and those of the typed name. Locks that hold stay. */
export const clearLoginFailures = async (db: Db, login: string, now: Date): Promise<void> => {
  await db.execute(sql`
    delete from login_failures where (locked_until is null or locked_until <= ${now.toISOString()}::timestamptz) and subject in (
      select ${loginSubject(login)}::text
      union select unnest(array['user:' || id, 'account:' || lower(username), 'account:' || lower(email)]) from (${userOf(login)}) as the_user)`);
};

/** Deletes counts whose window and lock were over before `before`. */
export const deleteLoginFailuresBefore = async (db: Db, before: Date): Promise<void> => {
  await db
    .delete(loginFailures)
    .where(and(lte(loginFailures.firstAt, before), or(sql`${loginFailures.lockedUntil} is null`, lte(loginFailures.lockedUntil, before))));
};
