import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { ServerClient, type ServerClientSettings } from './server-client.ts';
import type { Servers } from './servers.ts';
import { explainConnectionError, isDatabaseUnavailable, offersNoTls } from './sql-state.ts';

export interface AcquireTimeoutPoolSettings extends PoolConfig {
  /** How long a caller waits for a connection, whether one has to be made for it or to become free. */
  readonly acquireTimeoutMs: number;
  /** Whether a server without TLS is spoken to without it. */
  readonly mayBePlain: boolean;
  /** How its connections are made. */
  readonly connections: ServerClientSettings;
}

type Taken = (error: Error | undefined, client: PoolClient | undefined, release: (error?: Error | boolean) => void) => void;

/** No connection came in time. `isDatabaseUnavailable` knows it. */
export class NoFreeConnection extends Error {
  readonly code = 'NO_FREE_CONNECTION';

  constructor({ totalCount, options: { max } }: Pool, acquireTimeoutMs: number) {
    const state = `${totalCount} of ${max} in the pool (DATABASE_MAX_CONNECTIONS)`;
    super(`no database connection within ${acquireTimeoutMs} ms (DATABASE_ACQUIRE_TIMEOUT): ${state}`);
  }
}

/** The connections of a pool, with a limit of their own: the pool would take its one limit for both, see `AcquireTimeoutPool`. */
const clientsOf = (settings: ServerClientSettings, connectTimeoutMs: number | undefined): PoolConfig['Client'] =>
  class extends ServerClient {
    constructor(config?: string | PoolConfig) {
      super({ ...(config as PoolConfig), connectionTimeoutMillis: connectTimeoutMs }, settings);
    }
  };

const isUnfit = (client: PoolClient | undefined): boolean => client instanceof ServerClient && client.isUnfit;

/**
 * pg's pool has one limit for making a connection and for waiting until one is free. Here the first is that of the connection (its own
 * `connectionTimeoutMillis`, TLS and sign-in included), and the second that of the caller: it may end first, and then the connection
 * is still made, for the next one. Speaks without TLS where that may be and the server has none. Tries the servers of the URL in turn, and
 * replaces connections that are unfit.
 */
export class AcquireTimeoutPool extends Pool {
  readonly #acquireTimeoutMs: number;
  readonly #mayBePlain: boolean;
  readonly #ssl: PoolConfig['ssl'];
  readonly #servers: Servers;

  constructor({ acquireTimeoutMs, mayBePlain, connections, connectionTimeoutMillis, ...config }: AcquireTimeoutPoolSettings) {
    super({ ...config, Client: clientsOf(connections, connectionTimeoutMillis) });
    this.#servers = connections.servers;
    this.#acquireTimeoutMs = acquireTimeoutMs;
    this.#mayBePlain = mayBePlain;
    this.#ssl = config.ssl;
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: Taken): void;
  // pg's own `query` takes its connections here too.
  override connect(callback?: Taken): Promise<PoolClient> | void {
    if (callback !== undefined) return this.#take(callback);
    return new Promise((resolve, reject) => {
      this.#take((error, client) => (client === undefined ? reject(error ?? new Error('no connection')) : resolve(client)));
    });
  }

  #take(callback: Taken): void {
    let isOver = false;
    let tried = 1;
    const limit = setTimeout(() => {
      isOver = true;
      callback(new NoFreeConnection(this, this.#acquireTimeoutMs), undefined, () => {});
    }, this.#acquireTimeoutMs);
    const taken: Taken = (error, client, release) => {
      if (offersNoTls(error) && this.#mayBePlain) {
        this.options.ssl = false;
        if (!isOver) super.connect(taken);
        return;
      }
      if (error !== undefined && tried < this.#servers.count && isDatabaseUnavailable(error) && !isOver) {
        tried += 1;
        super.connect(taken);
        return;
      }
      if (isUnfit(client) && !isOver) {
        release(true);
        super.connect(taken);
        return;
      }
      clearTimeout(limit);
      // When it is there again it may be another server, or the same one with TLS.
      if (error !== undefined) this.options.ssl = this.#ssl;
      if (isOver) {
        release();
        return;
      }
      const giveConnection: typeof release = (reason) => release(reason ?? isUnfit(client));
      if (client !== undefined) client.release = giveConnection;
      callback(error && (explainConnectionError(error) as Error), client, giveConnection);
    };
    super.connect(taken);
  }
}
