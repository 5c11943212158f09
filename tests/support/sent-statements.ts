import { type Database, type Db, openDatabase } from '@sheaf/db';
import { statementLabel } from '@sheaf/db/testing';
import { silentLogger } from '@sheaf/process';

interface Queryable {
  query: (...given: unknown[]) => unknown;
}

const textOf = (given: unknown): string => (typeof given === 'string' ? given : String((given as { text?: unknown } | undefined)?.text));

/** A pool of its own on the same database. */
export interface CountedDatabase extends AsyncDisposable {
  readonly db: Db;
  /** The labels of all statements that were sent so far, `begin` and `commit` among them. */
  readonly sent: string[];
}

export const openCounted = ({ url }: Pick<Database, 'url'>): CountedDatabase => {
  const settings = { maxConnections: 4, minConnections: 0, acquireTimeoutMs: 60_000, idleTimeoutMs: 60_000, maxLifetimeMs: 600_000 };
  const database = openDatabase({ ...settings, url, applicationName: 'counted' }, silentLogger());
  const sent: string[] = [];
  database.pool.on('connect', (given) => {
    const client = given as unknown as Queryable;
    const query = client.query.bind(client);
    client.query = (...all) => {
      sent.push(statementLabel(textOf(all[0])));
      return query(...all);
    };
  });
  return { db: database.db, sent, [Symbol.asyncDispose]: () => database.close() };
};
