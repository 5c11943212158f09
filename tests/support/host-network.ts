import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CODE_CACHE_ENVIRONMENT } from '@sheaf/testkit';
import { StartedProgram } from './started-program.ts';

const run = promisify(execFile);
const ip = async (...args: string[]): Promise<void> => void (await run('ip', args));

const ROOT = join(import.meta.dirname, '../..');
const MOST_NETWORKS = 250;

/** A namespace with an address of its own on the network. */
export interface HostPlace {
  readonly namespace: string;
  /** From now on packets are dropped in both directions, and nobody is told. */
  cutOff(): Promise<void>;
  reconnect(): Promise<void>;
  run(command: readonly string[]): StartedProgram;
}

/** Network namespaces on a bridge. */
export interface HostNetwork extends AsyncDisposable {
  /** Of this side of the bridge, on which servers can listen. */
  readonly address: string;
  /** As pg_hba.conf names all of it. */
  readonly range: string;
  addPlace(): Promise<HostPlace>;
}

/** Whether this user may make what `openHostNetwork` makes. */
export const canMakeNetworks = async (): Promise<boolean> => {
  try {
    await using network = await openHostNetwork();
    await network.addPlace();
    return true;
  } catch {
    return false; // no root, no iproute2, or a kernel or container without bridges
  }
};

/** The name of a bridge belongs to one test at a time, and with it the addresses of the same number. */
const makeBridge = async (): Promise<number> => {
  for (let number = 1; ; number += 1) {
    try {
      await ip('link', 'add', `hosts${number}`, 'type', 'bridge');
      return number;
    } catch (error) {
      const isTaken = error instanceof Error && error.message.includes('File exists');
      if (!isTaken || number === MOST_NETWORKS) throw error;
    }
  }
};

export const openHostNetwork = async (): Promise<HostNetwork> => {
  const number = await makeBridge();
  const bridge = `hosts${number}`;
  const addressOf = (place: number): string => `10.213.${number}.${place}`;
  const resources = new AsyncDisposableStack();
  resources.defer(() => ip('link', 'delete', bridge));
  try {
    await ip('address', 'add', `${addressOf(1)}/24`, 'dev', bridge);
    await ip('link', 'set', bridge, 'up');
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
  let places = 0;
  return {
    address: addressOf(1),
    range: `${addressOf(0)}/24`,
    addPlace: async () => {
      const place = (places += 1);
      const namespace = `${bridge}-${place}`;
      const port = `${bridge}p${place}`;
      await ip('netns', 'add', namespace);
      resources.defer(() => ip('netns', 'delete', namespace));
      await ip('link', 'add', port, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
      // not left to the end of the namespace, which comes some time after that of its last process
      resources.defer(() => ip('link', 'delete', port));
      await ip('link', 'set', port, 'master', bridge, 'up');
      await ip('-n', namespace, 'address', 'add', `${addressOf(1 + place)}/24`, 'dev', 'eth0');
      await ip('-n', namespace, 'link', 'set', 'eth0', 'up');
      await ip('-n', namespace, 'link', 'set', 'lo', 'up');
      const setPort = async (state: 'disabled' | 'forwarding'): Promise<void> =>
        void (await run('bridge', ['link', 'set', 'dev', port, 'state', state === 'disabled' ? '0' : '3']));
      return {
        namespace,
        cutOff: () => setPort('disabled'),
        reconnect: () => setPort('forwarding'),
        run: (command) =>
          new StartedProgram({ command: ['ip', 'netns', 'exec', namespace, ...command], cwd: ROOT, env: CODE_CACHE_ENVIRONMENT }),
      };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
