import { createHmac } from 'node:crypto';
import type { FixedConfig } from '@sheaf/config';
import type { Secret } from '@sheaf/contract';
import {
  type ComponentHealth,
  type DetailedHealthBody,
  foundProblems,
  type HealthBody,
  joinHealth,
  makeProblem,
  problemsOf,
  type SandboxLayers,
  type ServiceProblem,
  type ServiceProblemCode,
  unhealthy,
  warning,
} from '@sheaf/contract/operations';
import { type Database, isCancelledStatement, isDatabaseUnavailable } from '@sheaf/db';
import type { QueueGate } from '@sheaf/ingest';
import { type Clock, CRASHED_PROCESSES, MEMORY_LIMIT, shareAnswer, summarise, within } from '@sheaf/process';
import { listProcesses } from '@sheaf/program';
import { listSourceStates } from '@sheaf/sources';
import type { StorageHealth } from '@sheaf/storage';
import { type HealthStatus, worst } from '@sheaf/vocabulary/health';
import { healthOfSource } from '../sources/source-checks.ts';
import { type KnownProcess, processesHealth, type SortedProcesses, sortProcesses } from './process-rows.ts';

/** However many ask, the state is read once in this time. */
const MAX_AGE_MS = 1_000;
/** Older rows are those of processes that went long ago. */
const ROW_AGE_MS = 3_600_000;

export type Part =
  | 'database'
  | 'ocr_engine'
  | 'ocr_queue'
  | 'file_storage'
  | 'stored_files'
  | 'watch_folders'
  | 'backups'
  | 'memory'
  | 'processes';

/** The state of the service at one moment: the one source of all health reports. */
export interface HealthSnapshot {
  readonly now: Date;
  readonly status: HealthStatus;
  readonly parts: Readonly<Record<Part, ComponentHealth>>;
  /** The sources that are enabled, by id. */
  readonly sources: Readonly<Record<string, HealthStatus>>;
  readonly processes: readonly KnownProcess[];
  /** Of the worker whose programs are kept least. */
  readonly sandbox: SandboxLayers | undefined;
}

export type TakeHealthSnapshot = () => Promise<HealthSnapshot>;

interface HealthSources {
  readonly database: Database;
  readonly storageHealth: Pick<StorageHealth, 'health'>;
  readonly queue: Pick<QueueGate, 'health'>;
  /** Whether this process itself can work. */
  readonly ready: () => Promise<ComponentHealth>;
  readonly config: Pick<FixedConfig, 'sources'>;
  readonly clock: Clock;
}

/** The components of the watcher that import files. */
const WATCHES = ['watch_folder', 'user_watch_folders'];

/** The findings of the ocr-workers about their tools, the worst first. Without any worker nothing is read. */
const ocrEngineHealth = (workers: readonly KnownProcess[]): ComponentHealth => {
  if (workers.length === 0) return warning('no_ocr_worker');
  const findings = workers.flatMap(({ components }) => Object.entries(components).filter(([, { status }]) => status !== 'healthy'));
  return joinHealth(...findings.map(([name, health]) => ({ ...health, problems: [...problemsOf(health, name)] })));
};

/** What the processes that tell of `part` say of it: one, or one of each host. */
const reportedHealth = (processes: readonly KnownProcess[], part: string): ComponentHealth =>
  joinHealth(...processes.flatMap(({ components }) => components[part] ?? []));

interface Rows {
  readonly processes: SortedProcesses;
  readonly sources: HealthSnapshot['sources'];
  readonly queue: ComponentHealth;
}

/**
 * Sources by id: whoever asks need not be known, so there is nothing of their names and addresses.
 * Choice: they do not count for the whole: a server of somebody else's that is away makes this service no worse.
 */
const readRows = async ({ database: { db }, config, queue }: HealthSources, now: Date): Promise<Rows | undefined> => {
  try {
    const [rows, states, queueHealth] = await Promise.all([
      listProcesses(db, new Date(now.getTime() - ROW_AGE_MS)),
      config.sources.enabled ? listSourceStates(db) : [],
      queue.health(),
    ]);
    return {
      processes: sortProcesses(rows, now),
      sources: Object.fromEntries(states.map((source) => [source.id, healthOfSource(source)])),
      queue: queueHealth,
    };
  } catch (error) {
    if (!isDatabaseUnavailable(error) && !isCancelledStatement(error)) throw error;
    return undefined; // it went, or became slow, since it was asked whether it is there
  }
};

const partsOf = (rows: Rows, storage: ComponentHealth, now: Date): HealthSnapshot['parts'] => {
  const { running } = rows.processes;
  return {
    database: { status: 'healthy' },
    ocr_engine: ocrEngineHealth(running.filter(({ name }) => name === 'ocr-worker')),
    ocr_queue: rows.queue,
    file_storage: storage,
    stored_files: reportedHealth(running, 'stored_files'),
    watch_folders: joinHealth(...WATCHES.map((name) => reportedHealth(running, name))),
    backups: reportedHealth(running, 'backups'),
    memory: reportedHealth(running, MEMORY_LIMIT),
    processes: joinHealth(reportedHealth(running, CRASHED_PROCESSES), processesHealth(rows.processes, now)),
  };
};

const partsWithoutDatabase = (database: ComponentHealth, storage: ComponentHealth): HealthSnapshot['parts'] => ({
  database,
  ocr_engine: warning('unknown_without_database'),
  ocr_queue: { status: 'healthy' },
  file_storage: storage,
  stored_files: { status: 'healthy' },
  watch_folders: { status: 'healthy' },
  backups: { status: 'healthy' },
  memory: { status: 'healthy' },
  processes: { status: 'healthy' },
});

/** Longer than readiness takes to find out by itself. */
const LIMIT_MS = 6_000;
const SILENT = unhealthy('database_silent', { limit_seconds: LIMIT_MS / 1_000 });
const AWAY = unhealthy('database_unreachable');

const weakestSandbox = (processes: readonly KnownProcess[]): SandboxLayers | undefined => {
  const known = processes.flatMap(({ sandbox }) => sandbox ?? []);
  return known.find(({ filesystem }) => filesystem === 'none') ?? known[0];
};

const toSnapshot = (now: Date, parts: HealthSnapshot['parts'], rows?: Rows): HealthSnapshot => ({
  now,
  status: worst(Object.values(parts).map(({ status }) => status)),
  parts,
  sources: rows?.sources ?? {},
  processes: rows?.processes.running ?? [],
  sandbox: weakestSandbox(rows?.processes.running ?? []),
});

const takeSnapshot = async (sources: HealthSources): Promise<HealthSnapshot> => {
  const { ready, storageHealth, clock } = sources;
  const readiness = await ready();
  const now = clock.now();
  const rows = readiness.status === 'healthy' ? await readRows(sources, now) : undefined;
  const storage = storageHealth.health();
  return rows === undefined
    ? toSnapshot(now, partsWithoutDatabase(readiness.status === 'healthy' ? AWAY : readiness, storage))
    : toSnapshot(now, partsOf(rows, storage, now), rows);
};

/** Snapshots of the heartbeats of the processes, the database and the storage; cheap for whoever asks often. */
export const openHealthSnapshots = (sources: HealthSources): TakeHealthSnapshot => {
  const shared = shareAnswer(() => takeSnapshot(sources), MAX_AGE_MS);
  const snapshotWithoutDatabase = (): HealthSnapshot =>
    toSnapshot(sources.clock.now(), partsWithoutDatabase(SILENT, sources.storageHealth.health()));
  return async () => (await within(shared(), LIMIT_MS)) ?? snapshotWithoutDatabase();
};

/** What is reported in place of problems of storages and programs, which have paths, addresses and words of their own in them. */
const IN_PUBLIC: Readonly<Record<string, ServiceProblem>> = {
  file_storage: makeProblem('file_storage_problem'),
  watch_folders: makeProblem('watch_folder_problem'),
  backups: makeProblem('backup_problem'),
  ocr_engine: makeProblem('ocr_worker_problem'),
};
/** The component of an ocr-worker that knows which programs are installed. */
const OCR_PROGRAMS = 'ocr-engine';
const HARMLESS: ReadonlySet<string> = new Set<ServiceProblemCode>(['no_ocr_worker', 'unknown_without_database']);

const inPublic = (name: string, health: ComponentHealth, programs: readonly ServiceProblem[]): ComponentHealth => {
  const hidden = IN_PUBLIC[name];
  if (health.status === 'healthy' || hidden === undefined || problemsOf(health, name).every(({ code }) => HARMLESS.has(code)))
    return health;
  return foundProblems(health.status, name === 'ocr_engine' && programs.length > 0 ? programs : [hidden]);
};

/** What workers say of programs that are missing, with the command that installs them: words of ours, without paths. */
const programProblems = (processes: readonly KnownProcess[]): readonly ServiceProblem[] => {
  const all = processes.filter(({ name }) => name === 'ocr-worker').map(({ components }) => components[OCR_PROGRAMS]);
  return all.flatMap((health) => (health === undefined || health.status === 'healthy' ? [] : problemsOf(health)));
};

/** The parts as anybody may know them, signed in or not: without names, paths, versions and errors of programs. */
export const publicParts = ({
  parts,
  processes,
}: Pick<HealthSnapshot, 'parts' | 'processes'>): Readonly<Record<string, ComponentHealth>> => {
  const programs = programProblems(processes);
  return Object.fromEntries(Object.entries(parts).map(([name, health]) => [name, inPublic(name, health, programs)]));
};

/** What is not well, by part, each with its remedy, for anybody. */
export const messagesOf = (snapshot: HealthSnapshot): Record<string, string> =>
  Object.fromEntries(
    Object.entries(publicParts(snapshot)).flatMap(([name, { message }]) => (message === undefined ? [] : [[name, message]])),
  );

/** The same with codes. */
const publicProblems = (snapshot: HealthSnapshot): HealthBody['problems'] =>
  Object.fromEntries(
    Object.entries(publicParts(snapshot)).flatMap(([name, health]) =>
      health.status === 'healthy' ? [] : [[name, [...problemsOf(health)]]],
    ),
  );

/** A process that crashes, a folder that nothing is imported from and a failed backup keep nobody from uploads and searches, which the api does. */
const OF_OTHER_PROCESSES: readonly string[] = ['processes', 'watch_folders', 'backups'] satisfies readonly Part[];

/** Whether requests can be served. */
export const readinessOf = (snapshot: HealthSnapshot): ComponentHealth =>
  summarise(Object.fromEntries(Object.entries(publicParts(snapshot)).filter(([part]) => !OF_OTHER_PROCESSES.includes(part))));

/** The state of each part. */
export const toHealthBody = (snapshot: HealthSnapshot): HealthBody => {
  const { database, ocr_engine, ocr_queue, file_storage, stored_files } = snapshot.parts;
  return {
    status: snapshot.status,
    timestamp: snapshot.now.toISOString(),
    components: {
      database: database.status,
      ocr_engine: worst([ocr_engine.status, ocr_queue.status]),
      file_storage: worst([file_storage.status, stored_files.status]),
      sources: { ...snapshot.sources },
    },
    messages: messagesOf(snapshot),
    problems: publicProblems(snapshot),
    ...(snapshot.sandbox && { sandbox: snapshot.sandbox }),
  };
};

/**
 * The same with what each process says of itself and of its own parts. The hash of a configuration is made of all its values, so who
 * knows all but a weak password could try that one; `key` makes it tell nothing but whether two are the same.
 */
export const toDetailedHealthBody = (snapshot: HealthSnapshot, key: Secret): DetailedHealthBody => ({
  status: snapshot.status,
  timestamp: snapshot.now.toISOString(),
  components: snapshot.parts,
  processes: snapshot.processes.map((row) => ({
    name: row.name,
    instance: row.instance,
    pid: row.pid,
    probe_port: row.probePort,
    memory_bytes: row.memoryBytes,
    status: row.status,
    version: row.version,
    config_hash: createHmac('sha256', key.reveal()).update(row.configHash).digest('hex').slice(0, 16),
    started_at: row.startedAt.toISOString(),
    seen_at: row.seenAt.toISOString(),
    components: row.components,
    ...(row.sandbox && { sandbox: row.sandbox }),
  })),
});
