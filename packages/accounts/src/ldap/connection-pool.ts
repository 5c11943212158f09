import type { Secret } from '@sheaf/contract';
import type { Logger } from '@sheaf/process';
import {
  AdminLimitExceededError,
  BusyError,
  InappropriateAuthError,
  InvalidCredentialsError,
  OperationsError,
  ProtocolError,
  ResultCodeError,
  TimeLimitExceededError,
  UnavailableError,
} from 'ldapts';
import { type Connection, type ConnectionSettings, openConnection } from './connection.ts';

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
