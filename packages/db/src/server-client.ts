import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { Client, type ClientConfig, Connection } from 'pg';
import { configOf, isForWriting, requireTarget, type ServerChoice, type Servers, SilentServer } from './servers.ts';
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

/** What pg's classes have and their types lack. */
interface Cancelling extends EventEmitter {
  connect(portOrSocket: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
  end(): void;
}
type Cancellable = Client & { readonly processID: number; readonly secretKey: number };

/** Asks the server, or the pooler before it, over a connection of its own to end the statement that `client` waits for. */
export const cancelStatement = (client: Client): void => {
  const { host, port, ssl, processID, secretKey } = client as Cancellable;
  const connection = new Connection({ ssl }) as unknown as Cancelling;
  const cancel = (): void => connection.cancel(processID, secretKey);
  connection.on('error', () => {}); // the statement goes on until the server ends it
  connection.on('connect', () => (ssl ? connection.requestSsl() : cancel()));
  connection.on('sslconnect', cancel);
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
  else connection.connect(port, host);
};

/** From this time on a statement has a name: many are sent once. */
const REPEATED = 3;
/** Texts that are counted; lists of parameters of many lengths make new ones all the time. */
const MAX_COUNTED = 500;
/** The server keeps the plan of each until the connection ends, some 50 kB. */
const MAX_NAMED = 100;

/** The server takes several commands at once only without a name. */
const SEVERAL = /;\s*\S/;

interface Statement {
  readonly text: string;
  readonly name?: unknown;
}

const isUnnamed = (config: unknown): config is Statement =>
  typeof config === 'object' &&
  config !== null &&
  typeof (config as Statement).text === 'string' &&
  (config as Statement).name === undefined;

/**
 * Gives a name to each statement that one connection sends again and again, so that the server parses and plans it once: a document is
 * processed with some sixty statements, most of which take longer to plan than to run.
 */
class RepeatedStatements {
  readonly #counts = new Map<string, number>();
  readonly #names = new Map<string, string>();

  /** What to send instead of `config`, which is what pg takes. */
  named(config: unknown): unknown {
    if (!isUnnamed(config)) return config;
    const name = this.#names.get(config.text) ?? this.#nameOf(config.text);
    return name === undefined ? config : { ...config, name };
  }

  #nameOf(text: string): string | undefined {
    if (SEVERAL.test(text)) return undefined;
    const count = (this.#counts.get(text) ?? 0) + 1;
    if (this.#counts.size >= MAX_COUNTED) this.#counts.clear();
    this.#counts.set(text, count);
    if (count < REPEATED || this.#names.size >= MAX_NAMED) return undefined;
    const name = `repeated_${this.#names.size}`;
    this.#counts.delete(text);
    this.#names.set(text, name);
    return name;
  }
}

/** Whether the server keeps a plan whose columns a migration has changed: a new connection has none. */
const hasStalePlan = (error: unknown): boolean =>
  (error as { readonly routine?: unknown } | undefined)?.routine === 'RevalidateCachedQuery';
