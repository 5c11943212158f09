import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool, PoolClient } from 'pg';

/** The time that a piece of work has. */
export interface Deadline {
  /** Why nothing more is done for it; undefined while there is time. */
  readonly over: Error | undefined;
}

const deadlines = new AsyncLocalStorage<Deadline>();

/** Does `work` until `deadline` is over: from then on its statements are refused with the reason, and its transaction is rolled back. */
export const withinDeadline = <T>(deadline: Deadline, work: () => T): T => deadlines.run(deadline, work);

const isRollback = (statement: unknown): boolean => {
  const text = typeof statement === 'object' && statement !== null && 'text' in statement ? statement.text : statement;
  return typeof text === 'string' && text.startsWith('rollback');
};

/** Makes statements on the pool itself heed the deadline of whoever asks. */
export const heedDeadlines = (pool: Pool): void => {
  const query = pool.query.bind(pool) as (...given: unknown[]) => unknown;
  // asked here and not where the client gets the statement: by then it may run in the context of the one that gave the client back
  const heeding = (...given: unknown[]): unknown => {
    const over = deadlines.getStore()?.over;
    return over === undefined ? query(...given) : Promise.reject(over);
  };
  pool.query = heeding as Pool['query'];
};

/** The client as the statements of a transaction see it: all but its rollback heed the deadline. */
export const heedingClient = (client: PoolClient): PoolClient => {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown;
  const heeding = (...given: unknown[]): unknown => {
    const over = deadlines.getStore()?.over;
    return over === undefined || isRollback(given[0]) ? query(...given) : Promise.reject(over);
  };
  return Object.create(client, { query: { value: heeding } }) as PoolClient;
};
