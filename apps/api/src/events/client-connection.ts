import { setTimeout as sleepMs } from 'node:timers/promises';
import type { Credentials, FoundPrincipal } from '@sheaf/accounts';
import { findUserById, toUserBody } from '@sheaf/accounts/users';
import { AppError, codedError, forbidden, publicCodeOf, unauthorized, validationError } from '@sheaf/contract';
import { eventTypeOf, type ServerReply, type SubscribeRequest } from '@sheaf/contract/events';
import type { UserBody } from '@sheaf/contract/identity';
import { type Db, isDatabaseUnavailable } from '@sheaf/db';
import { findOldestSeq } from '@sheaf/events';
import type { Clock } from '@sheaf/process';
import { CLOSE_CODES, type CloseCode, EVENT_TYPES } from '@sheaf/vocabulary/events';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { EventLimits, Place } from './connection-register.ts';
import type { EventConnection } from './follower.ts';
import { Subscription, type SubscriptionDeps, type SubscriptionRequest } from './subscription.ts';

export interface ClientConnectionDeps {
  readonly subscription: SubscriptionDeps;
  readonly user: ConnectionUserDeps;
  /** How often something of any user has changed. */
  readonly changes: () => number;
  readonly subscriptions: Set<Subscription>;
}

const MAX_WAITING_MESSAGES = 30;

/**
 * What is said over one connection, whatever it speaks: who it is (ConnectionUser), what it wants to hear, and when it is over.
 * What a client says is answered in its order.
 */
export class ClientConnection {
  readonly #connection: EventConnection;
  readonly #place: Place;
  readonly #addressBlock: string;
  readonly #deps: ClientConnectionDeps;
  readonly #subscription: Subscription;
  readonly #user: ConnectionUser;
  /** Where the events were when it was let in. */
  #heardFrom: number | undefined;
  #hasSubscribed = false;
  #isOver = false;
  #said: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isRecheckDue = false;
  #second = { startedMs: 0, messages: 0 };
  #silence: NodeJS.Timeout | undefined;

  constructor(connection: EventConnection, place: Place, addressBlock: string, deps: ClientConnectionDeps) {
    this.#connection = connection;
    this.#place = place;
    this.#addressBlock = addressBlock;
    this.#deps = deps;
    this.#subscription = new Subscription(connection, deps.subscription);
    this.#user = new ConnectionUser(deps.user, {
      take: (principal) => this.#take(principal),
      tooLate: (refusal) => this.#refuse(refusal),
      lookDue: () => this.recheck(),
    });
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
    if (this.#second.messages <= this.#deps.user.limits.messagesPerSecond && this.#waiting < MAX_WAITING_MESSAGES) return true;
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
    const { known } = this.#user;
    if (known === undefined || this.#isOver) return;
    const { principal, until, user } = known;
    // where nobody signs in, nothing expires
    this.#connection.reply({
      type: 'auth_ok',
      user,
      expires_at: principal.via === 'disabled-auth' ? null : until.toISOString(),
    });
    if (!this.#hasSubscribed) this.#silence ??= setTimeout(() => this.#hearEverything(), this.#deps.user.limits.subscribeMs);
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

  /** Something of the user may have changed: nothing is delivered until it is known what they may hear now. */
  recheck(): void {
    if (this.#isRecheckDue || this.#user.known === undefined || this.#isOver) return;
    this.#isRecheckDue = true;
    if (this.#hasSubscribed) this.#subscription.hold();
    void this.#next(() => this.#recheck());
  }

  /** The connection is closed. */
  over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#silence);
    this.#user.over();
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
    if (!isDatabaseUnavailable(error)) this.#deps.subscription.log.error({ err: error }, 'client message failed');
    this.refuse(new AppError('SERVICE_UNAVAILABLE', 'The request failed. Try again.'));
  }

  async #admit(credentials: Credentials): Promise<Refusal | undefined> {
    const { changes, subscription } = this.#deps;
    const changesBefore = changes();
    const refusal = await this.#user.admit(credentials);
    if (refusal !== undefined) return refusal;
    this.#heardFrom ??= subscription.hub.position;
    this.#goOn();
    // it was not informed of what changed while we looked
    if (changes() !== changesBefore) this.recheck();
    return undefined;
  }

  /** Where nobody signs in all are one user, so addresses count. */
  #take({ userId, via }: Principal): boolean {
    return this.#place.take(via === 'disabled-auth' ? `address ${this.#addressBlock}` : userId, userId, this);
  }

  /** What they may hear now is known; another change that came meanwhile holds it again. */
  #goOn(): void {
    const principal = this.#user.known?.principal;
    if (principal !== undefined && this.#hasSubscribed && !this.#isRecheckDue) this.#subscription.goOn(principal);
  }

  async #subscribe({ events, last_seq: lastSeq }: SubscribeRequest): Promise<ServerReply> {
    const { subscription, user } = this.#deps;
    if (this.#user.known === undefined)
      return this.#answer(toReply(unauthorized('Authentication required. Send {"type":"auth","token":"..."} first.')));
    const error = findUnknown(events);
    if (error !== undefined) return this.#answer(toReply(error));
    const names = [...new Set(events)];
    const oldest = lastSeq === undefined ? undefined : ((await findOldestSeq(user.db)) ?? subscription.hub.position + 1);
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
    this.#begin(this.#user.known.principal, { types, after });
    return reply;
  }

  #begin(principal: Principal, request: SubscriptionRequest): void {
    this.#hasSubscribed = true;
    this.#deps.subscriptions.add(this.#subscription);
    this.#subscription.begin(principal, request);
    if (this.#isRecheckDue) this.#subscription.hold();
  }

  /** From where events are to come, and whether nothing that was asked for is forgotten. */
  #placeOf(lastSeq: number | undefined, oldest: number | undefined): { after: number; complete?: boolean } {
    const { position } = this.#deps.subscription.hub;
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
      const { known } = this.#user;
      if (this.#hasSubscribed || known === undefined) return;
      this.#begin(known.principal, { types: undefined, after: this.#heardFrom ?? this.#deps.subscription.hub.position });
    });
  }

  async #recheck(): Promise<void> {
    const { known } = this.#user;
    if (known === undefined) return;
    this.#isRecheckDue = false;
    const refusal = await this.#user.checkAgain(known);
    if (refusal !== undefined) this.#refuse(refusal);
    else if (!this.#isOver) this.#goOn();
  }
}

const toReply = (error: AppError): ServerReply => ({ type: 'error', ...publicCodeOf(error), message: error.message });

const findUnknown = (names: readonly string[]): AppError | undefined => {
  const unknown = names.filter((name) => eventTypeOf(name) === undefined);
  return unknown.length === 0
    ? undefined
    : validationError(`Unknown event types: ${unknown.join(', ')}. Available types: ${EVENT_TYPES.join(', ')}.`);
};

/** Why a connection is not let in, or not any more. */
interface Refusal {
  readonly error: AppError;
  readonly close: CloseCode;
}

interface ConnectionUserDeps {
  readonly db: Db;
  readonly look: (credentials: Credentials) => Promise<FoundPrincipal | undefined>;
  readonly limits: EventLimits;
  readonly clock: Clock;
}

/** What the connection does for its user. */
interface ConnectionUserCalls {
  /** Takes the place of the connection for them; false where they have too many. */
  readonly take: (principal: Principal) => boolean;
  /** Nobody has said in time who they are. */
  readonly tooLate: (refusal: Refusal) => void;
  /** It is time to look at their credentials again. */
  readonly lookDue: () => void;
}

interface Known {
  readonly credentials: Credentials;
  readonly principal: Principal;
  readonly until: Date;
  readonly user: UserBody;
}

const RETRY_MS = 500;

const tooManyOfUser = (): AppError => codedError('RATE_LIMITED', 'TOO_MANY_CONNECTIONS');

const secondFactorMissing = (): AppError => codedError('FORBIDDEN', 'MFA_SETUP_REQUIRED');

/** Who is at the other end of a connection: nobody for a while, then one user for as long as their credentials are good. */
class ConnectionUser {
  readonly #deps: ConnectionUserDeps;
  readonly #calls: ConnectionUserCalls;
  #known: Known | undefined;
  #isOver = false;
  #signIn: NodeJS.Timeout;
  #expiry: NodeJS.Timeout | undefined;

  constructor(deps: ConnectionUserDeps, calls: ConnectionUserCalls) {
    this.#deps = deps;
    this.#calls = calls;
    const refusal = { error: unauthorized('Authentication required.'), close: CLOSE_CODES.unauthorized };
    this.#signIn = setTimeout(() => calls.tooLate(refusal), deps.limits.authMs);
  }

  /** Undefined until they are let in. */
  get known(): Known | undefined {
    return this.#known;
  }

  /** Lets them in whose `credentials` these are, or says why not. Throws when the database is away. */
  async admit(credentials: Credentials): Promise<Refusal | undefined> {
    const { look, db } = this.#deps;
    const found = await look(credentials);
    if (found === undefined)
      return { error: unauthorized('The credentials are invalid or expired. Sign in again.'), close: CLOSE_CODES.unauthorized };
    const { principal } = found;
    if (principal.mfaSetupRequired === true) return { error: secondFactorMissing(), close: CLOSE_CODES.forbidden };
    if (this.#known !== undefined && this.#known.principal.userId !== principal.userId)
      return { error: forbidden('This connection belongs to another user. Open a new one.'), close: CLOSE_CODES.forbidden };
    const user = await findUserById(db, principal.userId);
    if (user === undefined || this.#isOver) return { error: unauthorized(), close: CLOSE_CODES.unauthorized };
    if (this.#known === undefined && !this.#take(principal)) return { error: tooManyOfUser(), close: CLOSE_CODES.tooManyConnections };
    this.#know({ credentials, ...found, user: toUserBody(user) });
    return undefined;
  }

  /** Looks at their credentials again, for as long as it takes until the database answers. Why they may not stay, where they may not. */
  async checkAgain({ credentials, principal, user }: Known): Promise<Refusal | undefined> {
    const found = await this.#lookUntilKnown(credentials);
    if (this.#isOver) return undefined;
    if (found === undefined || found.principal.userId !== principal.userId)
      return { error: unauthorized('Your session has expired. Sign in again.'), close: CLOSE_CODES.unauthorized };
    if (found.principal.mfaSetupRequired === true) return { error: secondFactorMissing(), close: CLOSE_CODES.forbidden };
    this.#know({ credentials, ...found, user });
    return undefined;
  }

  /** The connection is closed. */
  over(): void {
    this.#isOver = true;
    clearTimeout(this.#signIn);
    clearTimeout(this.#expiry);
  }

  #take(principal: Principal): boolean {
    clearTimeout(this.#signIn);
    return this.#calls.take(principal);
  }

  #know(known: Known): void {
    this.#known = known;
    clearTimeout(this.#expiry);
    const { clock, limits } = this.#deps;
    const leftMs = Math.max(0, known.until.getTime() - clock.now().getTime());
    this.#expiry = setTimeout(this.#calls.lookDue, Math.min(leftMs, limits.recheckMs));
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
