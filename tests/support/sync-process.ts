import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { supervisionMessage } from '@sheaf/process';
import { CODE_CACHE_ENVIRONMENT, type TestDatabase } from '@sheaf/testkit';

/** The sync process, as the supervisor starts it, on a database; ready when this returns. It works below `folder`. */
export const startSyncProcess = async (
  database: TestDatabase,
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> => {
  const child = fork(join(import.meta.dirname, '../../apps/sync/src/main.ts'), [], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { PATH: process.env['PATH'], ...CODE_CACHE_ENVIRONMENT, DATABASE_URL: database.url.reveal(), PROBE_PORT_BASE: '0', ...env },
  });
  const [message] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error(`the sync process ended with ${child.exitCode}`);
    }),
  ]);
  supervisionMessage.parse(message);
  return child;
};

/** Ends it by `signal`, and waits until it has. */
export const endProcess = async (child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
};
