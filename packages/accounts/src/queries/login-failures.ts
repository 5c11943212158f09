import type { Db } from '@sheaf/db';
import { and, lte, or, type SQL, sql } from '@sheaf/db/drizzle';
import { loginFailures } from '@sheaf/db/schema';

/** Who tried to sign in, and from where. */
export interface SignInAttempt {
  /** The name that was typed, in the one spelling that stands for all that mean the same. */
  readonly login: string;
  /** What counts as one place: a known device, or the address or block of addresses. */
  readonly origin: string;
  /** The block of addresses whose failures count together; undefined for a known device. */
  readonly address: string | undefined;
  /** Nobody has signed in to this account from there: failures of all such places count together. */
  readonly isStranger: boolean;
}

export interface LoginLocks {
  /** Of the name as it was typed, from this place or for strangers. */
  readonly loginUntil: Date | undefined;
  /** Of the user behind the name, whichever of their names was used. */
  readonly userUntil: Date | undefined;
  readonly addressUntil: Date | undefined;
}

// Names have no spaces here, so what stands before ` from ` is all of them.
const loginSubject = (login: string): string => `account:${login}`;
const addressSubject = (address: string): string => `address:${address}`;
const fromOrigin = (origin: string): string => ` from ${origin}`;

/** The one whom sign-in would take `login` for. */
export const userBehindLogin = (login: string): SQL => sql`
  select id, username, email from users where lower(username) = ${login} or lower(email) = ${login}
  order by (lower(username) = ${login}) desc limit 1`;

/** The rows that an attempt is about, by their kind. Those of all strangers together only `withStrangers`. */
const subjectsOf = ({ login, origin, address }: SignInAttempt, withStrangers: boolean): SQL => sql`
  select kind, subject from (
    with the_user as (${userBehindLogin(login)})
    select 'login' as kind, ${loginSubject(login) + fromOrigin(origin)}::text as subject
    union all select 'user', 'user:' || id || ${fromOrigin(origin)}::text from the_user
    union all select 'address', ${address === undefined ? null : addressSubject(address)}::text
    union all select 'login', ${loginSubject(login)}::text where ${withStrangers}::boolean
    union all select 'user', 'user:' || id from the_user where ${withStrangers}::boolean
  ) as subjects where subject is not null`;

/** The locks that hold at `now`; of several of a kind the one that holds the longest. */
export const findLoginLocks = async (db: Db, attempt: SignInAttempt, now: Date): Promise<LoginLocks> => {
  const { rows } = await db.execute<{ kind: 'login' | 'user' | 'address'; locked_until: string }>(sql`
    select kind, max(locked_until) as locked_until from (${subjectsOf(attempt, attempt.isStranger)}) as meant
    join login_failures using (subject) where locked_until > ${now.toISOString()}::timestamptz group by kind`);
  const until = (kind: string): Date | undefined => {
    const row = rows.find((candidate) => candidate.kind === kind);
    return row && new Date(row.locked_until);
  };
  return { loginUntil: until('login'), userUntil: until('user'), addressUntil: until('address') };
};

export interface LockoutRule {
  /** Of one account from one place; then it is locked there for `durationMs`. */
  readonly maxAttempts: number;
  readonly maxAttemptsOfAddress: number;
  /** Of one account from all places; then strangers wait a second after the next failure, and twice as long after each further one. */
  readonly maxAttemptsOfStrangers: number;
  readonly maxDelayMs: number;
  readonly durationMs: number;
}

/**
 * Counts one failure for the typed name and for the user behind it, from this place and from all places, and for the address, in one
 * statement, so that none is lost among many at once. A count starts anew when its window or its lock is over. Answers what is locked
 * from this place by this very failure.
 */
export const countLoginFailure = async (db: Db, attempt: SignInAttempt, rule: LockoutRule, now: Date): Promise<string[]> => {
  const at = sql`${now.toISOString()}::timestamptz`;
  const windowStart = sql`${new Date(now.getTime() - rule.durationMs).toISOString()}::timestamptz`;
  const lockEnd = sql`${new Date(now.getTime() + rule.durationMs).toISOString()}::timestamptz`;
  const isOfPlace = sql`(login_failures.subject like 'address:%' or login_failures.subject like '% from %')`;
  // a delay that is over ends no count: the next one is longer
  const isOver = sql`case when ${isOfPlace} then coalesce(login_failures.locked_until <= ${at}, login_failures.first_at <= ${windowStart})
    else login_failures.first_at <= ${windowStart} and coalesce(login_failures.locked_until <= ${at}, true) end`;
  const limitOf = (subject: SQL): SQL => sql`case when ${subject} like 'address:%' then ${rule.maxAttemptsOfAddress}::int
    when ${subject} like '% from %' then ${rule.maxAttempts}::int else ${rule.maxAttemptsOfStrangers}::int end`;
  const delayEnd = sql`${at} + least(${rule.maxDelayMs / 1_000}::float8,
    power(2, least(30, login_failures.failures + 1 - ${rule.maxAttemptsOfStrangers}::int))) * interval '1 second'`;
  const { rows } = await db.execute<{ subject: string; is_locked_now: boolean }>(sql`
    insert into login_failures (subject, failures, first_at, locked_until)
    select subject, 1, ${at}, case when ${limitOf(sql`subject`)} <= 1 then ${lockEnd} end
    from (${subjectsOf(attempt, true)}) as meant order by subject
    on conflict (subject) do update set
      failures = case when ${isOver} then 1 else login_failures.failures + 1 end,
      first_at = case when ${isOver} then ${at} else login_failures.first_at end,
      locked_until = case
        when ${isOver} then excluded.locked_until
        when login_failures.failures + 1 < ${limitOf(sql`excluded.subject`)} then login_failures.locked_until
        when not ${isOfPlace} then greatest(login_failures.locked_until, ${delayEnd})
        else coalesce(login_failures.locked_until, ${lockEnd}) end
    returning subject, locked_until is not null and failures = ${limitOf(sql`login_failures.subject`)} and ${isOfPlace} as is_locked_now`);
  return rows.filter((row) => row.is_locked_now).map(({ subject }) => subject);
};

/** Forgets the failures of the user behind `login` from this place, under all their names, and those of the typed name. Locks that hold stay. */
export const clearLoginFailures = async (db: Db, { login, origin }: SignInAttempt, now: Date): Promise<void> => {
  const from = fromOrigin(origin);
  await db.execute(sql`
    delete from login_failures where (locked_until is null or locked_until <= ${now.toISOString()}::timestamptz) and subject in (
      select ${loginSubject(login) + from}::text
      union select name || ${from}::text from (${userBehindLogin(login)}) as the_user,
        unnest(array['user:' || id, 'account:' || lower(username), 'account:' || lower(email)]) as name)`);
};

/** Deletes counts whose window and lock were over before `before`. */
export const deleteLoginFailuresBefore = async (db: Db, before: Date): Promise<void> => {
  await db
    .delete(loginFailures)
    .where(and(lte(loginFailures.firstAt, before), or(sql`${loginFailures.lockedUntil} is null`, lte(loginFailures.lockedUntil, before))));
};
