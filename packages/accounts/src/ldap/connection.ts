import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { Secret } from '@sheaf/contract';
import type { Logger } from '@sheaf/process';
import {
  AdminLimitExceededError,
  BusyError,
  Client,
  InappropriateAuthError,
  InvalidCredentialsError,
  OperationsError,
  ProtocolError,
  ResultCodeError,
  TimeLimitExceededError,
  UnavailableError,
} from 'ldapts';

/** What a connection needs to know. `ca` is the text of the authorities to trust. */
export interface ConnectionSettings extends Pick<LdapSettings, 'startTls' | 'verifyTls'> {
  readonly ca: string | undefined;
  readonly timeoutMs: number;
}

/** One connection to one server, for as long as it lasts. Disposing of it closes it. */
export interface Connection extends Disposable {
  readonly server: string;
  readonly client: Client;
  /** Signed in and not lost. */
  readonly isUsable: boolean;
}

/**
 * The sockets of one client. A client of ldapts connects again by itself when its connection is lost: in plain text even after
 * StartTLS, and then sends the password it was given. So each of ours may connect once.
 */
class ConnectOnce {
  readonly #sockets: Socket[] = [];

  wrap<F extends (...values: never[]) => Socket>(connect: F): F {
    let isSpent = false;
    return ((...values: Parameters<F>): Socket => {
      if (isSpent) throw new Error('LDAP connection lost');
      isSpent = true;
      const socket = connect(...values);
      this.#sockets.push(socket);
      return socket;
    }) as F;
  }

  // After StartTLS the client itself does not see that its connection is gone.
  get areOpen(): boolean {
    return this.#sockets.length > 0 && this.#sockets.every((socket) => socket.writable && !socket.destroyed);
  }

  destroy(): void {
    for (const socket of this.#sockets.toReversed()) {
      socket.on('error', () => {}); // it is being closed: what it still says does not matter
      socket.end();
      socket.destroy();
    }
  }
}

const tlsOptions = (host: string, { ca, verifyTls }: ConnectionSettings): ConnectionOptions => ({
  host,
  ...(isIP(host) === 0 ? { servername: host } : {}),
  ...(ca === undefined ? {} : { ca }),
  rejectUnauthorized: verifyTls,
  minVersion: 'TLSv1.2',
});

/** StartTLS within the time limit: the client has one for the request, but none for the handshake. */
const encrypt = async (client: Client, host: string, settings: ConnectionSettings): Promise<void> => {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('TLS handshake timed out')), settings.timeoutMs);
  const handshake = client.startTLS(tlsOptions(host, settings));
  handshake.catch(() => {}); // the race below tells; what comes later is of a closed socket
  try {
    await Promise.race([handshake, late.promise]);
  } finally {
    clearTimeout(timer);
  }
};

/** A connection to `server`, encrypted as the settings say before anything of ours is sent. */
export const openConnection = async (server: string, settings: ConnectionSettings): Promise<Connection> => {
  const { hostname, protocol } = new URL(server);
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  const sockets = new ConnectOnce();
  const client = new Client({
    url: server,
    timeout: settings.timeoutMs,
    connectTimeout: settings.timeoutMs,
    createConnection: sockets.wrap(connectPlain),
    createSecureConnection: sockets.wrap(connectTls),
    // given for ldap:// they would make it speak TLS from the first byte
    ...(protocol === 'ldaps:' ? { tlsOptions: tlsOptions(host, settings) } : {}),
  });
  try {
    if (protocol === 'ldap:' && settings.startTls) await encrypt(client, host, settings);
  } catch (error) {
    sockets.destroy();
    throw error;
  }
  return {
    server,
    client,
    get isUsable() {
      return client.isConnected && client.isBound && sockets.areOpen;
    },
    [Symbol.dispose]: () => sockets.destroy(),
  };
};

export interface LdapSettings {
  /** ldap:// or ldaps://, tried in this order. */
  readonly servers: readonly string[];
  /** Both unset: the directory is searched without signing in to it. */
  readonly bindDn: string | undefined;
  readonly bindPassword: Secret | undefined;
  readonly baseDn: string;
  /** With {username}. */
  readonly userFilter: string;
  /** Names of attributes. Without `username` it is the one that the filter compares. */
  readonly attributes: { readonly email: string; readonly name: string; readonly username?: string | undefined };
  readonly groupSearchBase: string | undefined;
  /** With {user_dn}. Unset: what the user's own entry says (memberOf). */
  readonly groupFilter: string | undefined;
  readonly adminGroup: string | undefined;
  /** Names or distinguished names of groups, each with its role. */
  readonly groupRoles: Readonly<Record<string, string>>;
  /** StartTLS on ldap://. */
  readonly startTls: boolean;
  readonly verifyTls: boolean;
  /** PEM file of the authorities to trust instead of the system's. */
  readonly caFile: string | undefined;
  /** Whether people cannot change their own address there, so that it may link to accounts here. */
  readonly emailVerified: boolean;
  /** Log each step. */
  readonly debug: boolean;
  readonly timeoutMs?: number;
  readonly idleMs?: number;
}

/** How long one step may take: connect, handshake, bind, search. */
export const DEFAULT_TIMEOUT_MS = 10_000;
/** Directories and the firewalls before them drop idle connections after minutes. */
export const DEFAULT_IDLE_MS = 60_000;

/** Kept open at most; more at the same time are opened and closed again. */
const MAX_IDLE = 5;

export interface PoolSettings extends ConnectionSettings {
  readonly servers: readonly string[];
  readonly bindDn: string | undefined;
  readonly bindPassword: Secret | undefined;
  readonly idleMs: number;
}

interface Idle {
  readonly connection: Connection;
  readonly timer: NodeJS.Timeout;
}

/** Connections on which the service itself is signed in. Nobody else's password is ever used on them. */
export class ConnectionPool implements Disposable {
  readonly #settings: PoolSettings;
  readonly #log: Logger;
  readonly #idle: Idle[] = [];

  constructor(settings: PoolSettings, log: Logger) {
    this.#settings = settings;
    this.#log = log;
  }

  /**
   * Runs `work` on a connection that the service is signed in on. `work` may run twice: a kept connection may turn out to be dead
   * only when it is used, because the server was started again.
   */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const kept = this.#takeIdle();
    if (kept !== undefined) {
      try {
        return await this.#run(kept, work);
      } catch (error) {
        if (!isAway(error)) throw error;
        this.#log.debug({ err: error, server: kept.server }, 'LDAP connection lost, reconnecting');
      }
    }
    return await this.#run(await this.#openFirst(), work);
  }

  [Symbol.dispose](): void {
    for (const { connection, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      connection[Symbol.dispose]();
    }
  }

  async #run<T>(connection: Connection, work: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      const result = await work(connection);
      this.#keep(connection);
      return result;
    } catch (error) {
      connection[Symbol.dispose]();
      throw error;
    }
  }

  #takeIdle(): Connection | undefined {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      clearTimeout(idle.timer);
      if (idle.connection.isUsable) return idle.connection;
      idle.connection[Symbol.dispose]();
    }
    return undefined;
  }

  #keep(connection: Connection): void {
    if (!connection.isUsable || this.#idle.length >= MAX_IDLE) {
      connection[Symbol.dispose]();
      return;
    }
    const timer = setTimeout(() => {
      const at = this.#idle.findIndex((idle) => idle.connection === connection);
      if (at >= 0) this.#idle.splice(at, 1);
      connection[Symbol.dispose]();
    }, this.#settings.idleMs).unref();
    this.#idle.push({ connection, timer });
  }

  // Choice: several servers are asked in the order they are given; a later one only when the ones before cannot be reached.
  async #openFirst(): Promise<Connection> {
    const errors: unknown[] = [];
    for (const server of this.#settings.servers) {
      try {
        return await this.#openSignedIn(server);
      } catch (error) {
        if (!isAway(error)) throw error;
        this.#log.warn({ err: error, server }, 'LDAP server unreachable');
        errors.push(error);
      }
    }
    throw new AggregateError(errors, 'no LDAP server is reachable');
  }

  async #openSignedIn(server: string): Promise<Connection> {
    const { bindDn, bindPassword } = this.#settings;
    const connection = await openConnection(server, this.#settings);
    try {
      // an anonymous bind where there is no service account, so that it is known to be alive
      await connection.client.bind(bindDn ?? '', bindPassword?.reveal() ?? '');
      return connection;
    } catch (error) {
      connection[Symbol.dispose]();
      throw error;
    }
  }
}

/** Answers that say nothing about the password: another try may end otherwise. */
const NOT_NOW = [AdminLimitExceededError, BusyError, OperationsError, ProtocolError, TimeLimitExceededError, UnavailableError];

/** Whether the server could not be asked, or could not answer now. */
export const isAway = (error: unknown): boolean => !(error instanceof ResultCodeError) || NOT_NOW.some((kind) => error instanceof kind);

/** Whether the server answered that the name and the password do not belong together. */
export const isWrongPassword = (error: unknown): boolean =>
  error instanceof InvalidCredentialsError || error instanceof InappropriateAuthError;
