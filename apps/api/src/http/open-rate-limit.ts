import type { RateLimitSettings } from '@sheaf/config';
import type { Db } from '@sheaf/db';
import { addRateLimitCounts, deleteEndedRateLimitCounts } from '@sheaf/db/rate-limits';
import { type Clock, type Component, Counter, type Live, LiveValue, type Logger, Loop, type Registry } from '@sheaf/process';
import { hasOtherProcess } from '@sheaf/program';
import { RateLimit } from './rate-limit.ts';
import type { RequestKind } from './route.ts';
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

/** Counts requests that were refused because there were too many of them. */
const countRefusals = (registry: Registry): ((kind: RequestKind) => void) => {
  const refused = new Counter({
    name: 'sheaf_http_rate_limited_total',
    help: 'Requests rejected with RATE_LIMITED',
    labelNames: ['kind'],
    registers: [registry],
  });
  for (const kind of ['request', 'upload']) refused.inc({ kind }, 0);
  return (kind) => refused.inc({ kind });
};

const POLL_MS = 5_000;
/** Six heartbeats: who is silent for longer has ended, or answers nobody. */
const SILENCE_MS = 30_000;

interface OtherApisDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  /** The id of this process. */
  readonly processId: string;
}

/** Whether other api processes work on the same database. Before it is known, they do. */
class OtherApis implements Component {
  readonly name = 'other-apis';
  readonly #exist = new LiveValue(true);
  readonly #loop: Loop;

  constructor({ db, clock, log, processId }: OtherApisDeps) {
    this.#loop = new Loop({
      name: this.name,
      intervalMs: POLL_MS,
      log,
      run: async () => {
        const since = new Date(clock.now().getTime() - SILENCE_MS);
        this.#exist.set(await hasOtherProcess(db, { name: 'api', id: processId, since }));
      },
    });
  }

  get exist(): Live<boolean> {
    return this.#exist;
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }
}
