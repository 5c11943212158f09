import { type ComponentHealth, processFacts, type SandboxLayers } from '@sheaf/contract/operations';
import type { ProcessRow } from '@sheaf/db/schema';

/** A process that was silent for three heartbeats is not taken for one that runs. */
const SILENCE_MS = 15_000;
/** A restart of all processes, and a setting on its way to them, takes less. */
const SETTLED_MS = 60_000;

/** A process as its row tells it. */
export interface KnownProcess extends Omit<ProcessRow, 'facts'> {
  readonly instance: number;
  /** Where its probes listen, as it was told. */
  readonly probeHost: string;
  readonly configSince: Date;
  readonly sandbox: SandboxLayers | undefined;
}

/** Also of a row that another version has written, which may say less. */
const toKnownProcess = ({ facts, ...row }: ProcessRow): KnownProcess => {
  const { data } = processFacts.safeParse(facts);
  return {
    ...row,
    instance: data?.instance ?? 0,
    probeHost: data?.probe_host ?? '127.0.0.1',
    configSince: data === undefined ? row.startedAt : new Date(data.config_since),
    sandbox: data?.sandbox,
  };
};

/** As in logs: the name, with a number from the second one on, such as `ocr-worker.1`. */
export const processLabel = ({ name, instance }: Pick<KnownProcess, 'name' | 'instance'>): string =>
  instance === 0 ? name : `${name}.${instance}`;

export interface SortedProcesses {
  /** The newest first. */
  readonly running: readonly KnownProcess[];
  /** Those that stopped to speak without a word, and were not replaced since. */
  readonly silent: readonly KnownProcess[];
}

/** Which of the rows of `processes` stand for something that runs. */
export const sortProcesses = (rows: readonly ProcessRow[], now: Date): SortedProcesses => {
  const all = rows.map(toKnownProcess);
  const since = new Date(now.getTime() - SILENCE_MS);
  const running = all.filter(({ seenAt }) => seenAt > since);
  const seen = new Set(running.map(processLabel));
  const silent = all.filter((row) => {
    if (seen.has(processLabel(row))) return false;
    seen.add(processLabel(row));
    return true;
  });
  return { running, silent };
};

const olderOf = (row: KnownProcess, api: KnownProcess, since: (row: KnownProcess) => Date): string =>
  since(row) <= since(api) ? processLabel(row) : 'the api';

/** How a process differs from the api, with what to do: the one that was there before has not heard of the change. */
const differenceOf = (row: KnownProcess, api: KnownProcess): string | undefined => {
  if (row.version !== api.version)
    return `${processLabel(row)} runs a different version than the api: restart ${olderOf(row, api, ({ startedAt }) => startedAt)}`;
  if (row.configHash !== api.configHash)
    return `${processLabel(row)} has a different configuration than the api: restart ${olderOf(row, api, ({ configSince }) => configSince)}`;
  return undefined;
};

/** Whether all processes are there, of one version and with one configuration. While something of it changes there is no saying. */
export const processesHealth = ({ running, silent }: SortedProcesses, now: Date): ComponentHealth => {
  const isSettled = ({ startedAt, configSince }: KnownProcess): boolean =>
    Math.max(startedAt.getTime(), configSince.getTime()) <= now.getTime() - SETTLED_MS;
  const settled = running.filter(isSettled);
  const api = settled.find(({ name }) => name === 'api');
  const differences = api === undefined ? [] : settled.flatMap((row) => differenceOf(row, api) ?? []);
  const absences = silent.map((row) => `${processLabel(row)} has sent no heartbeat since ${row.seenAt.toISOString()}: check its log`);
  const findings = [...new Set([...differences.toSorted(), ...absences.toSorted()])];
  return findings.length === 0 ? { status: 'healthy' } : { status: 'warning', message: findings.join('; ') };
};
