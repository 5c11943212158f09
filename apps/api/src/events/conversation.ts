import { setTimeout as sleepMs } from 'node:timers/promises';
import {
  AppError,
  CLOSE_CODES,
  type CloseCode,
  EVENT_TYPES,
  eventTypeOf,
  forbidden,
  type Principal,
  type ServerReply,
  type SubscribeRequest,
  type UserBody,
  unauthorized,
  validationError,
} from '@sheaf/contract';
import { type Db, findOldestSeq, findUserById, isDatabaseUnavailable, toUserBody } from '@sheaf/db';
import type { Credentials, FoundPrincipal } from '@sheaf/identity';
import { type Clock, type Logger } from '@sheaf/runtime';
import type { Place } from './connection-register.ts';
import type { EventConnection } from './event-connection.ts';
import type { EventLimits } from './event-limits.ts';
import type { EventHub } from './hub.ts';
import { Subscription, type SubscriptionDeps, type Wish } from './subscription.ts';

export interface ConversationDeps extends SubscriptionDeps {
  readonly db: Db;
  readonly hub: EventHub;
  readonly look: (credentials: Credentials) => Promise<FoundPrincipal | undefined>;
  /** How often something of any user has changed. */
  readonly changes: () => number;
  readonly subscriptions: Set<Subscription>;
  readonly limits: EventLimits;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Why a connection is not let in. */
export interface Refusal {
  readonly error: AppError;
  readonly close: CloseCode;
}

interface Known {
  readonly credentials: Credentials;
  readonly principal: Principal;
  readonly until: Date;
}

const RETRY_MS = 500;
const MAX_WAITING_MESSAGES = 30;

const tooManyOfUser = (): AppError =>
  new AppError('RATE_LIMITED', 'You have as many connections for events as a user may have; close one of them first', {
    code: 'TOO_MANY_CONNECTIONS',
  });

const secondFactorMissing = (): AppError =>
  new AppError('FORBIDDEN', 'Set up a second factor first: it is demanded of administrators here', { code: 'MFA_SETUP_REQUIRED' });

/**
 * What is said over one connection, whatever it speaks: who it is, what it wants to hear, and when it is over. What a client says
 * is answered in its order.
 */
export class Conversation {
  readonly #connection: EventConnection;
  readonly #place: Place;
  readonly #addressBlock: string;
  readonly #deps: ConversationDeps;
  readonly #subscription: Subscription;
  #known: Known | undefined;
  #user: UserBody | undefined;
  /** Where the events were when it was let in. */
  #heardFrom: number | undefined;
  #hasSubscribed = false;
  #isOver = false;
  #said: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isRecheckDue = false;
  #second = { startedMs: 0, messages: 0 };
  #signIn: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;

  constructor(connection: EventConnection, place: Place, addressBlock: string, deps: ConversationDeps) {
    this.#connection = connection;
    this.#place = place;
    this.#addressBlock = addressBlock;
    this.#deps = deps;
    this.#subscription = new Subscription(connection, deps);
    this.#signIn = setTimeout(
      () => this.#refuse({ error: unauthorized('Say who you are first'), close: CLOSE_CODES.unauthorized }),
      deps.limits.authMs,
    );
  }

  /** Whether one more message may be said now; if not, the connection is closed. */
  mayHear(): boolean {
    const now = performance.now();
    if (now - this.#second.startedMs >= 1_000) this.#second = { startedMs: now, messages: 0 };
    this.#second.messages += 1;
    if (this.#isOver) return false;
    // each message has an answer, and may have a page of what was: who reads neither must not ask for more
    if (this.#subscription.dropIfSlow()) {
      this.over();
      return false;
    }
    if (this.#second.messages <= this.#deps.limits.messagesPerSecond && this.#waiting < MAX_WAITING_MESSAGES) return true;
    this.#end(CLOSE_CODES.tooManyMessages, 'Too many messages');
    return false;
  }

  /** Answers `auth`, and the credentials that a connection begins with. */
  authenticate(credentials: Credentials): Promise<void> {
    return this.#next(async () => {
      const refusal = await this.#admit(credentials);
      if (refusal === undefined) this.welcome();
      else this.#refuse(refusal);
    });
  }

  /** The same without an answer: undefined when it is let in, which `welcome` tells. */
  async admit(credentials: Credentials): Promise<Refusal | undefined> {
    let refusal: Refusal | undefined;
    await this.#next(async () => {
      refusal = await this.#admit(credentials);
    });
    return this.#isOver ? (refusal ?? { error: unauthorized(), close: CLOSE_CODES.unauthorized }) : refusal;
  }

  welcome(): void {
    if (this.#known === undefined || this.#user === undefined || this.#isOver) return;
    const { principal, until } = this.#known;
    // where nobody signs in, nothing expires
    this.#connection.reply({
      type: 'auth_ok',
      user: this.#user,
      expires_at: principal.via === 'disabled-auth' ? null : until.toISOString(),
    });
    if (!this.#hasSubscribed) this.#silence ??= setTimeout(() => this.#hearEverything(), this.#deps.limits.subscribeMs);
  }

  /** Answers `subscribe`; what it answers also goes to `acknowledge`. */
  subscribe(request: SubscribeRequest, acknowledge?: (reply: ServerReply) => void): Promise<void> {
    return this.#next(async () => {
      const reply = await this.#subscribe(request);
      acknowledge?.(reply);
    });
  }

  /** Something that is no message, or none that is known. */
  refuse(error: AppError): ServerReply {
    return this.#answer(toReply(error));
  }

  /** Something of the user may have changed: nothing is delivered until it is known what he may hear now. */
  recheck(): void {
    if (this.#isRecheckDue || this.#known === undefined || this.#isOver) return;
    this.#isRecheckDue = true;
    if (this.#hasSubscribed) this.#subscription.hold();
    void this.#next(() => this.#recheck());
  }

  /** The connection is closed. */
  over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const timer of [this.#signIn, this.#silence, this.#expiry]) clearTimeout(timer);
    this.#subscription.hold();
    this.#deps.subscriptions.delete(this.#subscription);
    this.#place.leave();
  }

  #end(code: CloseCode, reason: string): void {
    this.over();
    this.#connection.close(code, reason);
  }

  #refuse({ error, close }: Refusal): void {
    if (this.#isOver) return;
    this.refuse(error);
    this.#end(close, error.message);
  }

  /** Does `work` when all that was said before is answered. */
  #next(work: () => Promise<void>): Promise<void> {
    this.#waiting += 1;
    this.#said = this.#said.then(async () => {
      try {
        if (!this.#isOver) await work();
      } catch (error) {
        this.#fail(error);
      } finally {
        this.#waiting -= 1;
      }
    });
    return this.#said;
  }

  #fail(error: unknown): void {
    if (!isDatabaseUnavailable(error)) this.#deps.log.error({ err: error }, 'a message of a client could not be answered');
    this.refuse(new AppError('SERVICE_UNAVAILABLE', 'This cannot be done at the moment; try again'));
  }

  async #admit(credentials: Credentials): Promise<Refusal | undefined> {
    const { look, changes, db } = this.#deps;
    const changesBefore = changes();
    const found = await look(credentials);
    if (found === undefined)
      return { error: unauthorized('These credentials are not good (any more); sign in again'), close: CLOSE_CODES.unauthorized };
    const { principal } = found;
    if (principal.mfaSetupRequired === true) return { error: secondFactorMissing(), close: CLOSE_CODES.forbidden };
    if (this.#known !== undefined && this.#known.principal.userId !== principal.userId)
      return { error: forbidden('This connection is somebody else’s; open one of your own'), close: CLOSE_CODES.forbidden };
    const user = await findUserById(db, principal.userId);
    if (user === undefined) return { error: unauthorized(), close: CLOSE_CODES.unauthorized };
    if (this.#known === undefined && !this.#take(principal)) return { error: tooManyOfUser(), close: CLOSE_CODES.tooManyConnections };
    this.#user = toUserBody(user);
    this.#heardFrom ??= this.#deps.hub.position;
    this.#know({ credentials, ...found });
    if (this.#hasSubscribed) this.#subscription.goOn(principal);
    // it was not told of what changed while we looked
    if (changes() !== changesBefore) this.recheck();
    return undefined;
  }

  /** Where nobody signs in all are one user, so addresses count. */
  #take({ userId, via }: Principal): boolean {
    clearTimeout(this.#signIn);
    return this.#place.take(via === 'disabled-auth' ? `address ${this.#addressBlock}` : userId, userId, this);
  }

  #know(known: Known): void {
    this.#known = known;
    clearTimeout(this.#expiry);
    const { clock, limits } = this.#deps;
    const leftMs = Math.max(0, known.until.getTime() - clock.now().getTime());
    this.#expiry = setTimeout(() => this.recheck(), Math.min(leftMs, limits.recheckMs));
  }

  async #subscribe({ events, last_seq: lastSeq }: SubscribeRequest): Promise<ServerReply> {
    const { hub, db } = this.#deps;
    const error =
      this.#known === undefined ? unauthorized('Say who you are first: send {"type":"auth","token":"..."}') : findUnknown(events);
    if (this.#known === undefined || error !== undefined) return this.#answer(toReply(error ?? unauthorized()));
    const names = [...new Set(events)];
    const oldest = lastSeq === undefined ? undefined : ((await findOldestSeq(db)) ?? hub.position + 1);
    const { after, complete } = this.#placeOf(lastSeq, oldest);
    const reply: ServerReply = {
      type: 'subscribed',
      events: names,
      ...(complete === undefined ? {} : { complete }),
      ...(complete === false && oldest !== undefined ? { oldest_seq: oldest } : {}),
    };
    if (this.#isOver) return reply;
    this.#answer(reply);
    clearTimeout(this.#silence);
    const types = names.length === 0 ? undefined : new Set(names.flatMap((name) => eventTypeOf(name) ?? []));
    this.#begin(this.#known.principal, { types, after });
    return reply;
  }

  #begin(principal: Principal, wish: Wish): void {
    this.#hasSubscribed = true;
    this.#deps.subscriptions.add(this.#subscription);
    this.#subscription.begin(principal, wish);
    if (this.#isRecheckDue) this.#subscription.hold();
  }

  /** From where events are to come, and whether nothing that was asked for is forgotten. */
  #placeOf(lastSeq: number | undefined, oldest: number | undefined): { after: number; complete?: boolean } {
    const { position } = this.#deps.hub;
    if (lastSeq === undefined || oldest === undefined) return { after: this.#hasSubscribed ? this.#subscription.position : position };
    if (lastSeq > position) return { after: position, complete: false }; // of another database
    return lastSeq >= oldest - 1 ? { after: lastSeq, complete: true } : { after: oldest - 1, complete: false };
  }

  #answer(reply: ServerReply): ServerReply {
    this.#connection.reply(reply);
    return reply;
  }

  #hearEverything(): void {
    void this.#next(async () => {
      if (this.#hasSubscribed || this.#known === undefined) return;
      this.#begin(this.#known.principal, { types: undefined, after: this.#heardFrom ?? this.#deps.hub.position });
    });
  }

  async #recheck(): Promise<void> {
    if (this.#known === undefined) return;
    const { credentials, principal } = this.#known;
    this.#isRecheckDue = false;
    const found = await this.#lookUntilKnown(credentials);
    if (this.#isOver) return;
    if (found === undefined || found.principal.userId !== principal.userId)
      return this.#refuse({ error: unauthorized('Your sign-in has ended; sign in again'), close: CLOSE_CODES.unauthorized });
    if (found.principal.mfaSetupRequired === true) return this.#refuse({ error: secondFactorMissing(), close: CLOSE_CODES.forbidden });
    this.#know({ credentials, ...found });
    // another change that came meanwhile holds it again
    if (this.#hasSubscribed && !this.#isRecheckDue) this.#subscription.goOn(found.principal);
  }

  /** Asks until the database answers. Credentials that would have ended meanwhile have. */
  async #lookUntilKnown(credentials: Credentials): Promise<FoundPrincipal | undefined> {
    for (;;) {
      try {
        return await this.#deps.look(credentials);
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error;
        const isExpired = this.#known !== undefined && this.#known.until <= this.#deps.clock.now();
        if (this.#isOver || (isExpired && this.#known?.principal.via !== 'disabled-auth')) return undefined;
        await sleepMs(RETRY_MS);
      }
    }
  }
}

const toReply = ({ code, message }: AppError): ServerReply => ({ type: 'error', code, message });

const findUnknown = (names: readonly string[]): AppError | undefined => {
  const unknown = names.filter((name) => eventTypeOf(name) === undefined);
  return unknown.length === 0
    ? undefined
    : validationError(`There are no events called ${unknown.join(', ')}; there are ${EVENT_TYPES.join(', ')}`);
};
