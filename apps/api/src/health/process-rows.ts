import {
  type ComponentHealth,
  foundProblems,
  makeProblem,
  processFacts,
  type SandboxLayers,
  type ServiceProblem,
} from '@sheaf/contract/operations';
import type { ProcessRow } from '@sheaf/db/schema';

/** A process that was silent for three heartbeats is not taken for one that runs. */
export const SILENCE_MS = 15_000;
/** A restart of all processes, and a setting on its way to them, takes less. */
const SETTLED_MS = 60_000;

/** A process as its row tells it. */
export interface KnownProcess extends Omit<ProcessRow, 'facts'> {
  readonly instance: number;
  /** Where its probes listen, as it was told. */
  readonly probeHost: string;
  readonly configSince: Date;
  readonly sandbox: SandboxLayers | undefined;
  /** Of an ocr-worker. */
  readonly cores: number | undefined;
  readonly languages: readonly string[];
}

/** Also of a row that another version has written, which may say less. */
export const toKnownProcess = ({ facts, ...row }: ProcessRow): KnownProcess => {
  const { data } = processFacts.safeParse(facts);
  return {
    ...row,
    instance: data?.instance ?? 0,
    probeHost: data?.probe_host ?? '127.0.0.1',
    configSince: data === undefined ? row.startedAt : new Date(data.config_since),
    sandbox: data?.sandbox,
    cores: data?.cores,
    languages: data?.languages ?? [],
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
  since(row) <= since(api) ? processLabel(row) : processLabel(api);

/**
 * How a process differs from the api, with what to do: the one that was there before has not heard of the change. Hosts may be
 * configured each for itself.
 */
const differenceOf = (row: KnownProcess, api: KnownProcess): ServiceProblem | undefined => {
  const process = processLabel(row);
  if (row.version !== api.version)
    return makeProblem('process_version_differs', { process, restart: olderOf(row, api, ({ startedAt }) => startedAt) });
  if (row.host === api.host && row.configHash !== api.configHash)
    return makeProblem('process_configuration_differs', { process, restart: olderOf(row, api, ({ configSince }) => configSince) });
  return undefined;
};

const absenceOf = (row: KnownProcess): ServiceProblem =>
  makeProblem('process_silent', { process: processLabel(row), last_heartbeat_at: row.seenAt.toISOString() });

const inOrder = (problems: readonly ServiceProblem[]): readonly ServiceProblem[] =>
  problems.toSorted((one, other) => (one.message < other.message ? -1 : 1));

/** Whether all processes are there, of one version and with one configuration. While something of it changes there is no saying. */
export const processesHealth = ({ running, silent }: SortedProcesses, now: Date): ComponentHealth => {
  const isSettled = ({ startedAt, configSince }: KnownProcess): boolean =>
    Math.max(startedAt.getTime(), configSince.getTime()) <= now.getTime() - SETTLED_MS;
  const settled = running.filter(isSettled);
  const apis = settled.filter(({ name }) => name === 'api');
  const apiFor = (row: KnownProcess): KnownProcess | undefined => apis.find(({ host }) => host === row.host) ?? apis[0];
  const differences = settled.flatMap((row) => {
    const api = apiFor(row);
    return api === undefined ? [] : (differenceOf(row, api) ?? []);
  });
  return foundProblems('warning', [...inOrder(differences), ...inOrder(silent.map(absenceOf))]);
};
