import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseHost } from './database-host.ts';

export const OS_USER = 'postgres';
export const SUPERUSER_PASSWORD = 'of-the-superuser';
const ETCD_PORT = 2379;
const ETCD_PEER_PORT = 2380;
const REST_PORT = 8008;
const POSTGRES_PORT = 5432;

/** As docs/large/failover.md recommends them. */
const CLUSTER_SETTINGS = {
  ttl: 20,
  loop_wait: 5,
  retry_timeout: 5,
  synchronous_mode: true,
  maximum_lag_on_failover: 1_048_576,
  postgresql: { use_pg_rewind: true, use_slots: true },
};

/** A host with etcd, and PostgreSQL under Patroni. */
export class PatroniNode {
  readonly name: string;
  readonly address: string;
  readonly restUrl: string;
  readonly place: string;
  readonly configurationFile: string;
  readonly host: DatabaseHost;
  readonly #folder: string;
  readonly #output: string[] = [];

  constructor(host: DatabaseHost, name: string, folder: string) {
    this.host = host;
    this.name = name;
    this.address = host.address;
    this.restUrl = `http://${host.address}:${REST_PORT}`;
    this.place = `${host.address}:${POSTGRES_PORT}`;
    this.#folder = join(folder, name);
    this.configurationFile = join(this.#folder, 'patroni.json');
  }

  /** What its programs have said lately. */
  get output(): string {
    return this.#output.join('').slice(-4_000);
  }

  /** Writes its configuration as one of `nodes`, whose programs are in `binaries`. The folder belongs to the OS user. */
  async prepare(nodes: readonly PatroniNode[], range: string, binaries: string, own: (path: string) => Promise<void>): Promise<void> {
    await mkdir(this.#folder, { mode: 0o700 });
    await own(this.#folder);
    const rules = ['local all all trust', `host replication replicator ${range} scram-sha-256`, `host all all ${range} scram-sha-256`];
    const configuration = {
      scope: 'sheaf',
      name: this.name,
      etcd3: { hosts: nodes.map(({ address }) => `${address}:${ETCD_PORT}`) },
      restapi: { listen: `${this.address}:${REST_PORT}`, connect_address: `${this.address}:${REST_PORT}` },
      bootstrap: { dcs: CLUSTER_SETTINGS, initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'] },
      postgresql: {
        listen: this.place,
        connect_address: this.place,
        data_dir: join(this.#folder, 'data'),
        bin_dir: binaries,
        pgpass: join(this.#folder, 'pgpass'),
        pg_hba: rules,
        parameters: { unix_socket_directories: this.#folder, lc_messages: 'C' },
        authentication: {
          superuser: { username: 'postgres', password: SUPERUSER_PASSWORD },
          replication: { username: 'replicator', password: 'of-the-replicator' },
          rewind: { username: 'rewinder', password: 'of-the-rewinder' },
        },
      },
    };
    await writeFile(this.configurationFile, JSON.stringify(configuration)); // YAML knows JSON
    await chmod(this.configurationFile, 0o644);
  }

  /** Starts its etcd, with what it stored in `folder` before. */
  startEtcd(nodes: readonly PatroniNode[], folder: string): void {
    const client = `http://${this.address}:${ETCD_PORT}`;
    const peer = `http://${this.address}:${ETCD_PEER_PORT}`;
    const options = {
      name: this.name,
      'data-dir': join(folder, this.name),
      'initial-cluster': nodes.map(({ name, address }) => `${name}=http://${address}:${ETCD_PEER_PORT}`).join(','),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'log-level': 'error',
    };
    this.#start('etcd', ...Object.entries(options).map(([name, value]) => `--${name}=${value}`));
  }

  startPatroni(): void {
    this.#start('patroni', this.configurationFile);
  }

  #start(...args: string[]): ChildProcess {
    const [file, all] = this.host.command(OS_USER, ...args);
    const child = spawn(file, all, {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: '/',
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' },
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.#output.push(chunk.toString('utf8'));
        if (this.#output.length > 200) this.#output.shift();
      });
    return child;
  }
}
