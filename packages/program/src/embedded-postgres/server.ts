import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Secret } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import { FatalError, type Logger, sleep } from '@sheaf/process';
import { findBinaries } from './binaries.ts';
import { checkVersion, chooseDataPlace, linkPlace } from './data-place.ts';
import { DATABASE, initialize, SUPERUSER } from './initialize.ts';
import { serverParameters } from './parameters.ts';
import { keepPassword } from './password.ts';
import { reachableBinaries } from './reachable-binaries.ts';
import { clearTheWay, inUse } from './running-server.ts';
import { type ServerExit, type ServerProcess, type StartOptions, type StopMode, startServerProcess } from './server-process.ts';
import { removeUrlFile, writeUrlFile } from './url-file.ts';

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
