import type { HostBody as Host } from '@sheaf/contract/operations';
import type { ProcessRow } from '@sheaf/db/schema';
import { type KnownProcess, processLabel, SILENCE_MS, toKnownProcess } from '../health/process-rows.ts';

interface HostFacts {
  /** The newest first. */
  readonly rows: readonly ProcessRow[];
  readonly drained: ReadonlySet<string>;
  readonly jobs: ReadonlyMap<string, number>;
  readonly now: Date;
}

const stateOf = (isSilent: boolean, isDrained: boolean, activeJobs: number): Host['state'] => {
  if (isSilent) return 'silent';
  if (!isDrained) return 'running';
  return activeJobs > 0 ? 'draining' : 'drained';
};

/** Processes of which one works in the whole installation, and others stand by. */
const SOLE: ReadonlySet<string> = new Set(['watcher', 'sync']);

/** Names of those that run and work, or run and do not. */
const soleOf = (running: readonly KnownProcess[], isActive: boolean): string[] =>
  [...new Set(running.filter(({ name, holdsLock }) => SOLE.has(name) && holdsLock === isActive).map(({ name }) => name))].toSorted();

const toHost = (host: string, known: readonly KnownProcess[], { drained, jobs, now }: HostFacts): Host => {
  const since = new Date(now.getTime() - SILENCE_MS);
  const running = known.filter(({ seenAt }) => seenAt > since);
  // of a host that is silent, what was heard of last
  const shown = running.length === 0 ? known : running;
  const activeJobs = jobs.get(host) ?? 0;
  const cores = shown.flatMap((row) => row.cores ?? []);
  return {
    host,
    processes: [...new Set(shown.map(processLabel))].toSorted(),
    active: soleOf(running, true),
    standby: soleOf(running, false),
    version: shown[0]?.version ?? '',
    cores: cores.length === 0 ? null : Math.max(...cores),
    languages: [...new Set(shown.flatMap(({ languages }) => languages))].toSorted(),
    state: stateOf(running.length === 0, drained.has(host), activeJobs),
    last_seen_at: new Date(Math.max(...shown.map(({ seenAt }) => seenAt.getTime()))).toISOString(),
    active_jobs: activeJobs,
  };
};

/** The hosts by name: what runs there, and whether it takes jobs. */
export const hostsOf = (facts: HostFacts): Host[] =>
  [...Map.groupBy(facts.rows.map(toKnownProcess), ({ host }) => host)]
    .map(([host, known]) => toHost(host, known, facts))
    .toSorted((a, b) => (a.host < b.host ? -1 : 1));
