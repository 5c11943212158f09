import { createHmac } from 'node:crypto';
import type { FixedConfig } from '@sheaf/config';
import type { Secret } from '@sheaf/contract';
import type { ComponentHealth, DetailedHealthBody, HealthBody, SandboxLayers } from '@sheaf/contract/operations';
import { type Database, isCancelledStatement, isDatabaseUnavailable } from '@sheaf/db';
import type { QueueGate } from '@sheaf/ingest';
import type { Clock } from '@sheaf/process';
import { CRASHED_PROCESSES, MEMORY_LIMIT, shareAnswer, summarise, within } from '@sheaf/process';
import { listProcesses } from '@sheaf/program';
import { listSourceStates } from '@sheaf/sources';
import type { StorageHealth } from '@sheaf/storage';
import { type HealthStatus, worst } from '@sheaf/vocabulary/health';
import { healthOfSource } from '../sources/source-health.ts';
import { type KnownProcess, processesHealth, type SortedProcesses, sortProcesses } from './process-rows.ts';

/** However many ask, the state is read once in this time. */
const MAX_AGE_MS = 1_000;
/** Older rows are those of processes that went long ago. */
const ROW_AGE_MS = 3_600_000;

export type Part = 'database' | 'ocr_engine' | 'ocr_queue' | 'file_storage' | 'stored_files' | 'memory' | 'processes';

/** The state of the service at one moment: the one source of all health reports. */
export interface HealthSnapshot {
  readonly now: Date;
  readonly status: HealthStatus;
  readonly parts: Readonly<Record<Part, ComponentHealth>>;
  /** The sources that are switched on, by id. */
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

const NO_WORKER = 'No ocr-worker is running; documents wait in the queue.';
const UNKNOWN_AWAY = 'unknown while the database is unavailable';

/** The findings of the ocr-workers about their tools, the worst first. Without any worker nothing is read. */
const ocrEngineHealth = (workers: readonly KnownProcess[]): ComponentHealth => {
  if (workers.length === 0) return { status: 'warning', message: NO_WORKER };
  const findings = workers.flatMap((worker) => Object.entries(worker.components).filter(([, { status }]) => status !== 'healthy'));
  const messages = new Set(findings.map(([name, { message }]) => message ?? name));
  return messages.size === 0
    ? { status: 'healthy' }
    : { status: worst(findings.map(([, { status }]) => status)), message: [...messages].join('; ') };
};

/** What the one process that tells of `part` says of it. */
const toldHealth = (processes: readonly KnownProcess[], part: string): ComponentHealth =>
  processes.map(({ components }) => components[part]).find((health) => health !== undefined) ?? { status: 'healthy' };

/** What two say of the same part. */
const joinHealth = (...findings: readonly ComponentHealth[]): ComponentHealth => {
  const messages = findings.flatMap(({ message }) => message ?? []);
  const status = worst(findings.map((finding) => finding.status));
  return messages.length === 0 ? { status } : { status, message: messages.join('; ') };
};

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
    stored_files: toldHealth(running, 'stored_files'),
    memory: toldHealth(running, MEMORY_LIMIT),
    processes: joinHealth(toldHealth(running, CRASHED_PROCESSES), processesHealth(rows.processes, now)),
  };
};

const partsWithoutDatabase = (database: ComponentHealth, storage: ComponentHealth): HealthSnapshot['parts'] => ({
  database,
  ocr_engine: { status: 'warning', message: UNKNOWN_AWAY },
  ocr_queue: { status: 'healthy' },
  file_storage: storage,
  stored_files: { status: 'healthy' },
  memory: { status: 'healthy' },
  processes: { status: 'healthy' },
});

/** Longer than readiness takes to find out by itself. */
const LIMIT_MS = 6_000;
const SILENT: ComponentHealth = { status: 'unhealthy', message: `No response of the database for ${LIMIT_MS / 1_000} seconds.` };
const AWAY: ComponentHealth = { status: 'unhealthy', message: 'The database is not reachable.' };

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

const DETAILS_ELSEWHERE = 'see GET /api/health/detailed as an administrator';
/** What is said in place of messages of storages and programs, which have paths, addresses and words of their own in them. */
const IN_PUBLIC: Readonly<Record<string, string>> = {
  file_storage: `the file storage reports a problem; ${DETAILS_ELSEWHERE}`,
  ocr_engine: `an ocr-worker reports a problem; ${DETAILS_ELSEWHERE}`,
};
/** The component of an ocr-worker that knows which programs are installed. */
const OCR_PROGRAMS = 'ocr-engine';
const HARMLESS: ReadonlySet<string> = new Set([NO_WORKER, UNKNOWN_AWAY]);

const inPublic = (name: string, health: ComponentHealth, programs: readonly string[]): ComponentHealth => {
  const hidden = IN_PUBLIC[name];
  if (health.message === undefined || hidden === undefined || HARMLESS.has(health.message)) return health;
  return { status: health.status, message: name === 'ocr_engine' && programs.length > 0 ? programs.join('; ') : hidden };
};

/** What workers say of programs that are missing, with the command that installs them: words of ours, without paths. */
const programMessages = (processes: readonly KnownProcess[]): readonly string[] => {
  const all = processes.filter(({ name }) => name === 'ocr-worker').map(({ components }) => components[OCR_PROGRAMS]);
  return [...new Set(all.flatMap((health) => (health === undefined || health.status === 'healthy' ? [] : (health.message ?? []))))];
};

/** The parts as anybody may know them, signed in or not: without names, paths, versions and errors of programs. */
export const publicParts = ({
  parts,
  processes,
}: Pick<HealthSnapshot, 'parts' | 'processes'>): Readonly<Record<string, ComponentHealth>> => {
  const programs = programMessages(processes);
  return Object.fromEntries(Object.entries(parts).map(([name, health]) => [name, inPublic(name, health, programs)]));
};

/** What is not well, by part, each with its remedy, for anybody. */
export const messagesOf = (snapshot: HealthSnapshot): Record<string, string> =>
  Object.fromEntries(
    Object.entries(publicParts(snapshot)).flatMap(([name, { message }]) => (message === undefined ? [] : [[name, message]])),
  );

/** Whether requests can be served: a process that crashes keeps nobody from uploads and searches, which the api does. */
export const readinessOf = (snapshot: HealthSnapshot): ComponentHealth =>
  summarise(Object.fromEntries(Object.entries(publicParts(snapshot)).filter(([part]) => part !== 'processes')));

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
