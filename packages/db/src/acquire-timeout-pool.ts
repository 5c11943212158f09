import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { explainConnectionError, offersNoTls } from './connection-error.ts';

export interface PatientPoolSettings extends PoolConfig {
  /** How long a caller waits for a connection, whether one has to be made for it or to become free. */
  readonly acquireTimeoutMs: number;
  /** Whether a server without TLS is spoken to without it. */
  readonly mayBePlain: boolean;
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

/**
 * pg's pool has one limit for making a connection and for waiting until one is free. Here the first is that of the connection (its own
 * `connectionTimeoutMillis`, TLS and sign-in included), and the second that of the caller: it may end first, and then the connection
 * is still made, for the next one. Speaks without TLS where that may be and the server has none.
 */
export class AcquireTimeoutPool extends Pool {
  readonly #acquireTimeoutMs: number;
  readonly #mayBePlain: boolean;
  readonly #ssl: PoolConfig['ssl'];

  constructor({ acquireTimeoutMs, mayBePlain, ...config }: PatientPoolSettings) {
    super(config);
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
      clearTimeout(limit);
      // When it is there again it may be another server, or the same one with TLS.
      if (error !== undefined) this.options.ssl = this.#ssl;
      if (isOver) release();
      else callback(error && (explainConnectionError(error) as Error), client, release);
    };
    super.connect(taken);
  }
}
