import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { z } from 'zod';
import { addDatabaseHost } from './database-host.ts';
import { canMakeNetworks, openHostNetwork } from './host-network.ts';
import { OS_USER, PatroniNode, SUPERUSER_PASSWORD } from './patroni-node.ts';
import { waitFor } from './wait-for.ts';

const run = promisify(execFile);

const PROGRAMS = ['/usr/bin/patroni', '/usr/bin/patronictl', '/usr/bin/etcd'];

/** The folder of the newest PostgreSQL that the system has, as Debian lays it out. */
export const findSystemPostgres = (): string | undefined =>
  globSync('/usr/lib/postgresql/*/bin/postgres')
    .map((path) => path.slice(0, -'/postgres'.length))
    .toSorted((a, b) => Number.parseInt(b.split('/')[4] ?? '', 10) - Number.parseInt(a.split('/')[4] ?? '', 10))[0];

/** Why no cluster of Patroni can be made here, or undefined when one can. */
export const whyNoPatroni = async (): Promise<string | undefined> => {
  if (!PROGRAMS.every((path) => existsSync(path)) || findSystemPostgres() === undefined)
    return 'patroni, etcd-server or postgresql are not installed (./setup --full-test)';
  return (await canMakeNetworks()) ? undefined : 'network namespaces cannot be made here';
};

const clusterSchema = z.object({
  members: z.array(
    z.looseObject({ name: z.string(), role: z.string(), state: z.string(), lag: z.union([z.number(), z.string()]).optional() }),
  ),
});

export interface PatroniCluster extends AsyncDisposable {
  readonly nodes: readonly PatroniNode[];
  /** Of the database of the service, with all nodes. */
  urlWith(parameters: string): string;
  /** Of the same database on `node` alone. */
  urlOf(node: PatroniNode): string;
  /** The node that leads, once there is one. */
  leader(): Promise<PatroniNode>;
  /** Waits until one node leads, another one is the synchronous standby, and all others follow. */
  untilComplete(): Promise<void>;
  /** The role that the others have seen `node` in: leader, sync_standby, replica; undefined where it is none of them. */
  roleOf(node: PatroniNode): Promise<string | undefined>;
  /** Starts what runs on a node that was killed. */
  restart(node: PatroniNode): void;
  /** Gives the lead to another node as an administrator does; returns when patronictl has. */
  switchOver(): Promise<void>;
}

const membersSeenBy = async (nodes: readonly PatroniNode[]) => {
  for (const { restUrl } of nodes) {
    try {
      const response = await fetch(`${restUrl}/cluster`, { signal: AbortSignal.timeout(2_000) });
      if (response.ok) return clusterSchema.parse(await response.json()).members;
      await response.body?.cancel();
    } catch {
      // this node is away: the next one may know
    }
  }
  return [];
};

const urlTo = (nodes: readonly PatroniNode[]): string => `postgresql://sheaf:of-sheaf@${nodes.map(({ place }) => place).join(',')}/sheaf`;

const isRunning = (state: string): boolean => state === 'running' || state === 'streaming';

/** Makes the database of the service, with a role that owns it alone. */
const makeDatabase = async ({ address }: PatroniNode): Promise<void> => {
  const client = new Client({ host: address, user: 'postgres', password: SUPERUSER_PASSWORD, database: 'postgres' });
  await client.connect();
  await client.query(`create role sheaf login password 'of-sheaf' nosuperuser nocreatedb nocreaterole`);
  await client.query(`create database sheaf owner sheaf encoding 'UTF8' template template0`);
  await client.end();
};

/** Three hosts, each with etcd and PostgreSQL under Patroni, with synchronous replication, and a database for the service. */
export const startPatroniCluster = async (): Promise<PatroniCluster> => {
  const binaries = findSystemPostgres();
  if (binaries === undefined) throw new Error('there is no PostgreSQL');
  await using cleanUp = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-patroni-'));
  await chmod(folder, 0o755);
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
  const network = cleanUp.use(await openHostNetwork());
  const nodes: PatroniNode[] = [];
  for (const name of ['db1', 'db2', 'db3']) {
    const host = await addDatabaseHost(network);
    cleanUp.defer(() => host.kill());
    nodes.push(new PatroniNode(host, name, folder));
  }
  const etcdFolder = await mkdtemp('/dev/shm/sheaf-etcd-'); // where writing takes no time: etcd is not what is tested
  cleanUp.defer(() => rm(etcdFolder, { recursive: true, force: true }));
  const own = async (path: string): Promise<void> => void (await run('chown', [`${OS_USER}:`, path]));
  await own(etcdFolder);
  for (const node of nodes) await node.prepare(nodes, network.range, binaries, own);
  for (const node of nodes) node.startEtcd(nodes, etcdFolder);
  for (const node of nodes) node.startPatroni();

  const leader = () =>
    waitFor(
      async () => {
        const name = (await membersSeenBy(nodes)).find(({ role, state }) => role === 'leader' && isRunning(state))?.name;
        return nodes.find((node) => node.name === name);
      },
      { description: 'a node to lead', limitMs: 60_000 },
    );
  const untilComplete = async (): Promise<void> => {
    let seen: unknown;
    try {
      await waitFor(
        async () => {
          const members = await membersSeenBy(nodes);
          seen = members;
          const roles = members.filter(({ state, lag }) => isRunning(state) && (lag === undefined || lag === 0)).map(({ role }) => role);
          return roles.toSorted().join() === 'leader,replica,sync_standby';
        },
        { description: 'a leader, a synchronous standby and a replica', limitMs: 90_000, everyMs: 200 },
      );
    } catch (error) {
      throw new Error(`${JSON.stringify(seen)}\n${nodes.map(({ output }) => output).join('\n')}`, { cause: error });
    }
  };
  await untilComplete();
  await makeDatabase(await leader());
  const owned = cleanUp.move();
  return {
    nodes,
    urlWith: (parameters) => `${urlTo(nodes)}?${parameters}`,
    urlOf: (node) => urlTo([node]),
    leader,
    untilComplete,
    roleOf: async (node) => (await membersSeenBy(nodes.filter((other) => other !== node))).find(({ name }) => name === node.name)?.role,
    restart: (node) => {
      node.startEtcd(nodes, etcdFolder);
      node.startPatroni();
    },
    switchOver: async () => {
      const { configurationFile, host } = await leader();
      const [file, args] = host.command(OS_USER, 'patronictl', '-c', configurationFile, 'switchover', '--force');
      await run(file, args, { cwd: '/', env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' } });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
};
