import type { Secret } from '@sheaf/contract';
import { connectClient, isDatabaseUnavailable, sqlState } from '@sheaf/db';
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

const VARIABLES = 'DATABASE_URL or POSTGRES_*';

/** Without the password. */
const placeOf = (secret: Secret): string => {
  const url = new URL(secret.reveal());
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname);
  return host.startsWith('/') ? host : `${host}:${url.port === '' ? 5432 : url.port}`;
};

/** What PostgreSQL refuses at the door, and no waiting changes. */
const REFUSALS: Readonly<Record<string, string>> = {
  '28P01': 'correct the user and password',
  '28000': 'allow the user in pg_hba.conf, or correct the user',
  '3D000': 'create the database (createdb), or correct its name',
};

const isAway = (error: unknown): boolean => !(error instanceof FatalError) && isDatabaseUnavailable(error);

/** In words for the person who has to mend it. */
const explain = (error: unknown, url: Secret): unknown => {
  const reason = error instanceof Error ? error.message : String(error);
  const refusal = REFUSALS[sqlState(error) ?? ''];
  if (refusal !== undefined)
    return new FatalError(
      `the database at ${placeOf(url)} rejected the connection (${reason}); ${refusal}: ${VARIABLES}`,
      EXIT.configuration,
      error,
    );
  if (!isAway(error)) return error;
  return new FatalError(
    `the database at ${placeOf(url)} is not reachable (${reason}); start it, or correct ${VARIABLES}`,
    EXIT.failed,
    error,
  );
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
