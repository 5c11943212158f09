import { type Config, ConfigError, loadConfig, storagePlaces } from '@sheaf/config';
import { type ComponentHealth, EXIT } from '@sheaf/contract';
import { type Database, openDatabase, ReplicaLock } from '@sheaf/db';
import {
  type Clock,
  type Component,
  type Logger,
  makeLogger,
  makeRegistry,
  ProbeServer,
  type Registry,
  runComponents,
  systemClock,
  tellSupervisor,
} from '@sheaf/runtime';
import { findDatabaseUrl } from './database-url.ts';
import { makeHeartbeat } from './heartbeat.ts';
import { SchemaCheck } from './schema-check.ts';

export interface ProgramContext {
  readonly config: Config;
  readonly database: Database;
  readonly log: Logger;
  readonly registry: Registry;
  readonly clock: Clock;
  /** Whether the database answers with the schema this code needs. */
  readonly ready: () => Promise<ComponentHealth>;
  /** What every part of this process says of itself. */
  readonly health: () => Readonly<Record<string, ComponentHealth>>;
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
  /** Whether exactly one may run on a database. */
  readonly single: boolean;
  /** Distance from PROBE_PORT_BASE; undefined when the program serves its probes itself. */
  readonly probeOffset: number | undefined;
  build(context: ProgramContext): ProgramParts | Promise<ProgramParts>;
}

const loadOrExit = (): ReturnType<typeof loadConfig> => {
  try {
    return loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const { variable, message } of error.issues) process.stderr.write(`configuration: ${variable} ${message}\n`);
    return process.exit(EXIT.configuration);
  }
};

const databaseOf = (config: Config, name: string, log: Logger): Database => {
  const { maxConnections, minConnections, ...timeouts } = config.database;
  // only the api has many callers at once
  const pool = name === 'api' ? { maxConnections, minConnections } : { maxConnections: Math.min(8, maxConnections), minConnections: 0 };
  return openDatabase({ ...timeouts, ...pool, url: findDatabaseUrl(config), applicationName: `sheaf ${name}` }, log);
};

/**
 * Runs one program of the service from its configuration to its exit code: log, database, replica lock, heartbeat,
 * probes, then its own components. The only way a process of Sheaf starts.
 */
export const runProgram = async (program: Program): Promise<void> => {
  const { config, hash } = loadOrExit();
  const { name } = program;
  const log = makeLogger(config.log, config.process.instance === 0 ? name : `${name}.${config.process.instance}`);
  const registry = makeRegistry(name);
  const clock = systemClock;
  const database = databaseOf(config, name, log);
  const schema = new SchemaCheck(database, log);

  const all: Component[] = [];
  const health = (): Record<string, ComponentHealth> =>
    Object.fromEntries(all.flatMap((component) => (component.health === undefined ? [] : [[component.name, component.health()]])));
  const ready = (): Promise<ComponentHealth> => schema.ready();
  const parts = await program.build({ config, database, log, registry, clock, ready, health });

  const probes =
    program.probeOffset === undefined
      ? undefined
      : new ProbeServer({ host: config.probes.host, port: portOf(config, program.probeOffset), log, registry, health, ready });
  const probeAddress = parts.probeAddress ?? (() => ({ host: config.probes.host, port: probes?.port ?? 0 }));
  const onLost = (error: Error): void => {
    setImmediate(() => {
      throw error; // reaches runComponents as an uncaught error, with its exit code
    });
  };

  all.push(
    { name: 'database', start: async () => {}, stop: () => database.close() },
    ...(probes === undefined ? [] : [probes]),
    schema,
    ...(program.single ? [new ReplicaLock({ url: database.url, processName: name, log, onLost })] : []),
    ...parts.components,
    makeHeartbeat({
      database,
      log,
      clock,
      name,
      configHash: hash,
      holdsLock: program.single,
      health,
      probePort: () => probeAddress().port,
      // where documents may be moved to while this process runs
      facts: () => ({ storages: storagePlaces(config.storage), ...parts.facts?.() }),
    }),
  );
  const onReady = async (): Promise<void> => {
    const { host, port } = probeAddress();
    log.info({ probe_port: port }, 'ready');
    tellSupervisor({ type: 'ready', probe_host: host, probe_port: port, notices: [...((await parts.notices?.()) ?? [])] });
  };
  process.exit(await runComponents(all, { log, graceMs: config.process.graceMs, onReady }));
};

const portOf = ({ probes, process: { instance } }: Config, offset: number): number =>
  probes.portBase === 0 ? 0 : probes.portBase + offset + instance;
