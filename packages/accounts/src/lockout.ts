import { codedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import type { Clock, Live } from '@sheaf/process';
import { addressBlock, type Client, originsOf } from './client.ts';
import { makeRandomToken } from './one-time-tokens.ts';
import {
  clearLoginFailures,
  countLoginFailure,
  findLoginLocks,
  type LoginLocks,
  type SignInAttempt,
  userBehindLogin,
} from './queries/login-failures.ts';

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

export interface LockoutSettings {
  readonly maxAttempts: number;
  /** How long failures count, and how long the lock holds. */
  readonly durationMs: number;
}

export interface LockoutDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly settings: Live<LockoutSettings>;
}

/** Choice: an address may fail ten times as often as an account, so that one typist does not lock out the office behind it. */
const ADDRESS_FACTOR = 10;

/** Choice: failures at one account from all places together may be twice those of one place before strangers have to wait. */
const STRANGERS_FACTOR = 2;
/** The longest that a stranger waits for their next attempt at an account that others attack. */
const MAX_DELAY_MS = 60_000;

/**
 * All spellings that a database or a directory may take for the same name as one: without case, accents, spaces and what does not
 * show. Else each of them would give further attempts at the same account.
 */
const plainLogin = (login: string): string =>
  login
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\p{M}\p{Z}\p{C}]/gu, '');

/** Where an attempt comes from. */
export type Place = Pick<Client, 'address' | 'device'>;

/**
 * Locks an account for the place that fails too often at it, and places that fail at many accounts. Nobody locks others out: a place is
 * a device by the cookie of an earlier sign-in, else an address. Many places that fail at one account together hold up only those from
 * which nobody has signed in to it, each time for longer, up to a minute.
 * Choice: the answer is 429 ACCOUNT_LOCKED for every name, whether somebody has it or not: failures count by the name as it was
 * typed. They count for the user behind it as well, so that name and e-mail address give no more attempts than one of them does;
 * that lock is not told, because it would tell that both belong together: the sign-in then fails as with a wrong password.
 */
export class Lockout {
  readonly #deps: LockoutDeps;

  constructor(deps: LockoutDeps) {
    this.#deps = deps;
  }

  /**
   * Before the password is looked at. Throws ACCOUNT_LOCKED. False: let it fail as with a wrong password, at the same cost,
   * whatever the password is.
   */
  async check(login: string, place: Place): Promise<boolean> {
    const { db, clock } = this.#deps;
    const now = clock.now();
    return this.#isOpen(await findLoginLocks(db, await this.#attemptOf(login, place), now), now);
  }

  /** Counts a wrong password or code. Answers whether this failure is the one that locks. */
  async failed(login: string, place: Place): Promise<boolean> {
    const { db, clock } = this.#deps;
    const { maxAttempts, durationMs } = this.#deps.settings.current();
    const rule = {
      maxAttempts,
      maxAttemptsOfAddress: maxAttempts * ADDRESS_FACTOR,
      maxAttemptsOfStrangers: maxAttempts * STRANGERS_FACTOR,
      maxDelayMs: Math.min(MAX_DELAY_MS, durationMs),
      durationMs,
    };
    return (await countLoginFailure(db, await this.#attemptOf(login, place), rule, clock.now())).length > 0;
  }

  /**
   * After the password was right: looks again, because many attempts at once all pass `check` before the first one has failed,
   * and answers as it does. Where it is open, the failures of the account from this place are forgotten; those of the address stay,
   * else whoever has an account could guess without end at others.
   */
  async succeeded(login: string, place: Place): Promise<boolean> {
    const { db, clock } = this.#deps;
    const now = clock.now();
    const attempt = await this.#attemptOf(login, place);
    const isOpen = this.#isOpen(await findLoginLocks(db, attempt, now), now);
    if (isOpen) await clearLoginFailures(db, attempt, now);
    return isOpen;
  }

  async #attemptOf(typed: string, place: Place): Promise<SignInAttempt> {
    const login = plainLogin(typed);
    const { device, address } = originsOf(place);
    const known = await findKnownOrigins(
      this.#deps.db,
      login,
      [device, address].filter((origin) => origin !== undefined),
    );
    const isKnownDevice = device !== undefined && known.has(device);
    return {
      login,
      origin: (isKnownDevice ? device : address) ?? 'nowhere',
      address: isKnownDevice || place.address === undefined ? undefined : addressBlock(place.address),
      isStranger: known.size === 0,
    };
  }

  #isOpen({ loginUntil, userUntil, addressUntil }: LoginLocks, now: Date): boolean {
    const until = Math.max(loginUntil?.getTime() ?? 0, addressUntil?.getTime() ?? 0);
    if (until === 0) return userUntil === undefined;
    const seconds = Math.ceil((until - now.getTime()) / 1_000);
    throw codedError('RATE_LIMITED', 'ACCOUNT_LOCKED', { retry_after_seconds: seconds });
  }
}

export interface KnownDevicesDeps {
  readonly db: Db;
  readonly clock: Clock;
}

/** Where users have signed in before. Failures of strangers do not hold up who comes from there (see Lockout). */
export class KnownDevices {
  readonly #deps: KnownDevicesDeps;

  constructor(deps: KnownDevicesDeps) {
    this.#deps = deps;
  }

  /**
   * Notes a whole sign-in of a browser. Answers the cookie by which it is known again; a value that this service did not give is
   * replaced.
   */
  async recordBrowser(userId: string, client: Client): Promise<string> {
    const { device } = originsOf(client);
    const isOurs = device !== undefined && (await isKnownOrigin(this.#deps.db, device));
    const cookie = isOurs && client.device !== undefined ? client.device : makeRandomToken();
    await this.#record(userId, { ...client, device: cookie });
    return cookie;
  }

  /** The same of a program, which keeps no cookies and is known by its address. */
  recordProgram(userId: string, client: Client): Promise<void> {
    return this.#record(userId, { ...client, device: undefined });
  }

  async #record(userId: string, client: Client): Promise<void> {
    const { db, clock } = this.#deps;
    const { device, address } = originsOf(client);
    const origins = [device, address].filter((origin) => origin !== undefined);
    await db.transaction((tx) => recordOrigins(tx, userId, origins, clock.now()));
  }
}
