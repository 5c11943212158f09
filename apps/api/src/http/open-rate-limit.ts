import type { RateLimitSettings } from '@sheaf/config';
import type { Db } from '@sheaf/db';
import { addRateLimitCounts, deleteEndedRateLimitCounts } from '@sheaf/db/rate-limits';
import { type Clock, type Component, type Live, type Logger, Loop, type Registry } from '@sheaf/process';
import { OtherApis } from './other-apis.ts';
import { RateLimit } from './rate-limit.ts';
import { countRefusals } from './rate-limit-metric.ts';
import { SharedCounts } from './shared-counts.ts';

const CLEANUP_MS = 60_000;
const CLEANUP_BATCH = 1_000;

export interface RateLimitDeps {
  readonly db: Db;
  readonly settings: Live<RateLimitSettings>;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Logger;
  readonly processId: string;
}

/** Forgets what subjects did in windows that have ended. */
const makeCleanup = (db: Db, log: Logger): Loop =>
  new Loop({
    name: 'rate-limit-cleanup',
    intervalMs: CLEANUP_MS,
    log,
    run: async () => (await deleteEndedRateLimitCounts(db, CLEANUP_BATCH)) === CLEANUP_BATCH,
  });

/** The rate limit of the api, counted together with all other api processes, and what runs for it as long as the process does. */
export const openRateLimit = ({
  db,
  settings,
  registry,
  clock,
  log,
  processId,
}: RateLimitDeps): { rateLimit: RateLimit; components: Component[] } => {
  const others = new OtherApis({ db, clock, log, processId });
  const shared = new SharedCounts({ addCounts: (additions) => addRateLimitCounts(db, additions), hasOthers: others.exist, log });
  const rateLimit = new RateLimit(settings, { shared }, countRefusals(registry));
  return { rateLimit, components: [others, shared, makeCleanup(db, log)] };
};
