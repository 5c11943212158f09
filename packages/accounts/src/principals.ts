import { hash } from 'node:crypto';
import { type Db, readRoles } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import type { Clock } from '@sheaf/process';
import { type ConfiguredRoles, type Principal, permissionsOf, permissionsOfKey } from '@sheaf/vocabulary/permissions';
import { LRUCache } from 'lru-cache';
import { API_KEY_PATTERN } from './api-keys.ts';
import { findApiKey, touchApiKey } from './queries/api-keys.ts';
import type { SecondFactor } from './second-factor.ts';
import type { Tokens } from './session-opener.ts';
import type { SessionFacts } from './sessions/database-store.ts';
import type { Sessions } from './sessions/sessions.ts';
import { findDefaultOwner, findUserById } from './users/index.ts';

/** What a request brings along. The first of them that is there decides: a bad token is not mended by a good cookie. */
export interface Credentials {
  /** The header Authorization. */
  readonly authorization?: string | undefined;
  /** The header that API_KEY_HEADER names. */
  readonly apiKey?: string | undefined;
  /** The value of the session cookie. */
  readonly cookie?: string | undefined;
}

export interface PrincipalsSettings {
  /** False: everybody is the built-in administrator. */
  readonly authEnabled: boolean;
  readonly tokensEnabled: boolean;
  readonly keysEnabled: boolean;
  readonly roles: ConfiguredRoles;
  /** How long a session may go without a request; nothing is remembered for longer than a part of it. */
  readonly idleMs: number;
}

export interface PrincipalsDeps {
  /** Whether changes that other processes make arrive now: nothing is taken from memory while they do not. */
  readonly hearsChanges: () => boolean;
  readonly db: Db;
  readonly clock: Clock;
  readonly settings: PrincipalsSettings;
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  readonly secondFactor: SecondFactor;
}

/** However quiet it stays, nobody is taken for who they were half a minute ago. */
const MAX_AGE_MS = 30_000;
/** When a key was last used is noted at most once a minute. */
const KEY_TOUCH_MS = 60_000;

/** What credentials are looked at for: a request, which keeps a session from sitting idle, or an open connection. */
type Use = 'request' | 'connected';

const BUILT_IN = 'built-in';
/** 256 bits in base64url. */
const COOKIE_PATTERN = /^[\w-]{43}$/;
const BEARER = /^bearer +(\S+)$/i;

/** What the cache knows credentials by: not themselves, so that a memory dump holds fewer secrets. */
const cacheKey = (kind: 'token' | 'key' | 'cookie', credential: string): string => `${kind}:${hash('sha256', credential, 'base64url')}`;

export interface FoundPrincipal {
  readonly principal: Principal;
  /** When the credentials end by themselves, or have to be looked at again at the latest. */
  readonly until: Date;
}

/** How the principal behind credentials is found, and what the cache knows them by. */
interface Finder {
  readonly key: () => string;
  /** What is not ours is seen without the database. */
  readonly isSigned: boolean;
  readonly find: () => Promise<FoundPrincipal | undefined>;
}

/**
 * Who is asking. What was looked up is remembered for some seconds and forgotten at once when something of the user changes, wherever, so that
 * the next request costs a hash and a look into a map.
 */
export class Principals {
  readonly #deps: PrincipalsDeps;
  readonly #cache = new PrincipalCache();
  readonly #maxAgeMs: number;

  constructor(deps: PrincipalsDeps) {
    this.#deps = deps;
    this.#maxAgeMs = Math.min(MAX_AGE_MS, deps.settings.idleMs / 4);
  }

  /** Undefined when nothing is brought along, or what is brought along is not good (any more). */
  authenticate(credentials: Credentials): Promise<Principal | undefined> {
    const finder = this.#finderOf(credentials, 'request');
    return finder === undefined ? NOBODY : this.#cached(finder.key(), finder.find);
  }

  /** Whether finding out whom they stand for asks the database, whatever they are: a token is refused by its signature before. */
  needsLookup(credentials: Credentials): boolean {
    const finder = this.#finderOf(credentials, 'request');
    return finder !== undefined && !finder.isSigned && this.#known(finder.key()) === undefined;
  }

  /**
   * The same, read now and not remembered, for who stays connected. It counts as no use of a session: who is only connected still
   * sits idle.
   */
  async look(credentials: Credentials): Promise<FoundPrincipal | undefined> {
    return this.#finderOf(credentials, 'connected')?.find();
  }

  /** Something of this user has changed: their next request is looked up anew. */
  forget(userId: string): void {
    this.#cache.forget(userId);
  }

  forgetAll(): void {
    this.#cache.forgetAll();
  }

  async #cached(key: string, find: () => Promise<FoundPrincipal | undefined>): Promise<Principal | undefined> {
    const known = this.#known(key);
    if (known !== undefined) return known;
    const now = this.#deps.clock.now().getTime();
    const { epoch } = this.#cache;
    const found = await find();
    if (found === undefined) return undefined;
    this.#cache.remember(key, found.principal, Math.min(found.until.getTime(), now + this.#maxAgeMs), epoch);
    return found.principal;
  }

  #known(key: string): Principal | undefined {
    return this.#deps.hearsChanges() ? this.#cache.find(key, this.#deps.clock.now().getTime()) : undefined;
  }

  #finderOf({ authorization, apiKey, cookie }: Credentials, use: Use): Finder | undefined {
    const { authEnabled, tokensEnabled, keysEnabled } = this.#deps.settings;
    if (!authEnabled) return { key: () => BUILT_IN, isSigned: true, find: () => this.#builtIn() };
    if (authorization?.toLowerCase().startsWith('bearer') === true) {
      const token = BEARER.exec(authorization)?.[1];
      if (token === undefined || !tokensEnabled) return undefined;
      return { key: () => cacheKey('token', token), isSigned: true, find: () => this.#byToken(token, use) };
    }
    if (apiKey !== undefined) {
      if (!keysEnabled || !API_KEY_PATTERN.test(apiKey)) return undefined;
      return { key: () => cacheKey('key', apiKey), isSigned: false, find: () => this.#byKey(apiKey) };
    }
    if (cookie === undefined || !COOKIE_PATTERN.test(cookie)) return undefined;
    return { key: () => cacheKey('cookie', cookie), isSigned: false, find: () => this.#byCookie(cookie, use) };
  }

  async #byToken(token: string, use: Use): Promise<FoundPrincipal | undefined> {
    const { tokens, clock, sessions } = this.#deps;
    const claims = await tokens.verifyAccess(token, clock.now());
    if (claims === undefined) return undefined;
    const session = await sessions.findByToken(claims.userId, claims.sessionId);
    return session && this.#bySession(session, 'token', claims.expiresAt, use);
  }

  async #byCookie(cookie: string, use: Use): Promise<FoundPrincipal | undefined> {
    const session = await this.#deps.sessions.findByCookie(cookie);
    return session && this.#bySession(session, 'cookie', session.expiresAt, use);
  }

  async #bySession(found: SessionFacts, via: 'token' | 'cookie', expiresAt: Date, use: Use): Promise<FoundPrincipal | undefined> {
    const { db, sessions, secondFactor } = this.#deps;
    const owner = await findUserById(db, found.userId);
    if (owner === undefined || owner.disabledAt !== null) return undefined;
    const session = use === 'request' ? await sessions.seen(found) : found;
    const user = await secondFactor.startGrace(owner, session.method); // they may have been signed in before it was demanded
    const isBarred = await secondFactor.mustSetUp(user, session.method);
    const principal: Principal = {
      ...(await this.#principalOf(user)),
      via,
      sessionId: session.id,
      ...(isBarred ? { permissions: [], mfaSetupRequired: true as const } : {}),
    };
    const ends = [expiresAt, session.expiresAt, session.idleExpiresAt ?? session.expiresAt];
    return { principal, until: new Date(Math.min(...ends.map((end) => end.getTime()))) };
  }

  async #byKey(apiKey: string): Promise<FoundPrincipal | undefined> {
    const { db, clock } = this.#deps;
    const now = clock.now();
    const found = await findApiKey(db, hash('sha256', apiKey, 'hex'), now);
    if (found === undefined) return undefined;
    const { key, user } = found;
    await touchApiKey(db, key.id, now, new Date(now.getTime() - KEY_TOUCH_MS));
    const owner = await this.#principalOf(user);
    const permissions = permissionsOfKey(key.scope, owner.permissions);
    return { principal: { ...owner, permissions, via: 'key', keyId: key.id }, until: key.expiresAt };
  }

  async #builtIn(): Promise<FoundPrincipal | undefined> {
    const { db, clock } = this.#deps;
    const user = await findDefaultOwner(db, undefined);
    if (user === undefined) return undefined;
    const principal = { ...(await this.#principalOf(user)), permissions: ['*'], via: 'disabled-auth' as const };
    return { principal, until: new Date(clock.now().getTime() + this.#maxAgeMs) };
  }

  async #principalOf(user: User): Promise<Omit<Principal, 'via'>> {
    const { db, settings } = this.#deps;
    const permissions = permissionsOf(await readRoles(db, settings.roles), user.role);
    return { userId: user.id, username: user.username, role: user.role, permissions };
  }
}

const NOBODY: Promise<undefined> = Promise.resolve(undefined);

interface Entry {
  readonly principal: Principal;
  readonly untilMs: number;
}

/** 10,000 principals are about 5 MB. */
const MAX_ENTRIES = 10_000;

/**
 * Who stands behind credentials that were looked at a moment ago. The least recently used ones make room. An answer that was read
 * before something was forgotten is not remembered, however late it arrives: see `epoch`.
 */
export class PrincipalCache {
  readonly #entries: LRUCache<string, Entry>;
  readonly #keysOf = new Map<string, Set<string>>();
  #epoch = 0;

  constructor(maxEntries = MAX_ENTRIES) {
    this.#entries = new LRUCache({ max: maxEntries, dispose: (entry, key) => this.#unlink(key, entry) });
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Take it before reading what `remember` will be given. */
  get epoch(): number {
    return this.#epoch;
  }

  find(key: string, nowMs: number): Principal | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.untilMs > nowMs) return entry?.principal;
    this.#entries.delete(key);
    return undefined;
  }

  remember(key: string, principal: Principal, untilMs: number, epoch: number): void {
    if (epoch !== this.#epoch) return;
    this.#entries.set(key, { principal, untilMs });
    const keys = this.#keysOf.get(principal.userId) ?? new Set();
    this.#keysOf.set(principal.userId, keys.add(key));
  }

  forget(userId: string): void {
    this.#epoch += 1;
    for (const key of this.#keysOf.get(userId) ?? []) this.#entries.delete(key);
  }

  forgetAll(): void {
    this.#epoch += 1;
    this.#entries.clear();
  }

  #unlink(key: string, { principal }: Entry): void {
    const keys = this.#keysOf.get(principal.userId);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysOf.delete(principal.userId);
  }
}
