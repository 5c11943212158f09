import { makeProblem } from '@sheaf/contract/operations';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { Client } from 'pg';
import { PoolerError } from './connection-error.ts';

/** A pooler that has lent all its servers lets others wait; then each of its clients has one for itself. */
const ANSWER_LIMIT_MS = 2_000;
/** A busy pooler may lend another server by chance. */
const TRIES = 3;

const limited = (text: string) => ({ text, query_timeout: ANSWER_LIMIT_MS });

const backendOf = async (client: Client): Promise<number> =>
  (await client.query<{ pid: number }>(limited('select pg_backend_pid() as pid'))).rows[0]?.pid ?? 0;

/** Whether a transaction of another client gets the server of `client`, or `client` another one than before; undefined without an answer. */
const sharesServer = async (client: Client, first: number, connect: () => Promise<Client>): Promise<boolean | undefined> => {
  const other = await connect();
  try {
    await other.query(limited('begin'));
    return (await backendOf(other)) === first || (await backendOf(client)) !== first;
  } catch {
    return undefined;
  } finally {
    await other.end();
  }
};

/**
 * Throws a PoolerError where the connection is lent a server for each transaction only: locks and LISTEN would be lost without
 * notice. A server gives the number of its process when it greets; a pooler greets with a number of its own.
 */
export const requireSession = async (client: Client, connect: () => Promise<Client>): Promise<void> => {
  const pid = await backendOf(client);
  if (pid === (client as Client & { readonly processID: number }).processID) return;
  for (let tried = 0; tried < TRIES; tried += 1) {
    const isShared = await sharesServer(client, pid, connect);
    if (isShared === undefined) return;
    if (isShared) throw new PoolerError(makeProblem('database_pooler_shares_sessions'), EXIT.configuration);
  }
};
