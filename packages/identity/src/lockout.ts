import { isIPv6 } from 'node:net';
import { AppError } from '@sheaf/contract';
import { clearLoginFailures, countLoginFailure, type Db, findLoginLocks, type LoginLocks, type SignInAttempt } from '@sheaf/db';
import type { Clock } from '@sheaf/runtime';

export interface LockoutSettings {
  readonly maxAttempts: number;
  /** How long failures count, and how long the lock holds. */
  readonly durationMs: number;
}

export interface LockoutDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly settings: LockoutSettings;
}

/** Choice: an address may fail ten times as often as an account, so that one typist does not lock out the office behind it. */
const ADDRESS_FACTOR = 10;

const GROUPS = 8;

/** What counts as one address: of IPv6 the /64 that one subscriber has, else he would have endless ones. */
export const addressBlock = (address: string): string => {
  const [plain = ''] = address.toLowerCase().split('%');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string | undefined): string[] => (part === undefined || part === '' ? [] : part.split(':'));
  const [left, right] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: GROUPS - left.length - right.length }, () => '0');
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`;
};

/**
 * All spellings that a database or a directory may take for the same name as one: without case, accents, spaces and what does not
 * show. Else each of them would give further attempts at the same account.
 */
const plainLogin = (login: string): string =>
  login
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\p{M}\p{Z}\p{C}]/gu, '');

const toAttempt = (login: string, address: string | undefined): SignInAttempt => ({
  login: plainLogin(login),
  address: address === undefined ? undefined : addressBlock(address),
});

/**
 * Locks a name and an address after too many failures.
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
  async check(login: string, address: string | undefined): Promise<boolean> {
    const { db, clock } = this.#deps;
    const now = clock.now();
    return this.#isOpen(await findLoginLocks(db, toAttempt(login, address), now), now);
  }

  /** Counts a wrong password or code. Answers whether this failure is the one that locks. */
  async failed(login: string, address: string | undefined): Promise<boolean> {
    const { db, clock, settings } = this.#deps;
    const rule = {
      maxAttempts: settings.maxAttempts,
      maxAttemptsOfAddress: settings.maxAttempts * ADDRESS_FACTOR,
      durationMs: settings.durationMs,
    };
    return (await countLoginFailure(db, toAttempt(login, address), rule, clock.now())).length > 0;
  }

  /**
   * After the password was right: looks again, because many attempts at once all pass `check` before the first one has failed,
   * and answers as it does. Where it is open, the failures of the account are forgotten; those of the address stay, else whoever
   * has an account could guess without end at others.
   */
  async succeeded(login: string, address: string | undefined): Promise<boolean> {
    const { db, clock } = this.#deps;
    const now = clock.now();
    const attempt = toAttempt(login, address);
    const isOpen = this.#isOpen(await findLoginLocks(db, attempt, now), now);
    if (isOpen) await clearLoginFailures(db, attempt.login, now);
    return isOpen;
  }

  #isOpen({ loginUntil, userUntil, addressUntil }: LoginLocks, now: Date): boolean {
    const until = Math.max(loginUntil?.getTime() ?? 0, addressUntil?.getTime() ?? 0);
    if (until === 0) return userUntil === undefined;
    const seconds = Math.ceil((until - now.getTime()) / 1_000);
    throw new AppError('RATE_LIMITED', `Too many failed sign-ins; try again in ${seconds} seconds`, {
      code: 'ACCOUNT_LOCKED',
      details: { retry_after_seconds: seconds },
    });
  }
}
