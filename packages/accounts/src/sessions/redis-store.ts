import { connectionReason, reasonedError, type Secret } from '@sheaf/contract';
import { type ComponentHealth, warning } from '@sheaf/contract/operations';
import type { Component, Logger } from '@sheaf/process';
import type { createClient as CreateClient } from 'redis';
import { z } from 'zod';
import { AUTH_METHODS } from '../external-identity.ts';
import type { FindSession, OpenSession, SessionFacts, SessionStore } from './database-store.ts';

const COMMAND_LIMIT_MS = 2_000;
const CONNECT_LIMIT_MS = 3_000;
const MAX_PAUSE_MS = 5_000;

/** What stands under the hash of a cookie. Parsed like any other text from outside: others may write to that store. */
const stored = z
  .object({
    id: z.uuid(),
    userId: z.uuid(),
    createdAt: z.coerce.date(),
    expiresAt: z.coerce.date(),
    idleExpiresAt: z.coerce.date().nullable(),
    lastSeenAt: z.coerce.date(),
    isRemembered: z.boolean(),
    method: z.enum(AUTH_METHODS),
    address: z.string().nullable(),
    userAgent: z.string().nullable(),
  })
  .transform((fields): SessionFacts => ({ ...fields, kind: 'cookie' }));

const sessionKey = (cookieHash: string): string => `sheaf:session:${cookieHash}`;
/** A hash from session ids to the hashes of their cookies. */
const userKey = (userId: string): string => `sheaf:sessions-of:${userId}`;

/** When nothing is left of a session, in milliseconds. */
const endOf = ({ expiresAt, idleExpiresAt }: SessionFacts): number =>
  Math.min(expiresAt.getTime(), idleExpiresAt?.getTime() ?? Number.POSITIVE_INFINITY);

/** Undefined for what is none, whoever wrote it there. */
const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // fails the schema, and so is no session
  }
};

const parse = (text: string | null, now: Date): SessionFacts | undefined => {
  if (text === null) return undefined;
  const result = stored.safeParse(readJson(text));
  return result.success && endOf(result.data) > now.getTime() ? result.data : undefined;
};

type Client = ReturnType<typeof CreateClient>;

/** Browser sessions in a key-value store. While that is away, cookies are answered 503; tokens and keys go on. */
export class RedisSessionStore implements SessionStore, Component {
  readonly name = 'session-store';
  readonly #url: Secret;
  readonly #log: Logger;
  #client: Client | undefined;
  #failure = 'not connected yet';

  constructor(url: Secret, log: Logger) {
    this.#url = url;
    this.#log = log;
  }

  /** Does not wait for the store for long: the service starts without it. */
  async start(): Promise<void> {
    if (this.#client !== undefined) return;
    const { createClient } = await import('redis'); // 60 ms that nobody else needs
    const client = createClient({
      url: this.#url.reveal(),
      disableOfflineQueue: true,
      commandOptions: { timeout: COMMAND_LIMIT_MS },
      socket: { connectTimeout: CONNECT_LIMIT_MS, reconnectStrategy: (tries) => Math.min(100 * 2 ** Math.min(tries, 10), MAX_PAUSE_MS) },
    });
    client.on('error', (error: Error) => {
      if (this.#failure === '') this.#log.warn({ err: error }, 'session store connection lost');
      this.#failure = connectionReason(error)?.text ?? error.message;
    });
    client.on('ready', () => {
      this.#failure = '';
      this.#log.info('session store connected');
    });
    this.#client = client as unknown as Client; // with the default modules, which the type of createClient spells out
    const connected = client.connect().catch((error: unknown) => this.#log.warn({ err: error }, 'session store unreachable'));
    await Promise.race([connected, new Promise((resolve) => setTimeout(resolve, CONNECT_LIMIT_MS).unref())]);
  }

  async stop(): Promise<void> {
    this.#client?.destroy();
    this.#client = undefined;
  }

  health(): ComponentHealth {
    return this.#client?.isReady === true ? { status: 'healthy' } : warning('session_store_unreachable', { error: this.#failure });
  }

  async create({ cookieHash, now, ...session }: OpenSession): Promise<SessionFacts> {
    if (cookieHash === undefined) throw new Error('only cookie sessions are stored in the key-value store');
    const facts: SessionFacts = {
      ...session,
      kind: 'cookie',
      address: session.address ?? null,
      userAgent: session.userAgent ?? null,
      idleExpiresAt: session.idleExpiresAt ?? null,
      createdAt: now,
      lastSeenAt: now,
    };
    const ttlMs = Math.max(1, endOf(facts) - now.getTime());
    const index = userKey(facts.userId);
    const indexEnd = now.getTime() + ttlMs;
    await this.#ask((client) =>
      client
        .multi()
        .set(sessionKey(cookieHash), JSON.stringify(facts), { expiration: { type: 'PX', value: ttlMs } })
        .hSet(index, facts.id, cookieHash)
        // the index lives as long as the last of its sessions; a new key has no end yet, which counts as later than any
        .pExpireAt(index, indexEnd, 'NX')
        .pExpireAt(index, indexEnd, 'GT')
        .exec(),
    );
    return facts;
  }

  async find(key: FindSession, now: Date): Promise<SessionFacts | undefined> {
    const cookieHash = 'cookieHash' in key ? key.cookieHash : await this.#ask((client) => client.hGet(userKey(key.userId), key.id));
    return typeof cookieHash === 'string' ? parse(await this.#ask((client) => client.get(sessionKey(cookieHash))), now) : undefined;
  }

  async touch(session: SessionFacts, now: Date, idleExpiresAt: Date | undefined): Promise<void> {
    const cookieHash = await this.#ask((client) => client.hGet(userKey(session.userId), session.id));
    if (typeof cookieHash !== 'string') return;
    const facts: SessionFacts = { ...session, lastSeenAt: now, idleExpiresAt: idleExpiresAt ?? session.idleExpiresAt };
    const expiration = { type: 'PX', value: Math.max(1, endOf(facts) - now.getTime()) } as const;
    // XX: what was ended meanwhile does not come back
    await this.#ask((client) => client.set(sessionKey(cookieHash), JSON.stringify(facts), { expiration, condition: 'XX' }));
    await this.#ask((client) => client.pExpireAt(userKey(session.userId), now.getTime() + expiration.value, 'GT'));
  }

  async list(userId: string, now: Date): Promise<SessionFacts[]> {
    const index = await this.#ask((client) => client.hGetAll(userKey(userId)));
    const entries = Object.entries(index);
    if (entries.length === 0) return [];
    const texts = await this.#ask((client) => client.mGet(entries.map(([, cookieHash]) => sessionKey(cookieHash))));
    const found = texts.map((text) => parse(text, now));
    const gone = entries.filter((_, n) => found[n] === undefined).map(([id]) => id);
    if (gone.length > 0) await this.#ask((client) => client.hDel(userKey(userId), gone));
    return found
      .filter((facts) => facts !== undefined)
      .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1));
  }

  async end(userId: string, id: string, _now: Date): Promise<boolean> {
    const cookieHash = await this.#ask((client) => client.hGet(userKey(userId), id));
    if (typeof cookieHash !== 'string') return false;
    const deleted = await this.#ask((client) => client.del(sessionKey(cookieHash)));
    await this.#ask((client) => client.hDel(userKey(userId), id));
    return deleted > 0;
  }

  async endAll(userId: string, now: Date, exceptId?: string): Promise<readonly string[]> {
    const others = (await this.list(userId, now)).filter(({ id }) => id !== exceptId);
    const ended = await Promise.all(others.map(async ({ id }) => ((await this.end(userId, id, now)) ? [id] : [])));
    return ended.flat();
  }

  async #ask<T>(command: (client: Client) => Promise<T>): Promise<T> {
    if (this.#client === undefined) throw reasonedError('SERVICE_UNAVAILABLE', 'session_store_away');
    try {
      return await command(this.#client);
    } catch (error) {
      throw reasonedError('SERVICE_UNAVAILABLE', 'session_store_away', {}, error);
    }
  }
}
