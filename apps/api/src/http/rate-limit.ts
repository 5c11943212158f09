import { addressBlock } from '@sheaf/accounts';
import type { RateLimitSettings } from '@sheaf/config';
import { rateLimited } from '@sheaf/contract';
import { type Live, select } from '@sheaf/process';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { Request, RequestHandler, Response } from 'express';
import { clientAddress } from './client-address.ts';
import { type Count, type CounterSettings, RequestCounter } from './request-counter.ts';
import type { RequestKind } from './route.ts';

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
 * together, so that more keys give no more; his browsers have a limit of their own. Wrong ones count for the address, which limits guessing.
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
