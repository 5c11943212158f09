import { type ComponentHealth, type HealthBody, worst } from '@sheaf/contract';
import { listProcesses, type ProcessRow } from '@sheaf/db';
import type { ApiDeps } from '../deps.ts';

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

/** The state of each part, from the heartbeats of the processes and from a look at the database and the storage. */
export const readHealth = async ({ database, storageHealth, ready, clock }: ApiDeps): Promise<HealthBody> => {
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
      sources: {},
    },
    messages: Object.fromEntries(messages),
  };
};
