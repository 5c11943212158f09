import type { Db } from '@sheaf/db';
import { type Clock, type Component, type Live, type Logger, Loop } from '@sheaf/process';
import { deleteLoginFailuresBefore } from './queries/login-failures.ts';
import { deleteExpiredOneTimeTokens } from './queries/one-time-tokens.ts';
import { deleteSessionsEndedBefore } from './queries/sessions.ts';

export interface CleanupSettings {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly intervalMs: number;
  /** How long failed sign-ins count. */
  readonly lockoutMs: Live<number>;
}

/** How long a session that has ended is kept: whoever looks into a theft finds when and from where it was opened. */
const KEEP_SESSIONS_MS = 24 * 3_600_000;

/** Takes away what is over: sessions, tokens that work once, counts of failed sign-ins. Nothing depends on when. */
export const makeCleanup = ({ db, clock, log, intervalMs, lockoutMs }: CleanupSettings): Component =>
  new Loop({
    name: 'session-cleanup',
    intervalMs,
    log,
    run: async () => {
      const now = clock.now();
      const before = (ms: number): Date => new Date(now.getTime() - ms);
      const sessions = await deleteSessionsEndedBefore(db, before(KEEP_SESSIONS_MS));
      const tokens = await deleteExpiredOneTimeTokens(db, now);
      await deleteLoginFailuresBefore(db, before(lockoutMs.current()));
      if (sessions + tokens > 0) log.info({ sessions, tokens }, 'expired sessions and tokens deleted');
      return false;
    },
  });
