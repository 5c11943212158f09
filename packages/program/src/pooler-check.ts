import { connectClient, type Database, isDatabaseUnavailable } from '@sheaf/db';
import { type Component, FatalError, type Logger } from '@sheaf/process';

/** Refuses at the start a pooler that locks and LISTEN do not survive: later nothing would report it. */
const requireSession = async ({ directUrl }: Database, log: Logger): Promise<void> => {
  try {
    const client = await connectClient(directUrl, { applicationName: 'sheaf pooler check' });
    await client.end();
  } catch (error) {
    if (error instanceof FatalError || !isDatabaseUnavailable(error)) throw error;
    log.debug({ err: error }, 'pooler check postponed until the database is reachable');
  }
};

/** A session behind a pooler cannot be told this by its client. */
const warnOfCompiledQueries = async ({ pool }: Database, log: Logger): Promise<void> => {
  const { rows } = await pool.query<{ jit: string; role: string }>(`select current_setting('jit') as jit, current_user as role`);
  const [found] = rows;
  if (found?.jit === 'on')
    log.warn(`queries are compiled (jit), which slows them down behind a connection pooler. Run: alter role ${found.role} set jit = off`);
};

/** Looks at the start at what is between this process and the database. */
export const makePoolerCheck = (database: Database, log: Logger): Component => ({
  name: 'pooler-check',
  start: async () => {
    await requireSession(database, log);
    if (database.isPooled) await warnOfCompiledQueries(database, log).catch((error: unknown) => log.debug({ err: error }, 'jit unknown'));
  },
  stop: async () => {},
});
