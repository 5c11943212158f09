import { readFileSync } from 'node:fs';
import {
  type Config,
  type FixedConfig,
  findFolderFailure,
  type LoadedConfig,
  loadOrExit,
  neededConnections,
  parseFlags,
  poolSize,
  type RawValues,
  storagePlaces,
} from '@sheaf/config';
import { Secret } from '@sheaf/contract';
import { type ComponentHealth, makeProblem } from '@sheaf/contract/operations';
import {
  completeDatabaseUrl,
  connectClient,
  type Database,
  isDatabaseUnavailable,
  KeepConnections,
  openDatabase,
  ReplicaLock,
} from '@sheaf/db';
import {
  type Clock,
  type Component,
  FatalError,
  Gauge,
  isSupervised,
  isSupervisorReport,
  type Logger,
  logFatal,
  makeLogger,
  makeRegistry,
  makeSupervisorReports,
  ProbeServer,
  type Registry,
  reportToSupervisor,
  runComponents,
  select,
  shareAnswer,
  systemClock,
  uuidv7,
} from '@sheaf/process';
import { setBlockingThreads } from '@sheaf/process/machine';
import { openTracing, type Tracer } from '@sheaf/process/tracing';
import { COMPILE_ONLY, EXIT } from '@sheaf/vocabulary/exit-codes';
import { makeHeartbeat } from './heartbeat.ts';
import { makeHostSecretsCheck, secretMarks } from './host-secrets.ts';
import { SchemaCheck, startingWithDatabase, waitForDatabase } from './schema-check.ts';
import { SettingsFeed } from './settings-feed.ts';
import { SoleWork } from './sole-work.ts';
import { makeUploadFolderCheck } from './upload-folder.ts';

/** This process as others see it. */
interface ThisProcess {
  /** What `processes` knows it by. */
  readonly id: string;
  /** Whether the database answers with the schema this code needs; asked once a second at most, however many want to know. */
  readonly ready: () => Promise<ComponentHealth>;
}

export interface ProgramContext {
  readonly self: ThisProcess;
  /** What stays the same as long as the process runs. */
  readonly config: FixedConfig;
  /** The whole configuration of the moment, and what is stored of it: parts get the piece of it that they work with. */
  readonly settings: SettingsFeed;
  readonly database: Database;
  readonly log: Logger;
  readonly registry: Registry;
  readonly tracer: Tracer;
  readonly clock: Clock;
}

export interface ProgramParts {
  /** Started in order after the database is there, stopped in reverse. */
  readonly components: readonly Component[];
  /** Lines for the person who starts the service. */
  readonly notices?: () => Promise<readonly string[]>;
  /** What this process can do, for the others to know. */
  readonly facts?: () => Readonly<Record<string, unknown>>;
  /** Where the probes answer, for a program that serves them itself. */
  readonly probeAddress?: () => { readonly host: string; readonly port: number };
}

export interface Program {
  readonly name: 'api' | 'ocr-worker' | 'watcher' | 'sync';
  /** Whether one at a time works on a database, and others stand by. */
  readonly single: boolean;
  /** Distance from PROBE_PORT_BASE; undefined when the program serves its probes itself. */
  readonly probeOffset: number | undefined;
  build(context: ProgramContext): ProgramParts | Promise<ProgramParts>;
}

/** The api answers health, and the watcher raises alerts also while the api is the process that crashes. */
const REPORTERS: readonly Program['name'][] = ['api', 'watcher'];
const READY_AGE_MS = 1_000;
/** Connections beyond the least number are there for a burst: after it each is up to 9 MB of the server's memory for nothing. */
const IDLE_OF_API_MS = 60_000;
/** `KeepConnections` ends those of a burst. Two polls at once happen every minute, and a new connection takes the server longer than all polls of that minute. */
const IDLE_OF_OTHERS_MS = 120_000;

/** The configuration with the flags this process was started with. Wrong usage and a wrong configuration end it. */
const loadFromFlags = (name: Program['name']): LoadedConfig => {
  const flags = parseFlags(process.argv.slice(2));
  if (flags.ok && flags.positionals.length === 0) return loadOrExit(flags.values, name);
  const message = flags.ok ? `unexpected argument "${flags.positionals[0]}"` : flags.message;
  process.stderr.write(
    `${message}\nEvery configuration variable is also an option, such as --server-port 9000. docs/configuration/reference.md lists them.\n`,
  );
  return process.exit(EXIT.usage);
};

/** A failing system call of a folder, as the variable that names the folder. Not a configuration error: the folder was tried before. */
const explainFailure =
  (raw: RawValues) =>
  (error: unknown): unknown => {
    const failure = error instanceof FatalError ? undefined : findFolderFailure(error, raw);
    return failure === undefined ? error : new FatalError(makeProblem('folder_unusable', { ...failure }));
  };

const openDatabaseOrExit = (config: Config, name: string, log: Logger): Database => {
  try {
    const urls = findDatabaseUrls(config);
    // only the api has somebody waiting: others work as long as their work takes
    const limits = name === 'api' ? { statementTimeoutMs: config.server.requestTimeoutMs } : { keepsPlans: true };
    const idleTimeoutMs = Math.min(config.database.idleTimeoutMs, name === 'api' ? IDLE_OF_API_MS : IDLE_OF_OTHERS_MS);
    return openDatabase(
      { ...config.database, ...poolSize(name, config), ...limits, idleTimeoutMs, ...urls, applicationName: `sheaf ${name}` },
      log,
    );
  } catch (error) {
    if (!(error instanceof FatalError)) throw error;
    return process.exit(logFatal(error, log));
  }
};

/** What the api alone has to do: it has most of the connections. */
const partsOfApi = (database: Database, config: FixedConfig, log: Logger, onLost: (error: Error) => void): Component[] => [
  checkConnectionRoom(database, neededConnections(config), log),
  // others may run beside it, but none while a backup is restored
  new ReplicaLock({ url: database.directUrl, processName: 'api', isShared: config.process.mayStandBy, log, onLost }),
];

/**
 * The parts of a program, for which a database that does not answer is waited for. Where they cannot be made, the reason in the log and
 * the end of the process; it ends as well when its supervisor goes meanwhile.
 */
const buildOrExit = async (program: Program, context: ProgramContext, explain: (error: unknown) => unknown): Promise<ProgramParts> => {
  const orphaned = new AbortController();
  const onDisconnect = (): void => orphaned.abort();
  process.once('disconnect', onDisconnect);
  try {
    const parts = await waitForDatabase(async () => program.build(context), context.log, orphaned.signal);
    return parts ?? process.exit(EXIT.failed);
  } catch (error) {
    return process.exit(logFatal(explain(error), context.log));
  } finally {
    process.off('disconnect', onDisconnect);
  }
};

/**
 * Runs one program of the service from its configuration to its exit code: log, database, replica lock, heartbeat,
 * probes, then its own components. The only way a process of Sheaf starts.
 */
export const runProgram = async (program: Program): Promise<void> => {
  if (process.argv.includes(COMPILE_ONLY)) process.exit(EXIT.done);
  const { name } = program;
  const loaded = loadFromFlags(name);
  const { log: logSettings, process: place, resources } = loaded.config;
  setBlockingThreads(resources.blockingThreads);
  const log = makeLogger(logSettings, place.instance === 0 ? name : `${name}.${place.instance}`);
  if (!isSupervised()) for (const notice of loaded.notices) log.warn(notice);
  const database = openDatabaseOrExit(loaded.config, name, log);
  const settings = new SettingsFeed({ loaded, database, log, onSchemaNudge: () => schema.nudge() });
  select(settings, (current) => current.log.level).subscribe((level) => {
    log.level = level;
  });
  const config: FixedConfig = await settings.readAtStart();
  const startSettings = settings.layers.startSettings(name);
  const { metricsEnabled } = config.telemetry;
  const registry = makeRegistry(name, { instance: program.single ? undefined : config.process.instance, isCollecting: metricsEnabled });
  const tracing = await openTracing(config.telemetry.tracing, { name, instance: config.process.instance }, log);
  const clock = systemClock;
  registerPoolMetrics(registry, database.pool);

  const all: Component[] = [];
  const health = (): Record<string, ComponentHealth> =>
    Object.fromEntries(
      [...all, ...(soleWork?.running ?? [])].flatMap((component) =>
        component.health === undefined ? [] : [[component.name, component.health()]],
      ),
    );
  const onLost = (error: Error): void => {
    setImmediate(() => {
      throw error; // reaches runComponents as an uncaught error, with its exit code
    });
  };
  const schema = new SchemaCheck({ database, log, embeddedPath: config.embeddedDatabase.dataPath, onDifference: onLost });
  const ready = shareAnswer(() => schema.ready(), READY_AGE_MS);
  const soleWork = program.single
    ? new SoleWork({ url: database.directUrl, processName: name, mayStandBy: config.process.mayStandBy, log, onLost })
    : undefined;
  const processId = uuidv7();
  const explain = explainFailure(loaded.raw);
  const context: ProgramContext = {
    self: { id: processId, ready },
    config,
    settings,
    database: soleWork?.fence(database) ?? database,
    log,
    registry,
    tracer: tracing.tracer,
    clock,
  };
  const parts = await buildOrExit(program, context, explain);

  const probes =
    program.probeOffset === undefined
      ? undefined
      : new ProbeServer({
          host: config.probes.host,
          port: portOf(config, program.probeOffset),
          paths: config.server,
          metricsEnabled,
          log,
          registry,
          health: () => Object.fromEntries(Object.entries(health()).filter(([part]) => !isSupervisorReport(part))),
          ready,
        });
  const probeAddress = parts.probeAddress ?? (() => ({ host: config.probes.host, port: probes?.port ?? 0 }));

  const marks = secretMarks(name, config);
  // each asks the database when it starts, and that may be slow to connect at any time
  const waiting = (component: Component): Component => startingWithDatabase(component, log);
  const components: Component[] = [
    ...tracing.components,
    { name: 'database', start: async () => {}, stop: () => database.close() },
    ...(probes === undefined ? [] : [probes]),
    schema,
    makePoolerCheck(database, log),
    ...(config.storage.type === 'local' ? [makeUploadFolderCheck({ db: database.db, path: config.storage.path, clock, log })] : []),
    makeHostSecretsCheck({ db: database.db, marks, clock }),
    new KeepConnections(database, log),
    ...(name === 'api' ? partsOfApi(database, config, log, onLost) : []),
    ...(REPORTERS.includes(name) ? makeSupervisorReports() : []),
    settings,
    ...(soleWork === undefined ? parts.components : [soleWork.of(parts.components.map(waiting))]),
    makeHeartbeat({
      id: processId,
      database,
      log,
      clock,
      name,
      instance: config.process.instance,
      configHash: settings.hash,
      holdsLock: () => name === 'api' || soleWork?.isActive === true,
      health,
      probe: probeAddress,
      facts: () => ({
        // where documents may be moved to while this process runs
        storages: storagePlaces(config.storage),
        start_settings: startSettings,
        secrets: marks,
        ...parts.facts?.(),
      }),
    }),
  ];
  all.push(...components.map(waiting));
  const onReady = async (): Promise<void> => {
    const { host, port } = probeAddress();
    log.info({ probe_port: port }, 'ready');
    reportToSupervisor({ type: 'ready', probe_host: host, probe_port: port, notices: [...((await parts.notices?.()) ?? [])] });
  };
  process.exit(await runComponents(all, { log, graceMs: config.process.graceMs, onReady, explain }));
};

const portOf = ({ probes, process: { instance } }: FixedConfig, offset: number): number =>
  probes.portBase === 0 ? 0 : probes.portBase + offset + instance;

/** Connections that the server gives to ordinary users. Older servers do not know `reserved_connections`. */
const readRoom = async ({ pool }: Database): Promise<number> => {
  const { rows } = await pool.query<{ room: number }>(
    `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
       - coalesce(current_setting('reserved_connections', true), '0')::int as room`,
  );
  return rows[0]?.room ?? 0;
};

/** Says at the start when the pools of all processes cannot fit into what the server allows: better than an error on a busy day. */
export const checkConnectionRoom = (database: Database, needed: number, log: Logger): Component => ({
  name: 'connection-room',
  start: async () => {
    if (database.isPooled) return; // how many the server sees is the pooler's to say
    const room = await readRoom(database).catch((error: unknown) => {
      log.debug({ err: error }, 'connection limit of the database unknown');
    });
    if (room === undefined || room >= needed) return;
    const advice = 'reduce DATABASE_MAX_CONNECTIONS or OCR_WORKER_PROCESSES, or increase max_connections of the server';
    log.warn({ needed, room }, `the connection limit of the database is too low for all processes: ${advice}`);
  },
  stop: async () => {},
});

interface DatabaseUrls {
  readonly url: Secret;
  /** Where `url` leads to a connection pooler. */
  readonly directUrl: Secret | undefined;
}

/** The database to use, with how to connect to it: the configured one, else the embedded one while it runs (it leaves its address in a file). */
const findDatabaseUrls = ({ database, directDatabaseUrl, embeddedDatabase }: Config): DatabaseUrls => {
  if (database.url !== undefined)
    return {
      url: completeDatabaseUrl(database.url, database),
      directUrl: directDatabaseUrl && completeDatabaseUrl(directDatabaseUrl, database),
    };
  try {
    return { url: new Secret(readFileSync(embeddedDatabase.urlFile, 'utf8').trim()), directUrl: undefined };
  } catch (error) {
    throw new FatalError(makeProblem('database_not_configured'), EXIT.configuration, error);
  }
};

/** A pool of connections as it is at the moment. */
interface PoolCounts {
  readonly totalCount: number;
  readonly idleCount: number;
  /** Those who wait for a connection. */
  readonly waitingCount: number;
}

/** Adds how many connections to the database this process has, and who waits for one. */
const registerPoolMetrics = (registry: Registry, pool: PoolCounts): void => {
  const registers = [registry];
  const connections: Gauge<'state'> = new Gauge({
    name: 'sheaf_database_connections',
    help: 'Connections to the database in the pool of this process',
    labelNames: ['state'],
    registers,
    collect: () => {
      connections.set({ state: 'idle' }, pool.idleCount);
      connections.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
    },
  });
  const waiting: Gauge = new Gauge({
    name: 'sheaf_database_connection_waiters',
    help: 'Callers that wait for a connection to the database',
    registers,
    collect: () => waiting.set(pool.waitingCount),
  });
};

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
