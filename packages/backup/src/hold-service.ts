import type { Secret } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import { ReplicaLock } from '@sheaf/db';
import { FatalError, type Logger, sleep } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { Client } from 'pg';

/** The processes of which exactly one may run. */
const SINGLE_PROCESSES = ['api', 'watcher', 'sync'] as const;

/** Three heartbeats: who was not heard of for that long is gone. */
const SILENCE_MS = 15_000;
const POLL_MS = 500;

export interface HoldServiceOptions {
  readonly databaseUrl: Secret;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Told when the place was lost, to who took it. */
  readonly onLost: (error: Error) => void;
}

/**
 * Takes the place of the service on this database, so that it cannot start until this is disposed of. Throws a FatalError with exit
 * code 69, naming who it is, while a process of the service runs.
 */
export const holdService = async (client: Client, options: HoldServiceOptions): Promise<AsyncDisposable> => {
  const { databaseUrl, log, onLost, signal } = options;
  await using held = new AsyncDisposableStack();
  for (const processName of SINGLE_PROCESSES) {
    const lock = new ReplicaLock({ url: databaseUrl, processName, isForRestore: true, log, onLost });
    held.defer(() => lock.stop());
    await lock.start();
  }
  await requireSilence(client, signal);
  return held.move();
};

interface Beat {
  readonly id: string;
  readonly name: string;
  readonly pid: number;
  readonly host: string;
  readonly seen_at: Date;
}

/** Processes that take no lock are known by their heartbeats alone; one that was killed is silent after a while. */
const requireSilence = async (client: Client, signal: AbortSignal): Promise<void> => {
  const first = await listBeats(client);
  const isAsFirst = ({ id, seen_at }: Beat): boolean =>
    first.some((beat) => beat.id === id && beat.seen_at.getTime() === seen_at.getTime());
  for (let beats = first; beats.length > 0; beats = await listBeats(client)) {
    const alive = beats.find((beat) => !isAsFirst(beat));
    if (alive !== undefined) throw stillRuns(alive);
    await sleep(POLL_MS, signal);
    signal.throwIfAborted();
  }
};

const stillRuns = ({ name, pid, host }: Beat): FatalError =>
  new FatalError(makeProblem('service_running', { process: name, pid: String(pid), host }), EXIT.replicaRuns);

const listBeats = async (client: Client): Promise<Beat[]> => {
  const { rows: found } = await client.query<{ there: boolean }>(`select to_regclass('processes') is not null as there`);
  if (found[0]?.there !== true) return [];
  const { rows } = await client.query<Beat>(
    `select id, name, pid, host, seen_at from processes where not holds_lock and seen_at > now() - $1 * interval '1 millisecond'`,
    [SILENCE_MS],
  );
  return rows;
};
