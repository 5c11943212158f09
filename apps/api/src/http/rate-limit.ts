import { addressBlock } from '@sheaf/accounts';
import type { RateLimitSettings } from '@sheaf/config';
import { rateLimited } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { addRateLimitCounts, deleteEndedRateLimitCounts } from '@sheaf/db/rate-limits';
import { type Clock, type Component, Counter, type Live, LiveValue, type Logger, Loop, type Registry, select } from '@sheaf/process';
import { hasOtherProcess } from '@sheaf/program';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { Request, RequestHandler, Response } from 'express';
import { clientAddress } from './request-origin.ts';
import type { RequestKind } from './route.ts';
import { SharedCounts } from './shared-counts.ts';

/** A screen full of documents has a picture for each: they are counted apart, or looking at a library would take away what one may ask. */
const PICTURES_PER_REQUEST = 10;

/** Whose requests are counted together. Where nobody signs in (AUTH_ENABLED=false) all are one user's, so addresses count. */
const isCounted = (caller: Principal | undefined): caller is Principal => caller !== undefined && caller.via !== 'disabled-auth';

const writeHeaders = (response: Response, { limit, remaining, msLeft }: Count): void => {
  response.setHeader('X-RateLimit-Limit', limit);
  response.setHeader('X-RateLimit-Remaining', remaining);
  response.setHeader('X-RateLimit-Reset', Math.ceil((Date.now() + msLeft) / 1_000));
};

/**
 * How many requests each user may make in a minute, and each address without one. All credentials of a user count
 * together, so that more keys give no more; their browsers have a limit of their own. Wrong ones count for the address, which limits guessing.
 */
export class RateLimit {
  readonly #settings: Live<RateLimitSettings>;
  // apart, so that a flood of addresses cannot make the service forget what users have done
  readonly #users: RequestCounter;
  readonly #browsers: RequestCounter;
  readonly #addresses: RequestCounter;
  readonly #uploads: RequestCounter;
  readonly #pictures: RequestCounter;
  /** Credentials that were looked up in the database and were not good, by address. */
  readonly #lookups: RequestCounter;
  readonly #onRefused: (kind: RequestKind) => void;

  constructor(
    settings: Live<RateLimitSettings>,
    counting: Omit<CounterSettings, 'name'> = {},
    onRefused: (kind: RequestKind) => void = () => {},
  ) {
    this.#settings = settings;
    this.#onRefused = onRefused;
    const counter = (name: string, points: Live<number>): RequestCounter => new RequestCounter(points, { ...counting, name });
    const points = select(settings, ({ perMinute, burst }) => perMinute + burst);
    this.#users = counter('user', points);
    this.#browsers = counter(
      'browser',
      select(settings, ({ browserPerMinute }) => browserPerMinute),
    );
    this.#addresses = counter('address', points);
    this.#uploads = counter(
      'upload',
      select(settings, ({ uploadsPerMinute }) => uploadsPerMinute),
    );
    this.#lookups = counter('lookup', points);
    this.#pictures = counter(
      'picture',
      select(points, (count) => count * PICTURES_PER_REQUEST),
    );
  }

  /**
   * Counts a request for who makes it. Undefined when it is not limited, else the limit that has the least left. A caller
   * without an address is gone; all such count together.
   */
  async consume(caller: Principal | undefined, address: string | undefined, kind: RequestKind): Promise<Count | undefined> {
    if (!this.#settings.current().enabled) return undefined;
    const isUser = isCounted(caller);
    const subject = isUser ? caller.userId : addressBlock(address ?? 'unknown');
    // Choice: of pictures ten times as many as of other requests; who has not signed in gets none, and is counted as ever
    if (kind === 'picture' && isUser) return this.#pictures.count(subject);
    // a person, who is never to meet a limit by clicking or dropping files: it only ends what a page does by mistake
    if (isUser && caller.via === 'cookie') return this.#browsers.count(subject);
    const all = await (isUser ? this.#users : this.#addresses).count(subject);
    // who has not signed in uploads nothing, and must not fill the table of those who do
    if (kind !== 'upload' || caller === undefined || all.isOver) return all;
    const uploads = await this.#uploads.count(subject);
    return uploads.isOver || uploads.remaining < all.remaining ? uploads : all;
  }

  /** Counts the request, tells in its headers what is left, and throws RATE_LIMITED when that is nothing. */
  async admit(kind: RequestKind, caller: Principal | undefined, request: Request, response: Response): Promise<void> {
    const count = await this.consume(caller, clientAddress(request), kind);
    if (count === undefined) return;
    writeHeaders(response, count);
    if (!count.isOver) return;
    this.#onRefused(kind);
    throw rateLimited(count.limit, Math.max(1, Math.ceil(count.msLeft / 1_000)));
  }

  /**
   * Before credentials are looked up: throws RATE_LIMITED for an address whose credentials were not good as often as it may make requests,
   * so that a flood of wrong ones costs no queries. Of those sent to other api processes this one knows since it last counted one.
   */
  requireLookup(address: string | undefined, response?: Response): void {
    const count = this.#settings.current().enabled ? this.#lookups.peek(addressBlock(address ?? 'unknown')) : undefined;
    if (count?.isOver !== true) return;
    if (response !== undefined) writeHeaders(response, count);
    this.#onRefused('request');
    throw rateLimited(count.limit, Math.max(1, Math.ceil(count.msLeft / 1_000)));
  }

  /** After credentials were looked up that are not good. */
  async noteFailedLookup(address: string | undefined): Promise<void> {
    if (this.#settings.current().enabled) await this.#lookups.count(addressBlock(address ?? 'unknown'));
  }

  /** For what no route answers: counted too, or a scan of paths would be free. */
  unknownPaths(): RequestHandler {
    return async (request, response, next) => {
      await this.admit('request', undefined, request, response);
      next();
    };
  }
}

const WINDOW_SECONDS = 60;
/** So many subjects cost 20 MB; whoever has more addresses than this is not held back by counting them. */
const MAX_SUBJECTS = 100_000;

interface CounterSettings {
  /** Tells its subjects from those of other counters. */
  readonly name?: string;
  readonly windowSeconds?: number;
  readonly maxSubjects?: number;
  /** What all api processes count; without it this one counts for itself. */
  readonly shared?: Pick<SharedCounts, 'areNeeded' | 'add'> | undefined;
}

interface Count {
  readonly limit: number;
  readonly remaining: number;
  readonly isOver: boolean;
  /** Until the window ends and everything may be done again. */
  readonly msLeft: number;
}

/** What a subject has done since its window began, as far as this process knows. */
interface Window {
  points: number;
  /** The part of them that the other processes do not know of. */
  unshared: number;
  endsAtMs: number;
  /** When the window ends that the processes share, by the clock of the database; undefined before it is shared. */
  sharedEndMs: number | undefined;
}

/**
 * Counts what each subject does in a minute that begins with the first thing it does. A process that is alone counts in memory. Where
 * others count too, all add to one count, and of a subject that is over its limit nobody asks any more until its window ends. The
 * process keeps so many subjects only: of more, the one that began first is forgotten.
 */
export class RequestCounter {
  readonly #points: Live<number>;
  readonly #settings: Required<CounterSettings>;
  /** In the order in which they began. */
  readonly #windows = new Map<string, Window>();

  /** `points` holds for windows that have begun, too. */
  constructor(points: Live<number>, settings: CounterSettings = {}) {
    this.#points = points;
    this.#settings = { name: '', windowSeconds: WINDOW_SECONDS, maxSubjects: MAX_SUBJECTS, shared: undefined, ...settings };
  }

  async count(subject: string): Promise<Count> {
    const window = this.#windowOf(subject, Date.now());
    window.points += 1;
    const isOver = window.points > this.#points.current();
    if (!isOver) window.unshared += 1;
    const { shared } = this.#settings;
    const points = shared?.areNeeded === true && window.unshared > 0 ? await this.#share(subject, window, shared) : window.points;
    return this.#toCount(points, window, points > this.#points.current());
  }

  /** What is known here of the count, without another one; undefined before the first. */
  peek(subject: string): Count | undefined {
    const window = this.#windows.get(subject);
    if (window === undefined || window.endsAtMs <= Date.now()) return undefined;
    return this.#toCount(window.points, window, window.points >= this.#points.current());
  }

  #toCount(points: number, { endsAtMs }: Window, isOver: boolean): Count {
    const limit = this.#points.current();
    return { limit, remaining: Math.max(0, limit - points), isOver, msLeft: Math.max(0, endsAtMs - Date.now()) };
  }

  /** Tells the other processes what they do not know, and returns the count of all of them. */
  async #share(subject: string, window: Window, shared: Pick<SharedCounts, 'add'>): Promise<number> {
    const { points, unshared } = window;
    window.unshared = 0;
    const count = await shared.add(`${this.#settings.name}:${subject}`, unshared, window.endsAtMs - Date.now());
    if (count === undefined) {
      window.unshared += unshared;
      return points;
    }
    // those that came up here meanwhile are added by whoever counts them
    window.points = window.sharedEndMs === count.endsAtMs ? Math.max(window.points, count.points) : count.points + window.unshared;
    window.sharedEndMs = count.endsAtMs;
    window.endsAtMs = Date.now() + count.msLeft;
    return count.points;
  }

  #windowOf(subject: string, nowMs: number): Window {
    const known = this.#windows.get(subject);
    if (known !== undefined && known.endsAtMs > nowMs) return known;
    this.#windows.delete(subject);
    this.#makeRoom(nowMs);
    const window = { points: 0, unshared: 0, endsAtMs: nowMs + this.#settings.windowSeconds * 1_000, sharedEndMs: undefined };
    this.#windows.set(subject, window);
    return window;
  }

  #makeRoom(nowMs: number): void {
    for (const [oldest, { endsAtMs }] of this.#windows) {
      if (endsAtMs > nowMs && this.#windows.size < this.#settings.maxSubjects) return;
      this.#windows.delete(oldest);
    }
  }
}

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
