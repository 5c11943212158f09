import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { HostNetwork, HostPlace } from './host-network.ts';
import { waitFor } from './wait-for.ts';

const run = promisify(execFile);

/** A host of its own on this machine, on which servers run: what they listen on, and how they are started and ended. */
export interface DatabaseHost extends HostPlace {
  readonly address: string;
  /** The program and arguments that run `args` on this host as the OS user `user`. The process started is the program itself. */
  command(user: string, ...args: string[]): [file: string, args: string[]];
  /** Ends every process of the host at once, as a power cut does. */
  kill(): Promise<void>;
}

const killAll = (namespace: string): Promise<unknown> =>
  waitFor(
    async () => {
      const { stdout } = await run('ip', ['netns', 'pids', namespace]);
      const pids = stdout.split('\n').filter(Boolean).map(Number);
      for (const pid of pids) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // has ended meanwhile
        }
      }
      return pids.length === 0;
    },
    { description: `the processes in ${namespace} to end`, limitMs: 10_000 },
  );

/** Another host on `network`. Its processes are to be ended with `kill` before the network goes. */
export const addDatabaseHost = async (network: HostNetwork): Promise<DatabaseHost> => {
  const place = await network.addPlace();
  const { namespace } = place;
  const { stdout } = await run('ip', ['-n', namespace, '-oneline', '-4', 'address', 'show', 'eth0']);
  const [, address] = /inet ([\d.]+)/.exec(stdout) ?? [];
  if (address === undefined) throw new Error(`${namespace} has no address: ${stdout}`);
  const asUser = (user: string): string[] => ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups'];
  return {
    ...place,
    address,
    command: (user, ...args) => ['ip', ['netns', 'exec', namespace, ...asUser(user), ...args]],
    kill: async () => void (await killAll(namespace)),
  };
};
