import { execFile } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Secret } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import { FatalError, type Logger, sleep, waitFor } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import {
  type Binaries,
  checkVersion,
  chooseDataPlace,
  findBinaries,
  findClosedFolder,
  linkPlace,
  programPath,
  type ServerUser,
  SYSTEM_FOLDER,
} from './data-place.ts';
import { DATABASE, initialize, keepPassword, SUPERUSER } from './initialize.ts';
import {
  findServerPid,
  findStarter,
  isLockStale,
  lockedBy,
  type ServerExit,
  type ServerProcess,
  type StartOptions,
  type StopMode,
  startServerProcess,
  untilExited,
} from './server-process.ts';

/** A database to work with for a while; `stop` ends it only if it was started for this. */
export interface JoinedServer {
  readonly url: string;
  stop(): Promise<void>;
}

export interface JoinSettings extends PostgresServerSettings {
  readonly urlFile: string;
}

const START_LIMIT_MS = 10_000;

const isServed = async (dataPath: string): Promise<boolean> => {
  const path = await realpath(dataPath).catch(() => undefined);
  const pid = path === undefined ? undefined : findServerPid(path);
  return pid !== undefined && findStarter(pid) !== undefined;
};

/** The running embedded database of this configuration, or one started for the caller. For command line tools. */
export const joinPostgresServer = async (settings: JoinSettings): Promise<JoinedServer> => {
  if (!(await isServed(settings.dataPath))) {
    try {
      return await openPostgresServer(settings);
    } catch (error) {
      if (!(error instanceof FatalError && error.exitCode === EXIT.replicaRuns)) throw error;
    }
  }
  // A server that has just been started by somebody else writes its URL in a moment.
  const url = await waitFor(() => readUrlFile(settings.urlFile), { description: `${settings.urlFile} to appear`, limitMs: START_LIMIT_MS });
  return { url, stop: async () => {} };
};

/** `port` when nobody listens on it on 127.0.0.1, otherwise undefined. 0 gives any free one. */
const findFree = (port: number): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error)));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });

export interface PostgresServerSettings {
  /** The data directory; made where it is absent. Every folder above it must be open to the server's user (see `chooseDataPlace`). */
  readonly dataPath: string;
  /** On 127.0.0.1; the next free one where it is taken, any free one for 0. */
  readonly port: number;
  /** Of the superuser `sheaf`. */
  readonly password: Secret;
  readonly log: Logger;
  /** Holds the URL while the server runs, readable for the starter only. */
  readonly urlFile?: string;
  /** Memory that the server may count with; that of the machine where none is given. */
  readonly memoryBytes?: number;
  /** Server parameters over the usual ones, such as `{ fsync: 'off' }`. */
  readonly extraParameters?: Readonly<Record<string, string>>;
  /** Seconds that clients get to leave when this process is killed. */
  readonly orphanGraceSeconds?: number;
  /** Fails with NO_FREE_PORT rather than take another port. For a restart under clients that know the address. */
  readonly exactPort?: boolean;
}

const ORPHAN_GRACE_SECONDS = 5;
const PORTS_TO_TRY = 100;
const FAST_STOP_LIMIT_MS = 30_000;
const MEMORY_RELEASE_LIMIT_MS = 10_000;

/** A running server. Nothing in it prints the password. */
export class PostgresServer {
  readonly port: number;
  /** The real place of the data. */
  readonly dataPath: string;
  /** Resolves when the server has ended, whether it was asked to or not. */
  readonly exited: Promise<ServerExit>;
  readonly #url: string;
  readonly #process: ServerProcess;

  constructor(settings: PostgresServerSettings, started: Started) {
    this.port = started.port;
    this.dataPath = started.dataPath;
    this.#process = started.process;
    this.#url = `postgresql://${SUPERUSER}:${encodeURIComponent(settings.password.reveal())}@127.0.0.1:${started.port}/${DATABASE}`;
    const { urlFile } = settings;
    this.exited = started.process.exited.finally(() => (urlFile === undefined ? undefined : removeUrlFile(urlFile, this.#url)));
  }

  get url(): string {
    return this.#url;
  }

  /** Ends the server and waits until it is gone. */
  async stop(mode: StopMode = 'fast'): Promise<void> {
    this.#process.order(mode);
    const limit = new AbortController();
    void sleep(FAST_STOP_LIMIT_MS, limit.signal).then((passed) => passed && this.#process.order('immediate'));
    await this.exited;
    limit.abort();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

interface Started {
  readonly port: number;
  readonly dataPath: string;
  readonly process: ServerProcess;
}

type Attempt = { readonly kind: 'started'; readonly process: ServerProcess } | { readonly kind: 'port_taken' | 'memory_in_use' };

/** One start up to the moment when connections are accepted. */
const attempt = async (options: StartOptions): Promise<Attempt> => {
  const process = startServerProcess(options);
  const exit = await Promise.race([process.output.ready, process.exited]);
  if (exit === undefined) return { kind: 'started', process };
  const { output } = process;
  if (output.says(/could not bind IPv4 address/)) return { kind: 'port_taken' };
  if (output.says(/lock file ".*" already exists/)) throw inUse(options.place.path, undefined);
  // The processes of a server that was killed a moment ago need a little longer to end.
  if (output.says(/pre-existing shared memory block .* is still in use/)) return { kind: 'memory_in_use' };
  const ending = exit.signal ?? `exit code ${exit.code}`;
  throw new FatalError(makeProblem('embedded_database_not_started', { ending, output: output.lastLines }));
};

const startOnFreePort = async (settings: PostgresServerSettings, options: Omit<StartOptions, 'port'>): Promise<Started> => {
  const { log } = settings;
  const patience = performance.now() + MEMORY_RELEASE_LIMIT_MS;
  let wanted = settings.port;
  for (let tried = 0; tried < PORTS_TO_TRY; ) {
    const port = await findFree(wanted);
    const outcome: Attempt = port === undefined ? { kind: 'port_taken' } : await attempt({ ...options, port });
    if (port !== undefined && outcome.kind === 'started') return { port, dataPath: options.place.path, process: outcome.process };
    if (outcome.kind === 'memory_in_use' && performance.now() < patience) {
      await sleep(100, new AbortController().signal);
      continue;
    }
    if (outcome.kind === 'memory_in_use') throw inUse(options.place.path, undefined);
    if (settings.exactPort) break;
    log.warn({ port: wanted }, 'port of the embedded database in use, trying the next one');
    tried += 1;
    if (wanted > 0) wanted += 1;
  }
  throw new FatalError(makeProblem('embedded_database_no_free_port', { port: String(settings.port) }));
};

/**
 * Starts the PostgreSQL server that comes with the project, makes its data directory when there is none, and resolves
 * when it accepts connections. It ends with this process, however that ends. Throws a FatalError with
 * the way out.
 */
export const openPostgresServer = async (settings: PostgresServerSettings): Promise<PostgresServer> => {
  const { log, password, memoryBytes } = settings;
  const installed = findBinaries();
  const place = await chooseDataPlace(settings.dataPath, log);
  const binaries = await reachableBinaries(place.user, installed, log);
  const parameters = { ...serverParameters(memoryBytes), ...settings.extraParameters };
  if (place.exists) {
    await checkVersion(place, binaries.majorVersion);
    await clearTheWay(place.path, log);
    await keepPassword(place, binaries, SUPERUSER, password, log);
  } else {
    log.info({ place: place.path }, 'creating the embedded database');
    await initialize(place, binaries, password, parameters['fsync'] !== 'off');
  }
  await linkPlace(settings.dataPath, place);
  if (settings.urlFile !== undefined) rmSync(settings.urlFile, { force: true }); // of a server that was killed
  const orphanGraceSeconds = settings.orphanGraceSeconds ?? ORPHAN_GRACE_SECONDS;
  const started = await startOnFreePort(settings, { place, binaries, parameters, orphanGraceSeconds, log });
  const server = new PostgresServer(settings, started);
  if (settings.urlFile !== undefined) writeUrlFile(settings.urlFile, server.url);
  return server;
};

/** The URL of the running server for the command line tools; whole from the first moment, and for the starter's eyes only. */
const writeUrlFile = (path: string, url: string): void => {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${url}\n`, { mode: 0o600 });
  chmodSync(draft, 0o600); // a draft left over from a crash keeps its mode
  renameSync(draft, path);
};

const readUrlFile = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** Removes the file unless another server has written its own URL into it since. */
const removeUrlFile = (path: string, url: string): void => {
  if (readUrlFile(path) === url) rmSync(path, { force: true });
};

const MEGABYTE = 1024 * 1024;

const within = (least: number, wanted: number, most: number): number => Math.round(Math.min(most, Math.max(least, wanted)));

/**
 * The server's settings for a host that it shares with the rest of the service. Durable: fsync, full_page_writes and
 * synchronous_commit keep their defaults (on).
 */
export const serverParameters = (memoryBytes: number = totalmem(), machineBytes: number = totalmem()): Readonly<Record<string, string>> => {
  const memory = Math.min(memoryBytes, machineBytes) / MEGABYTE;
  return {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    // For a tool that starts the server; the supervisor counts the processes.
    max_connections: '300',
    shared_buffers: `${within(128, memory / 8, 1_024)}MB`,
    // Not memory of ours: what the kernel keeps of files, by which the planner judges an index.
    effective_cache_size: `${within(256, machineBytes / MEGABYTE / 2, 65_536)}MB`,
    work_mem: '16MB',
    maintenance_work_mem: `${within(64, memory / 32, 512)}MB`,
    max_wal_size: '2GB',
    wal_compression: 'on',
    random_page_cost: '1.1', // solid state
    jit: 'off',
    // What shared memory is prepared for, and nobody uses: transactions are not serializable, nothing is replicated by rows, and no session reads
    // ahead further than `effective_io_concurrency`. By default that takes 8 MB.
    max_pred_locks_per_transaction: '10',
    max_logical_replication_workers: '0',
    io_max_concurrency: '16',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C', // its lines are read by `server-log.ts`
    log_line_prefix: '',
    log_checkpoints: 'off',
    // Statements hold what users wrote.
    log_min_error_statement: 'panic',
    log_parameter_max_length_on_error: '0',
  };
};

const run = promisify(execFile);

/** `installed`, or a copy of it where `user` can go: made once a version, and whole from the first moment it has its name. */
export const reachableBinaries = async (user: ServerUser, installed: Binaries, log: Logger): Promise<Binaries> => {
  if (user.ids.uid === undefined) return installed;
  const closed = await findClosedFolder(user, programPath(installed, 'postgres'));
  if (closed === undefined) return installed;
  const copy = { ...installed, root: join(SYSTEM_FOLDER, `postgres-${installed.version}`) };
  if (!existsSync(copy.root)) {
    log.info({ closed_folder: closed, place: copy.root }, 'PostgreSQL binaries copied: folder not accessible to the database user');
    await copyWhole(installed.root, copy.root);
  }
  return copy;
};

const copyWhole = async (from: string, to: string): Promise<void> => {
  try {
    await mkdir(SYSTEM_FOLDER, { recursive: true, mode: 0o755 });
    const draft = await mkdtemp(`${to}.`);
    try {
      // cp keeps the links between the libraries; the installed files may be closed to others by a strict umask
      await run('cp', ['-R', '--preserve=links,mode,timestamps', '--', `${from}/.`, draft]);
      await run('chmod', ['-R', 'u=rwX,go=rX', '--', draft]);
      await rename(draft, to);
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      if (!existsSync(to)) throw error; // otherwise another starter was first
    }
  } catch (error) {
    throw new FatalError(makeProblem('embedded_database_not_copied', { path: to }), EXIT.configuration, error);
  }
};

/** The guard of a killed starter ends the server as soon as the clients have left; most are gone in a moment. */
const CLIENTS_LIMIT_MS = 2_000;
const FAST_LIMIT_MS = 20_000;
const IMMEDIATE_LIMIT_MS = 5_000;

const signalIfAlive = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

const stopByPid = async (pid: number, dataPath: string): Promise<void> => {
  for (const [signal, limitMs] of [
    ['SIGINT', FAST_LIMIT_MS],
    ['SIGQUIT', IMMEDIATE_LIMIT_MS],
  ] as const) {
    signalIfAlive(pid, signal);
    if (await untilExited(pid, limitMs)) return;
  }
  throw new FatalError(makeProblem('embedded_database_not_stopping', { path: dataPath, pid: String(pid) }), EXIT.replicaRuns);
};

const inUse = (dataPath: string, starter: number | undefined): FatalError =>
  new FatalError(makeProblem('embedded_database_in_use', { path: dataPath, pid: starter?.toString() }), EXIT.replicaRuns);

/**
 * Makes sure that no server runs on the data directory: one whose starter was killed is stopped, one whose starter
 * lives is an error.
 */
const clearTheWay = async (dataPath: string, log: Logger): Promise<void> => {
  const pid = findServerPid(dataPath);
  if (pid !== undefined) {
    const starter = findStarter(pid);
    if (starter !== undefined) throw inUse(dataPath, starter);
    log.info({ postgres_pid: pid }, 'stopping orphaned database server');
    if (!(await untilExited(pid, CLIENTS_LIMIT_MS))) await stopByPid(pid, dataPath);
  } else if (isLockStale(dataPath)) {
    log.info({ pid: lockedBy(dataPath) }, 'removing stale lock file of the database server');
    rmSync(join(dataPath, 'postmaster.pid'), { force: true });
  }
};
