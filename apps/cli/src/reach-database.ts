import type { Secret } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import { connectClient, isDatabaseUnavailable, placesOf, sqlState } from '@sheaf/db';
import { FatalError, type Logger, sleep } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { Client } from 'pg';

export interface ReachSettings {
  /** How long a database that cannot be reached is waited for. */
  readonly waitMs: number;
  /** Told while it is waited for. */
  readonly log: Logger | undefined;
}

/** One that starts with the same machine, on this one or another, is there by then. */
export const START_WAIT_MS = 60_000;
const PAUSE_MS = 1_000;
const TELL_EVERY_MS = 15_000;

const VARIABLES = 'DATABASE_URL (DATABASE_DIRECT_URL, if set) or POSTGRES_*';

/** Without the password. */
const placeOf = (url: Secret): string => placesOf(new URL(url.reveal()));

/** What PostgreSQL refuses at the door, and no waiting changes. */
const REFUSALS: Readonly<Record<string, 'password' | 'access' | 'database'>> = {
  '28P01': 'password',
  '28000': 'access',
  '3D000': 'database',
};

const isAway = (error: unknown): boolean => !(error instanceof FatalError) && isDatabaseUnavailable(error);

/** In words for the person who has to mend it. */
const explain = (error: unknown, url: Secret): unknown => {
  const details = { place: placeOf(url), error: error instanceof Error ? error.message : String(error), variables: VARIABLES };
  const remedy = REFUSALS[sqlState(error) ?? ''];
  if (remedy !== undefined)
    return new FatalError(makeProblem('database_connection_rejected', { ...details, remedy }), EXIT.configuration, error);
  return isAway(error) ? new FatalError(makeProblem('database_not_reached', details), EXIT.failed, error) : error;
};

/** Connects to the database as soon as it can be reached. Throws FatalErrors that say what to do. */
export const reachDatabase = async (url: Secret, { waitMs, log }: ReachSettings): Promise<Client> => {
  const never = new AbortController().signal;
  const startMs = performance.now();
  let toldMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      return await connectClient(url, { applicationName: 'sheaf migrate' });
    } catch (error) {
      const nowMs = performance.now();
      if (!isAway(error) || nowMs - startMs >= waitMs) throw explain(error, url);
      if (nowMs - toldMs >= TELL_EVERY_MS) {
        log?.warn({ reason: error instanceof Error ? error.message : String(error) }, `waiting for the database at ${placeOf(url)}`);
        toldMs = nowMs;
      }
      await sleep(PAUSE_MS, never);
    }
  }
};
