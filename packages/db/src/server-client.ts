import type { Duplex } from 'node:stream';
import { Client, type ClientConfig } from 'pg';
import { SilentServer } from './answer-watch.ts';
import { cancelStatement } from './cancel-statement.ts';
import { hasStalePlan, RepeatedStatements } from './repeated-statements.ts';
import { configOf, type ServerChoice, type Servers } from './servers.ts';
import { isForWriting, requireTarget } from './session-target.ts';
import { isSignInRefused, OtherServer, type SignInHandlers } from './sign-in-check.ts';
import { isDatabaseUnavailable, isReadOnly } from './sql-state.ts';

export interface ServerClientSettings {
  readonly servers: Servers;
  /** Whether a pooler lends a server for each transaction only: nothing may be left in a session, and nothing be expected of it. */
  readonly isPooled: boolean;
  /** After which a statement is ended, where the session has no such setting because of the pooler. */
  readonly statementTimeoutMs: number | undefined;
  /** Whether the server keeps the plans of statements that come again and again; never through a pooler. */
  readonly keepsPlans?: boolean;
  /** After which a server that should have ended the statement by itself, and has not, is taken for one that does not answer. */
  readonly silenceMs?: number | undefined;
}

/** Takes the error of a statement, or undefined, and returns the one that it fails with. */
type Done = (error: unknown) => unknown;
type Connected = ((error: Error) => void) | ((error: null, client: Client) => void);
type AnyFunction = (...given: never[]) => unknown;

interface Streaming {
  readonly connection: { readonly stream: Duplex };
}

interface StartupParameters {
  getStartupConf(): Readonly<Record<string, string>>;
}

const isSubmittable = (config: unknown): boolean => typeof (config as { submit?: unknown } | null)?.submit === 'function';

/** The server would keep the statement under its name, in a session that is another one next time. */
const withoutName = (config: unknown): unknown =>
  typeof config === 'object' && config !== null && 'name' in config && !isSubmittable(config) ? { ...config, name: undefined } : config;

const watched = async (result: Promise<unknown>, done: Done): Promise<unknown> => {
  let answer: unknown;
  let failure: unknown;
  try {
    answer = await result;
  } catch (error) {
    failure = error;
  }
  failure = done(failure);
  if (failure !== undefined) throw failure;
  return answer;
};

/** Where the server waits until a standby has a commit. It only warns when it is asked to stop, and reports success. */
const WAIT_FOR_STANDBY = 'SyncRepWaitForLSN';

/**
 * A commit whose wait for the synchronous standby was cancelled: it may be lost with this server. `isDatabaseUnavailable` knows its code,
 * as it is in doubt like one whose connection was lost.
 */
class CommitNotReplicated extends Error {
  readonly code = 'COMMIT_NOT_REPLICATED';

  constructor() {
    super('the wait for the synchronous standby was cancelled: the transaction may be lost with the primary');
  }
}

/** A connection to the server whose turn it is. Ends the turn of one that cannot be reached or is not what it has to be. */
export class ServerClient extends Client {
  readonly #settings: ServerClientSettings;
  readonly #server: ServerChoice;
  readonly #generation: number;
  #isSpent = false;
  #hasProved = false;
  #isUnreplicated = false;
  readonly #repeated: RepeatedStatements | undefined;

  constructor(config: ClientConfig, settings: ServerClientSettings) {
    super(configOf(config, settings.servers.current));
    this.#settings = settings;
    this.#repeated = settings.keepsPlans === true && !settings.isPooled ? new RepeatedStatements() : undefined;
    this.#server = settings.servers.current;
    this.#generation = settings.servers.generation;
    // Without a listener a lost connection ends the process. The pool listens from when it is told that the connection is made, which is
    // too late for one that is lost in that moment, and not while somebody uses it. The next statement fails and tells.
    this.on('error', () => {});
    this.on('notice', ({ routine }) => {
      if (routine === WAIT_FOR_STANDBY) this.#isUnreplicated = true;
    });
  }

  /** Whether this connection must not be used again: its server has changed, a request to cancel may be on its way, or it keeps a stale plan. */
  get isUnfit(): boolean {
    return this.#isSpent || this.#generation !== this.#settings.servers.generation;
  }

  override connect(): Promise<Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<Client> | void {
    const connecting = this.#connect();
    if (callback === undefined) return connecting;
    const call = callback as (error: Error | null, client?: Client) => void;
    connecting.then((client) => call(null, client), call);
  }

  async #connect(): Promise<Client> {
    const { servers } = this.#settings;
    try {
      await super.connect();
      if (servers.needProof && !this.#hasProved) throw this.#other('it asked for no proof of the password');
      servers.wereSignedInTo = true;
      await requireTarget(this, this.#server.place, this.#server.target);
      return this;
    } catch (given) {
      const isOther = isSignInRefused(given) && (servers.needProof || servers.wereSignedInTo);
      const error = isOther ? this.#other('the sign-in was refused', given) : given;
      if (isDatabaseUnavailable(error)) servers.pass(this.#server);
      void super.end().catch(() => {}); // it may never have been connected
      throw error;
    }
  }

  #other(what: string, cause?: unknown): OtherServer {
    return new OtherServer(this.#server.place, what, cause);
  }

  // A server that asks for the password itself would have it. With SCRAM it gets a proof, and has to give one.
  protected _handleAuthCleartextPassword(message: unknown): void {
    this.#signIn('_handleAuthCleartextPassword', message);
  }

  protected _handleAuthMD5Password(message: unknown): void {
    this.#signIn('_handleAuthMD5Password', message);
  }

  protected _handleAuthSASLFinal(message: unknown): void {
    (Client.prototype as unknown as SignInHandlers)._handleAuthSASLFinal.call(this, message);
    this.#hasProved = true; // or the connection has failed
  }

  #signIn(way: '_handleAuthCleartextPassword' | '_handleAuthMD5Password', message: unknown): void {
    const { servers } = this.#settings;
    const own = Client.prototype as unknown as SignInHandlers;
    if (!servers.needProof) return own[way].call(this, message);
    own._handleErrorWhileConnecting.call(this, this.#other('it asked for the password itself'));
  }

  /** A pooler keeps this parameter for each of its clients, but not those in `options`. */
  getStartupConf(): Readonly<Record<string, string>> {
    const parameters = (Client.prototype as unknown as StartupParameters).getStartupConf.call(this);
    return this.#settings.isPooled ? { ...parameters, TimeZone: 'UTC' } : parameters;
  }

  // One signature for all of pg's, which differ in where the callback is.
  override query(...given: unknown[]): never {
    const [config, ...rest] = given;
    const run = super.query.bind(this) as (...all: unknown[]) => unknown;
    const { isPooled, statementTimeoutMs, silenceMs } = this.#settings;
    if (isSubmittable(config)) return run(...given) as never;
    const done = this.#watch(statementTimeoutMs, silenceMs);
    const position = rest.findIndex((one) => typeof one === 'function');
    if (position >= 0) {
      const callback = rest[position] as AnyFunction;
      rest[position] = (error: unknown, result: unknown) => {
        callback((done(error) ?? error) as never, result as never);
      };
    }
    const result = run(isPooled ? withoutName(config) : (this.#repeated?.named(config) ?? config), ...rest);
    return (position < 0 ? watched(result as Promise<unknown>, done) : result) as never;
  }

  #watch(limitMs: number | undefined, silenceMs: number | undefined): Done {
    const abandon = (error: Error): void => {
      (this as unknown as Streaming).connection.stream.destroy(error);
    };
    const answered = this.#settings.servers.answers.expect(this.#server, abandon);
    const silence = silenceMs === undefined ? undefined : setTimeout(() => abandon(new SilentServer(this.#server.place)), silenceMs);
    const limit =
      limitMs === undefined
        ? undefined
        : setTimeout(() => {
            this.#isSpent = true;
            cancelStatement(this);
          }, limitMs);
    return (given) => {
      const error = given ?? undefined; // pg says null where there is none
      answered();
      if (hasStalePlan(error)) this.#isSpent = true;
      clearTimeout(limit);
      clearTimeout(silence);
      if (isReadOnly(error) && isForWriting(this.#server.target)) this.#settings.servers.retire(this.#server);
      const isInDoubt = this.#isUnreplicated;
      this.#isUnreplicated = false;
      return isInDoubt ? (error ?? new CommitNotReplicated()) : error;
    };
  }
}
