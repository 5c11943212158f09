import { type ComponentHealth, type HealthBody, worst } from '@sheaf/contract';
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

/** The state of each part, from the heartbeats of the processes and from a look at the database and the storage. */
export const readHealth = async (deps: ApiDeps): Promise<HealthBody> => {
  const { database, storageHealth, ready, clock } = deps;
  const now = clock.now();
  const components: Record<'database' | 'ocr_engine' | 'file_storage', ComponentHealth> = {
    database: await ready(),
    file_storage: storageHealth.health(),
    ocr_engine: { status: 'warning', message: 'unknown while the database is away' },
  };
  if (components.database.status === 'healthy') {
    const processes = await listProcesses(database.db, new Date(now.getTime() - SILENCE_MS));
    components.ocr_engine = ocrEngineHealth(processes.filter(({ name }) => name === 'ocr-worker'));
  }
  const messages = Object.entries(components).flatMap(([name, { message }]) => (message === undefined ? [] : [[name, message] as const]));
  return {
    status: worst(Object.values(components).map(({ status }) => status)),
    timestamp: now.toISOString(),
    components: {
      database: components.database.status,
      ocr_engine: components.ocr_engine.status,
      file_storage: components.file_storage.status,
      sources: components.database.status === 'healthy' ? await sourcesHealth(deps) : {},
    },
    messages: Object.fromEntries(messages),
  };
};
