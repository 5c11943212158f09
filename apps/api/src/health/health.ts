import { type ComponentHealth, type DetailedHealthBody, type HealthBody, worst } from '@sheaf/contract';
import { listProcesses, listSourceStates, type ProcessRow } from '@sheaf/db';
import type { ApiDeps } from '../deps.ts';
import { healthOfSource } from '../sources/source-health.ts';

/** A process that was silent for three heartbeats is a warning. */
const SILENCE_MS = 15_000;

/** The findings of the ocr-workers about their tools, the worst first. Without any worker nothing is read. */
const ocrEngineHealth = (workers: readonly ProcessRow[]): ComponentHealth => {
  if (workers.length === 0) return { status: 'warning', message: 'no ocr-worker runs; documents wait in the queue' };
  const findings = workers.flatMap((worker) => Object.entries(worker.components).filter(([, { status }]) => status !== 'healthy'));
  const messages = new Set(findings.map(([name, { message }]) => message ?? name));
  return messages.size === 0
    ? { status: 'healthy' }
    : { status: worst(findings.map(([, { status }]) => status)), message: [...messages].join('; ') };
};

/**
 * The sources that are switched on, by id. Whoever asks need not be known, so there is nothing of their names and addresses.
 * Choice: they do not count for the whole: a server of somebody else's that is away makes this service no worse.
 */
const sourcesHealth = async ({ database, config }: ApiDeps): Promise<HealthBody['components']['sources']> =>
  config.sources.enabled
    ? Object.fromEntries((await listSourceStates(database.db)).map((source) => [source.id, healthOfSource(source)]))
    : {};

type Part = 'database' | 'ocr_engine' | 'file_storage' | 'stored_files';

interface Sight {
  readonly now: Date;
  readonly parts: Readonly<Record<Part, ComponentHealth>>;
  readonly processes: readonly ProcessRow[];
}

/** What the process that reads the stored files again and again says of them. */
const storedFilesHealth = (processes: readonly ProcessRow[]): ComponentHealth =>
  processes.map(({ components }) => components['stored_files']).find((health) => health !== undefined) ?? { status: 'healthy' };

/** From the heartbeats of the processes, and from a look at the database and the storage. */
const lookAround = async ({ database, storageHealth, ready, clock }: ApiDeps): Promise<Sight> => {
  const now = clock.now();
  const databaseHealth = await ready();
  const isReady = databaseHealth.status === 'healthy';
  const processes = isReady ? await listProcesses(database.db, new Date(now.getTime() - SILENCE_MS)) : [];
  const parts = {
    database: databaseHealth,
    file_storage: storageHealth.health(),
    ocr_engine: isReady
      ? ocrEngineHealth(processes.filter(({ name }) => name === 'ocr-worker'))
      : ({ status: 'warning', message: 'unknown while the database is away' } as const),
    stored_files: storedFilesHealth(processes),
  };
  return { now, parts, processes };
};

const overallOf = ({ parts }: Sight) => worst(Object.values(parts).map(({ status }) => status));

/** The state of each part. */
export const readHealth = async (deps: ApiDeps): Promise<HealthBody> => {
  const sight = await lookAround(deps);
  const { database, ocr_engine, file_storage, stored_files } = sight.parts;
  const messages = Object.entries(sight.parts).flatMap(([name, { message }]) => (message === undefined ? [] : [[name, message] as const]));
  return {
    status: overallOf(sight),
    timestamp: sight.now.toISOString(),
    components: {
      database: database.status,
      ocr_engine: ocr_engine.status,
      file_storage: worst([file_storage.status, stored_files.status]),
      sources: database.status === 'healthy' ? await sourcesHealth(deps) : {},
    },
    messages: Object.fromEntries(messages),
  };
};

/** The same with what each process says of its own parts. */
export const readDetailedHealth = async (deps: ApiDeps): Promise<DetailedHealthBody> => {
  const sight = await lookAround(deps);
  return {
    status: overallOf(sight),
    timestamp: sight.now.toISOString(),
    components: sight.parts,
    processes: sight.processes.map((row) => ({
      name: row.name,
      status: row.status,
      version: row.version,
      started_at: row.startedAt.toISOString(),
      seen_at: row.seenAt.toISOString(),
      components: row.components,
    })),
  };
};
