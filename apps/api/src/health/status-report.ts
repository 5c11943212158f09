import { type Database, isCancelledStatement, isDatabaseUnavailable } from '@sheaf/db';
import { countDocuments } from '@sheaf/documents';
import { shareAnswer, within } from '@sheaf/process';
import { countJobsOfHosts, type QueueDepth, readQueueDepth } from '@sheaf/queue';
import { describeLayers } from '@sheaf/sandbox';
import { HEALTH_STATUSES, type HealthStatus } from '@sheaf/vocabulary/health';
import { type HealthSnapshot, messagesOf, type TakeHealthSnapshot } from './health.ts';
import { processLabel } from './process-rows.ts';

/** Counting reads more than a snapshot does, and nobody reads faster. */
const COUNTS_AGE_MS = 5_000;
/** The state is told without them rather than late. */
const COUNTS_LIMIT_MS = 2_000;

interface Counts {
  readonly documents: number;
  readonly queue: QueueDepth;
  /** Documents that are being processed, by host. */
  readonly jobs: ReadonlyMap<string, number>;
}

/** One line for a person: what, and how it is. */
export interface StatusRow {
  readonly name: string;
  /** Where it may be well or not. */
  readonly status?: HealthStatus;
  readonly text: string;
}

/** What a person wants to know of the service: counts and states; no name of a user or a document, no path and no version, as anybody may see it. */
export interface StatusReport {
  readonly status: HealthStatus;
  readonly now: Date;
  readonly parts: readonly StatusRow[];
  readonly numbers: readonly StatusRow[];
  /** None where there is only one. */
  readonly hosts: readonly StatusRow[];
  readonly processes: readonly StatusRow[];
  /** What to do about what is not well. */
  readonly remedies: readonly StatusRow[];
}

/** Such as `3 d 4 h`, `12 min` or `8 s`. */
export const inWords = (seconds: number): string => {
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
  ] as const;
  const at = units.findIndex(([, length]) => seconds >= length);
  const unit = units[at];
  if (unit === undefined) return `${Math.max(0, Math.floor(seconds))} s`;
  const next = units[at + 1];
  const rest = next === undefined ? 0 : Math.floor((seconds % unit[1]) / next[1]);
  return `${Math.floor(seconds / unit[1])} ${unit[0]}${rest === 0 || next === undefined ? '' : ` ${rest} ${next[0]}`}`;
};

const sourcesText = (sources: HealthSnapshot['sources']): string => {
  const states = Object.values(sources);
  const counted = HEALTH_STATUSES.map((status) => [states.filter((state) => state === status).length, status] as const);
  const some = counted.filter(([count]) => count > 0).map(([count, status]) => `${count} ${status}`);
  return some.length === 0 ? 'none' : some.join(', ');
};

const numbersOf = ({ documents, queue: { jobs, oldestSeconds } }: Counts, sources: HealthSnapshot['sources']): StatusRow[] => [
  { name: 'documents', text: String(documents) },
  { name: 'queue', text: `${jobs.pending} pending, ${jobs.processing} processing, ${jobs.failed} failed, ${jobs.completed} completed` },
  { name: 'longest wait', text: oldestSeconds === 0 ? 'none' : inWords(oldestSeconds) },
  { name: 'sources', text: sourcesText(sources) },
];

const processRows = ({ processes, now }: HealthSnapshot): StatusRow[] =>
  processes
    .map((row) => ({
      name: processLabel(row),
      status: row.status,
      text: `up ${inWords((now.getTime() - row.startedAt.getTime()) / 1_000)}, ${Math.round(row.memoryBytes / 1024 ** 2)} MB`,
    }))
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));

/** Where there are several: a number for each instead of its name, its share of what is being processed, and whether its version is that of most. */
const hostRows = ({ processes }: HealthSnapshot, jobs: ReadonlyMap<string, number>): StatusRow[] => {
  const hosts = [...Map.groupBy(processes, ({ host }) => host)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (hosts.length < 2) return [];
  const versionOf = ([, rows]: (typeof hosts)[number]): string => rows[0]?.version ?? '';
  const usual = [...Map.groupBy(hosts, versionOf).values()].reduce((most, some) => (some.length > most.length ? some : most));
  const total = hosts.reduce((sum, [host]) => sum + (jobs.get(host) ?? 0), 0);
  return hosts.map((host, at) => ({
    name: `host ${at + 1}`,
    text: `${host[1].length === 1 ? '1 process' : `${host[1].length} processes`}, ${jobs.get(host[0]) ?? 0} of ${total} documents in progress${usual.includes(host) ? '' : ', other version'}`,
  }));
};

const toReport = (snapshot: HealthSnapshot, counts: Counts | undefined): StatusReport => {
  const { database, ocr_engine, ocr_queue, file_storage, stored_files, watch_folders, memory } = snapshot.parts;
  const partOf = (name: string, { status }: { status: HealthStatus }): StatusRow => ({ name, status, text: status });
  return {
    status: snapshot.status,
    now: snapshot.now,
    parts: [
      partOf('database', database),
      partOf('ocr engine', ocr_engine),
      partOf('ocr queue', ocr_queue),
      partOf('file storage', file_storage),
      partOf('stored files', stored_files),
      partOf('watch folders', watch_folders),
      partOf('memory', memory),
      partOf('processes', snapshot.parts.processes),
      ...(snapshot.sandbox === undefined ? [] : [{ name: 'parser sandbox', text: describeLayers(snapshot.sandbox) }]),
    ],
    numbers: [...(counts === undefined ? [] : numbersOf(counts, snapshot.sources)), { name: 'uptime', text: inWords(process.uptime()) }],
    hosts: counts === undefined ? [] : hostRows(snapshot, counts.jobs),
    processes: processRows(snapshot),
    remedies: Object.entries(messagesOf(snapshot)).map(([name, text]) => ({ name: name.replaceAll('_', ' '), text })),
  };
};

/** Reads the report; without its counts while the database is away or slow. */
export const openStatusReport = ({
  database: { db },
  takeHealthSnapshot,
}: {
  readonly database: Database;
  readonly takeHealthSnapshot: TakeHealthSnapshot;
}): (() => Promise<StatusReport>) => {
  const count = shareAnswer(async (): Promise<Counts | undefined> => {
    try {
      const [documents, queue, jobs] = await Promise.all([countDocuments(db), readQueueDepth(db), countJobsOfHosts(db)]);
      return { documents, queue, jobs };
    } catch (error) {
      if (!isDatabaseUnavailable(error) && !isCancelledStatement(error)) throw error;
      return undefined; // it went, or became slow, since the snapshot
    }
  }, COUNTS_AGE_MS);
  return async () => {
    const snapshot = await takeHealthSnapshot();
    return toReport(snapshot, snapshot.parts.database.status === 'healthy' ? await within(count(), COUNTS_LIMIT_MS) : undefined);
  };
};
