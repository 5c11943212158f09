import { addressBlock, type Credentials } from '@sheaf/accounts';
import type { FixedConfig } from '@sheaf/config';
import { rateLimited } from '@sheaf/contract';
import type { Live } from '@sheaf/process';
import { MAX_CONNECTIONS_PER_USER } from '@sheaf/vocabulary/limits';
import type { Request } from 'express';
import { type Authenticator, isCrossSite } from '../http/authenticate.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { clientAddress } from '../http/request-origin.ts';
import type { Protocol } from './follower.ts';

/** How a connection begins. */
export interface Handshake {
  /** What it brings along; undefined when it has to say who it is. */
  readonly credentials: Credentials | undefined;
  /** Where it comes from, as connections are counted. */
  readonly addressBlock: string;
}

/** What it comes as: a request to become a WebSocket, or an ordinary one. */
type HandshakeKind = 'upgrade' | 'request';

export interface HandshakeParts {
  readonly authenticator: Authenticator;
  readonly rateLimit: Pick<RateLimit, 'consume'>;
  readonly config: Pick<FixedConfig, 'signIn' | 'cors'>;
}

/** Whether a browser says that one of our own pages opens this, or one of an origin that CORS_ALLOWED_ORIGINS names. */
const isOfOurPage = (request: Request, { enabled, origins }: FixedConfig['cors'], kind: HandshakeKind): boolean => {
  const { origin } = request.headers;
  // Browsers leave it out for requests within one origin, but never for a WebSocket.
  if (origin === undefined) return kind === 'request' && !isCrossSite(request);
  if (enabled && origins !== 'any' && origins.includes(origin)) return true;
  return URL.canParse(origin) && new URL(origin).host === request.host;
};

/** What good credentials a connection has from its headers. A cookie counts only from a page of ours: a browser adds it to anybody's. */
const findCredentials = (request: Request, { authenticator, config }: HandshakeParts, kind: HandshakeKind): Credentials | undefined => {
  const { cookie, ...headers } = authenticator.credentialsOf(request);
  if (!config.signIn.enabled) return {};
  if (headers.authorization !== undefined || headers.apiKey !== undefined) return headers;
  return cookie !== undefined && isOfOurPage(request, config.cors, kind) ? { cookie } : undefined;
};

/** Looks at how a connection begins, and counts it as a request. Throws RATE_LIMITED. */
export const readHandshake = async (request: Request, parts: HandshakeParts, kind: HandshakeKind): Promise<Handshake> => {
  const address = clientAddress(request);
  const credentials = findCredentials(request, parts, kind);
  const caller = credentials && (await parts.authenticator.authenticateWith(credentials, address));
  const count = await parts.rateLimit.consume(caller, address, 'request');
  if (count?.isOver === true) throw rateLimited(count.limit, Math.max(1, Math.ceil(count.msLeft / 1_000)));
  // bad ones may still be followed by good ones
  return { credentials: caller === undefined ? undefined : credentials, addressBlock: addressBlock(address ?? 'unknown') };
};

/** The credentials behind a token that a client says, which may be an API key too. */
export const toCredentials = (token: string): Credentials =>
  token.startsWith('shf_') ? { apiKey: token } : { authorization: `Bearer ${token}` };

/** Whoever is at the other end may have changed. */
export interface Registered {
  recheck(): void;
}

export interface RegisterLimits extends Pick<EventLimits, 'unknown' | 'unknownPerAddress'> {
  readonly all: Live<number>;
}

/** One connection among all. */
export interface Place {
  /** Whether `holder` may have one more; if so the place is theirs, under the id of the user that they are. */
  take(holder: string, userId: string, registered: Registered): boolean;
  /** Free again. May be called twice. */
  leave(): void;
}

/** All connections there are, whatever they speak, and whose they are. */
export class ConnectionRegister {
  readonly #limits: RegisterLimits;
  readonly #open = new Map<Protocol, number>();
  readonly #unknown = new Map<string, number>();
  readonly #byHolder = new Map<string, number>();
  readonly #byUser = new Map<string, Set<Registered>>();
  #all = 0;
  #allUnknown = 0;

  constructor(limits: RegisterLimits) {
    this.#limits = limits;
  }

  count(protocol: Protocol): number {
    return this.#open.get(protocol) ?? 0;
  }

  /** Tells those of a user, or all, that something about them may have changed. */
  recheck(userId?: string): void {
    const concerned = userId === undefined ? [...this.#byUser.values()].flatMap((some) => [...some]) : (this.#byUser.get(userId) ?? []);
    for (const registered of concerned) registered.recheck();
  }

  /** A place for a connection from an address, or undefined when there are too many. It is nobody's until it is taken. */
  admit(protocol: Protocol, addressBlock: string): Place | undefined {
    const { all, unknown, unknownPerAddress } = this.#limits;
    const isFull = this.#all >= all.current() || this.#allUnknown >= unknown || (this.#unknown.get(addressBlock) ?? 0) >= unknownPerAddress;
    if (isFull) return undefined;
    this.#all += 1;
    this.#allUnknown += 1;
    add(this.#unknown, addressBlock, 1);
    add(this.#open, protocol, 1);
    let becomeKnown: (() => void) | undefined = () => {
      this.#allUnknown -= 1;
      add(this.#unknown, addressBlock, -1);
      becomeKnown = undefined;
    };
    let leave: (() => void) | undefined;
    let isOpen = true;
    return {
      take: (holder, userId, registered) => {
        if (!isOpen || (this.#byHolder.get(holder) ?? 0) >= MAX_CONNECTIONS_PER_USER) return false;
        becomeKnown?.();
        leave = this.#hold(holder, userId, registered);
        return true;
      },
      leave: () => {
        if (!isOpen) return;
        isOpen = false;
        this.#all -= 1;
        add(this.#open, protocol, -1);
        becomeKnown?.();
        leave?.();
      },
    };
  }

  #hold(holder: string, userId: string, registered: Registered): () => void {
    add(this.#byHolder, holder, 1);
    const ofUser = this.#byUser.get(userId) ?? new Set();
    this.#byUser.set(userId, ofUser.add(registered));
    return () => {
      add(this.#byHolder, holder, -1);
      ofUser.delete(registered);
      if (ofUser.size === 0) this.#byUser.delete(userId);
    };
  }
}

const add = <K>(counts: Map<K, number>, key: K, by: 1 | -1): void => {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
};

/** What a connection may cost. Tests have shorter times. */
export interface EventLimits {
  /** A connection has to say who it is within this time. */
  readonly authMs: number;
  /** How often it is asked whether it is still there, and how long it may take to answer. */
  readonly pingMs: number;
  /** Who has not said by then what they want to hear hears everything. */
  readonly subscribeMs: number;
  /** However quiet it stays, credentials are looked at again after this time. */
  readonly recheckMs: number;
  /** What may wait for a client before it counts as too slow. */
  readonly waitingBytes: number;
  readonly messagesPerSecond: number;
  /** Connections that have not said who they are: in all, and of one address. */
  readonly unknown: number;
  readonly unknownPerAddress: number;
}

export const EVENT_LIMITS: EventLimits = {
  authMs: 10_000,
  pingMs: 30_000,
  subscribeMs: 1_000,
  recheckMs: 300_000,
  waitingBytes: 1024 * 1024,
  messagesPerSecond: 30,
  unknown: 100,
  unknownPerAddress: 10,
};
