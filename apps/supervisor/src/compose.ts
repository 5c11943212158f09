import { isIPv6 } from 'node:net';
import type { Secret } from '@sheaf/contract';
import { type ComponentHealth, foundProblems, makeProblem, problemsOf } from '@sheaf/contract/operations';
import {
  type Clock,
  type Component,
  Counter,
  FatalError,
  Gauge,
  type Logger,
  makeRegistry,
  type ProbePaths,
  ProbeServer,
  type Registry,
  type SupervisionMessage,
} from '@sheaf/process';
import { ProcessLooks, readMemoryUse } from '@sheaf/process/machine';
import { ownServerUrl, type PostgresServerSettings } from '@sheaf/program/embedded-postgres';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { type ChildProcessLife, Reaper, startChildProcess } from './child-process.ts';
import { EmbeddedDatabase, type EmbeddedDatabaseSettings } from './embedded-database.ts';
import { type LivenessLimits, MemoryGuard, type MemoryLimits } from './liveness.ts';
import { describeEnding, makeCrashReporter, type RestartLimits, RestartPolicy } from './restart-policy.ts';
import { type Instance, SupervisedChild } from './supervised-child.ts';

export interface SupervisorSettings {
  readonly instances: readonly Instance[];
  /** Run to its end before the first child. Undefined: another host does that. */
  readonly migration: readonly [string, ...string[]] | undefined;
  /** What the children's environment is made from. */
  readonly environment: Environment;
  /** Undefined: start the embedded one. */
  readonly databaseUrl: Secret | undefined;
  readonly embeddedDatabase: Omit<PostgresServerSettings, 'log'>;
  readonly probes: { readonly host: string; readonly port: number; readonly paths: ProbePaths; readonly metricsEnabled: boolean };
  readonly graceMs: number;
  readonly codeCachePath: string;
  readonly restartLimits: RestartLimits;
  /** How often the processes are told which of them crash. */
  readonly reportEveryMs: number;
  readonly livenessLimits: LivenessLimits;
  readonly childLimits: ChildLimits;
  readonly memory: MemoryLimits;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called with the last lines of the start when everything is up. */
  announce(lines: readonly string[]): void;
}

export interface SupervisorParts {
  /** Started in order, stopped in reverse. */
  readonly components: readonly Component[];
  /** How long all of them together may take to stop. */
  readonly graceMs: number;
  /** To be called when everything is up. */
  readonly onReady: () => void;
}

const DATABASE_STOP_MS = 45_000;

/** Reaches `runComponents` as an uncaught error, with its exit code. */
const endEverything = (error: FatalError): void => {
  setImmediate(() => {
    throw error;
  });
};

const makeMetrics = (registry: Registry, children: readonly SupervisedChild[]): Counter<'child'> => {
  const up = new Gauge({
    name: 'sheaf_supervisor_child_up',
    help: '1 if the child process is ready',
    labelNames: ['child'],
    registers: [],
    collect() {
      for (const child of children) this.set({ child: child.name }, child.state === 'ready' ? 1 : 0);
    },
  });
  registry.registerMetric(up);
  return new Counter({
    name: 'sheaf_supervisor_restarts_total',
    help: 'Restarts of a child process',
    labelNames: ['child'],
    registers: [registry],
  });
};

const makeDatabase = (
  { log, clock, graceMs, restartLimits, embeddedDatabase, databaseUrl }: SupervisorSettings,
  { onRestart, onMoved }: Pick<EmbeddedDatabaseSettings, 'onRestart' | 'onMoved'>,
) =>
  databaseUrl === undefined
    ? new EmbeddedDatabase({
        server: { ...embeddedDatabase, orphanGraceSeconds: Math.ceil(graceMs / 1_000), log },
        policy: new RestartPolicy(restartLimits),
        clock,
        log,
        onRestart,
        onMoved,
        onFatal: endEverything,
      })
    : undefined;

const healthOf = (components: readonly Component[]): Record<string, ComponentHealth> =>
  Object.fromEntries(components.flatMap((component) => (component.health === undefined ? [] : [[component.name, component.health()]])));

const readinessOf = (components: readonly Component[]): ComponentHealth => {
  const missing = Object.entries(healthOf(components)).filter(([, { status }]) => status !== 'healthy');
  if (missing.length === 0) return { status: 'healthy' };
  return foundProblems(
    'unhealthy',
    missing.flatMap(([name, health]) => problemsOf(health, name)),
  );
};

/** It gives its jobs back when it stops, which costs them no try; an upload to the api would be lost. */
const MAY_BE_RESTARTED = /^ocr-worker(\.\d+)?$/;

const makeMemoryGuard = ({ memory, clock, log }: SupervisorSettings, children: readonly SupervisedChild[]): MemoryGuard => {
  const looks = new ProcessLooks();
  return new MemoryGuard({
    ...memory,
    read: () => {
      const roots = new Map([[process.pid, 'supervisor']]); // with the embedded database
      for (const { pid, name } of children) if (pid !== undefined) roots.set(pid, name);
      return readMemoryUse(roots, memory.limitBytes, looks);
    },
    notify: (health) => {
      for (const child of children) child.notify({ type: 'memory', health });
    },
    restartable: children.filter(({ name }) => MAY_BE_RESTARTED.test(name)),
    clock,
    log,
  });
};

/** The supervisor from its settings to its components, for `runComponents`. */
export const composeSupervisor = (settings: SupervisorSettings): SupervisorParts => {
  const { log, graceMs } = settings;
  const { paths, metricsEnabled } = settings.probes;
  const registry = makeRegistry('supervisor', { isCollecting: metricsEnabled });
  const reaper = new Reaper(graceMs);
  const database = makeDatabase(settings, {
    onRestart: () => crashes.nudge(),
    // their environment has its address
    onMoved: () => {
      for (const child of children) void child.restart({ isReadyOnly: false });
    },
  });
  const embedded = database === undefined ? [] : [database];
  const environment = (): Environment => ({
    NODE_COMPILE_CACHE: settings.codeCachePath,
    ...settings.environment,
    ...limitsInEnvironment(settings.environment, settings.childLimits),
    ...(database === undefined ? {} : { DATABASE_URL: ownServerUrl(database.url) }),
  });
  const children = settings.instances.map(
    (instance): SupervisedChild =>
      new SupervisedChild({
        ...settings,
        instance,
        environment: () => ({
          ...environment(),
          PROCESS_INSTANCE: String(instance.number),
          SUPERVISOR_PROBE_PORT: String(probes.port),
        }),
        liveness: settings.livenessLimits,
        healthPath: paths.healthPath,
        policy: new RestartPolicy(settings.restartLimits),
        reaper,
        onRestart: () => {
          restarts.inc({ child: instance.name });
          crashes.nudge();
        },
        onFatal: endEverything,
      }),
  );
  const restarts = makeMetrics(registry, children);
  const watched = [...embedded, ...children];
  const memory = makeMemoryGuard(settings, children);
  const crashes = makeCrashReporter({
    findings: () => watched.flatMap((part) => part.crashHealth() ?? []),
    report: (found) => {
      for (const child of children) child.notify({ type: 'crashes', health: found });
    },
    everyMs: settings.reportEveryMs,
    log,
  });
  const health = () => healthOf([...watched, memory]);
  const ready = async () => readinessOf(watched);
  const probes = new ProbeServer({ ...settings.probes, log, registry, health, ready });
  const migration = settings.migration === undefined ? [] : [makeMigration({ command: settings.migration, environment, reaper, log })];

  // Children stop within a limit of their own; this one is for when that does not end.
  const overallGraceMs = 3 * (graceMs + 1_000) + DATABASE_STOP_MS;
  return {
    components: [probes, reaper, ...embedded, ...migration, crashes, asGroup(children), memory],
    graceMs: overallGraceMs,
    onReady: () =>
      settings.announce(
        announcement(children.map((child) => ({ name: child.name, readiness: child.readiness, failure: child.crashHealth()?.message }))),
      ),
  };
};

const SERVES_PEOPLE = 'api';
const ANY_ADDRESS = ['0.0.0.0', '::', ''];

const toUrl = ({ probe_host: host, probe_port: port }: SupervisionMessage): string => {
  const name = ANY_ADDRESS.includes(host) ? 'localhost' : isIPv6(host) ? `[${host}]` : host;
  return `http://${name}:${port}`;
};

/** What the person who started the service reads last: where it listens, what crashes, then what the children have to say. */
export const announcement = (
  children: readonly { readonly name: string; readonly readiness: SupervisionMessage | undefined; readonly failure?: string | undefined }[],
): string[] => {
  const api = children.find(({ name }) => name === SERVES_PEOPLE)?.readiness;
  const failures = children.flatMap(({ failure }) => failure ?? []);
  const up = failures.length === 0 ? 'Sheaf is running' : 'Sheaf is running, but some processes are not ready';
  const where = api === undefined ? up : `Sheaf listens on ${toUrl(api)}`;
  return [where, ...failures, ...children.flatMap(({ readiness }) => readiness?.notices ?? [])];
};

/** Names and values, as a process gets them. */
type Environment = Readonly<Record<string, string | undefined>>;

interface ChildLimits {
  /** Largest heap of one process. */
  readonly heapBytes: number;
  /** Threads of one process for what blocks. */
  readonly blockingThreads: number;
}

const MEGABYTE = 1024 * 1024;

/**
 * What a process of Node reads before any of our code runs. What the person gives in NODE_OPTIONS and UV_THREADPOOL_SIZE, and flags of
 * the Procfile, go before it.
 */
export const limitsInEnvironment = (given: Environment, { heapBytes, blockingThreads }: ChildLimits): Environment => {
  const { NODE_OPTIONS = '', UV_THREADPOOL_SIZE = String(blockingThreads) } = given;
  const heap = `--max-old-space-size=${Math.floor(heapBytes / MEGABYTE)}`;
  return { NODE_OPTIONS: `${heap} ${NODE_OPTIONS}`.trimEnd(), UV_THREADPOOL_SIZE };
};

/**
 * The children as one component: started in their order, each when the one before is ready, and stopped all at once. None of them needs
 * another to stop: the api lets its requests end while readers give their jobs back, and what one tells another lies in the
 * database, which stops after them. One after the other they would take the sum of their times.
 */
const asGroup = (children: readonly Component[]): Component => {
  let isStopping = false;
  return {
    name: 'children',
    start: async () => {
      for (const child of children) {
        if (isStopping) return;
        await child.start();
      }
    },
    stop: async () => {
      isStopping = true;
      await Promise.all(children.map((child) => child.stop()));
    },
  };
};

interface MigrationSettings {
  readonly command: readonly [string, ...string[]];
  readonly environment: () => Readonly<Record<string, string | undefined>>;
  readonly reaper: Reaper;
  readonly log: Logger;
}

/** Brings the schema up to date before any child sees the database. */
const makeMigration = ({ command, environment, reaper, log }: MigrationSettings): Component => {
  let life: ChildProcessLife | undefined;
  return {
    name: 'migration',
    start: async () => {
      life ??= startChildProcess({ command, environment: environment(), reaper, log });
      const ending = await life.ended;
      if (ending.code === EXIT.done) return;
      const exitCode = ending.code === EXIT.configuration ? EXIT.configuration : EXIT.failed;
      throw new FatalError(makeProblem('migration_failed', { ending: describeEnding(ending) }), exitCode);
    },
    stop: async () => {
      life?.terminate();
      await life?.ended;
    },
  };
};
