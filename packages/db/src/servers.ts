import { connect } from 'node:net';
import type { Client, ClientConfig } from 'pg';

const LOOK_EVERY_MS = 1_000;
/** Whose answer takes longer is asked whether it can still be reached. */
const SILENCE_MS = 3_000;
const REACH_LIMIT_MS = 5_000;
const UNREACHABLE_CODES = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN']);

/** Where a server is. */
export interface WatchedServer {
  readonly hostname: string;
  readonly port: number;
  /** As people are notified of it. */
  readonly place: string;
  /** Whether it is on this machine, which cannot go without it. */
  readonly isSocket: boolean;
}

interface Waiting {
  sinceMs: number;
  readonly abandon: (error: Error) => void;
}

/** The server cannot be reached, and did not close its connections. `isDatabaseUnavailable` knows its code. */
export class SilentServer extends Error {
  readonly code = 'ETIMEDOUT';

  constructor(place: string) {
    super(`the database server at ${place} did not answer, and cannot be reached`);
  }
}

/** Whether a connection can be made, or is refused: a host that is there has said so. */
const isReachable = ({ hostname, port }: WatchedServer): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: hostname, port });
    socket.setTimeout(REACH_LIMIT_MS);
    const settle = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true));
    socket.once('timeout', () => settle(false));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(!UNREACHABLE_CODES.has(error.code ?? '')));
  });

/**
 * Watches statements that wait for their answer. A host that loses its power or its network closes no connection, and TCP would go on for a
 * quarter of an hour before it gives up. A statement may take long; so the host is asked for a connection, and only when it cannot be
 * reached are its statements abandoned.
 */
export class AnswerWatch<Server extends WatchedServer> {
  readonly #onGone: (server: Server) => void;
  readonly #waiting = new Map<Server, Set<Waiting>>();
  readonly #asked = new Set<Server>();
  #isWaitingToLook = false;

  constructor(onGone: (server: Server) => void) {
    this.#onGone = onGone;
  }

  /** Notes that `server` owes an answer; `abandon` is called when it will not come. Returns what notes that it came. */
  expect(server: Server, abandon: (error: Error) => void): () => void {
    if (server.isSocket) return () => {};
    let expected = this.#waiting.get(server);
    if (expected === undefined) this.#waiting.set(server, (expected = new Set()));
    const waiting = { sinceMs: performance.now(), abandon };
    expected.add(waiting);
    this.#lookIn(SILENCE_MS); // nothing is silent for so long before
    return () => void expected.delete(waiting);
  }

  #lookIn(ms: number): void {
    if (this.#isWaitingToLook) return;
    this.#isWaitingToLook = true;
    setTimeout(() => {
      this.#isWaitingToLook = false;
      this.#look();
    }, ms).unref();
  }

  #look(): void {
    const silentSinceMs = performance.now() - SILENCE_MS;
    let isIdle = true;
    for (const [server, expected] of this.#waiting) {
      if (expected.size > 0) isIdle = false;
      for (const { sinceMs } of expected)
        if (sinceMs < silentSinceMs) {
          void this.#ask(server, expected);
          break;
        }
    }
    if (!isIdle) this.#lookIn(LOOK_EVERY_MS);
  }

  async #ask(server: Server, expected: ReadonlySet<Waiting>): Promise<void> {
    if (this.#asked.has(server)) return;
    this.#asked.add(server);
    const askedMs = performance.now();
    const isThere = await isReachable(server);
    this.#asked.delete(server);
    if (isThere) {
      for (const waiting of expected) waiting.sinceMs = Math.max(waiting.sinceMs, askedMs);
      return;
    }
    this.#onGone(server);
    for (const { abandon } of expected) abandon(new SilentServer(server.place));
  }
}

/** One server of a URL, and what it has to be. */
export interface ServerChoice extends WatchedServer {
  /** The URL with this server alone. */
  readonly connectionString: string;
  readonly target: SessionTarget;
}

const DEFAULT_PORT = '5432';
const OURS = ['host', 'port', 'target_session_attrs', 'require_auth'];

const withServer = (url: URL, host: string, port: string): Omit<ServerChoice, 'target'> => {
  const own = new URL(url);
  const isSocket = host.startsWith('/');
  for (const name of OURS) own.searchParams.delete(name);
  if (isSocket) own.searchParams.set('host', host);
  else own.hostname = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  own.port = port;
  const hostname = own.hostname.replace(/^\[(.*)\]$/, '$1');
  return { connectionString: own.href, place: isSocket ? host : `${own.hostname}:${port}`, hostname, port: Number(port), isSocket };
};

/** The servers in the order of the URL: those of `host` and `port`, lists as libpq takes them, else the one of its address. */
const serversOf = (url: URL): Omit<ServerChoice, 'target'>[] => {
  const hosts = url.searchParams.get('host')?.split(',') ?? [decodeURIComponent(url.hostname)];
  const ports = url.searchParams.get('port')?.split(',') ?? [url.port];
  return hosts.map((host, index) => withServer(url, host, (ports.length === 1 ? ports[0] : ports[index]) || DEFAULT_PORT));
};

/** host:port of every server of a URL, without user and password. */
export const placesOf = (url: URL): string =>
  serversOf(url)
    .map(({ place }) => place)
    .join(', ');

/**
 * The servers of a URL and the one whose turn it is. That one stays until it fails: after a failover nobody waits again for the
 * server that is gone.
 */
export class Servers {
  /** What is asked of them; one that no longer answers is retired. */
  readonly answers = new AnswerWatch<ServerChoice>((server) => this.retire(server));
  /** Whether only a server is taken that proves to know the password (SCRAM), and no other is sent it; `require_auth` of libpq. */
  readonly needProof: boolean;
  /** Whether one of them has taken the sign-in before. */
  wereSignedInTo = false;
  readonly #choices: readonly ServerChoice[];
  #turn = 0;
  /** Rises when the servers change places, so that connections made before are replaced. */
  #generation = 0;

  constructor(url: URL) {
    const servers = serversOf(url);
    this.needProof = url.searchParams.get('require_auth') === 'scram-sha-256';
    const targets = toSessionTarget(url.searchParams.get('target_session_attrs'), servers.length);
    this.#choices = targets.flatMap((target) => servers.map((server) => ({ ...server, target })));
  }

  /** How often to try until each server has had its turn. */
  get count(): number {
    return this.#choices.length;
  }

  get current(): ServerChoice {
    return this.#choices[this.#turn] as ServerChoice;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Ends the turn of `choice`. Several connections may fail at once and end it once. */
  pass(choice: ServerChoice): void {
    if (this.current === choice) this.#turn = (this.#turn + 1) % this.#choices.length;
  }

  /** `choice` is no longer what it was: no connection is used any longer that was made so far. */
  retire(choice: ServerChoice): void {
    if (this.current === choice) this.#generation += 1;
    this.pass(choice);
  }
}

/** What pg takes for the server `choice`. */
export const configOf = (config: ClientConfig, { connectionString, isSocket }: ServerChoice): ClientConfig => ({
  ...config,
  connectionString,
  ...(isSocket && { ssl: false }), // a socket of this machine
});

/** What a server has to be, as libpq has it (target_session_attrs), but for `prefer-standby`, which is two of them in turn. */
type SessionTarget = 'any' | 'read-write' | 'read-only' | 'primary' | 'standby';

interface Mode {
  readonly in_recovery: boolean;
  readonly read_only: boolean;
}

const FITS: Readonly<Record<SessionTarget, (mode: Mode) => boolean>> = {
  any: () => true,
  'read-write': ({ read_only }) => !read_only,
  'read-only': ({ read_only }) => read_only,
  primary: ({ in_recovery }) => !in_recovery,
  standby: ({ in_recovery }) => in_recovery,
};

/** The server that answers is not the one that the URL wants. Another of its servers may be. */
class UnsuitableServer extends Error {
  readonly code = 'UNSUITABLE_SERVER';

  constructor(place: string, target: SessionTarget, { in_recovery, read_only }: Mode) {
    const found = in_recovery ? 'a standby' : `a primary that ${read_only ? 'is read-only' : 'accepts writes'}`;
    super(`the database server at ${place} is ${found}; target_session_attrs requires ${target}`);
  }
}

/** In which order servers are asked to be what; of several servers without a wish, the one that can be written to. */
const toSessionTarget = (given: string | null, servers: number): readonly SessionTarget[] => {
  if (given === null) return [servers > 1 ? 'read-write' : 'any'];
  return given === 'prefer-standby' ? ['standby', 'any'] : [given as SessionTarget];
};

/** Whether writing is what the connections of `target` are for. */
export const isForWriting = (target: SessionTarget): boolean => target === 'read-write' || target === 'primary';

/** Throws an UnsuitableServer where the server of `client` is not what it has to be. */
export const requireTarget = async (client: Client, place: string, target: SessionTarget): Promise<void> => {
  if (target === 'any') return;
  const { rows } = await client.query<Mode>(
    `select pg_is_in_recovery() as in_recovery, current_setting('transaction_read_only') = 'on' as read_only`,
  );
  const mode = rows[0] as Mode;
  if (!FITS[target](mode)) throw new UnsuitableServer(place, target, mode);
};
