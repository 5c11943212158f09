import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Database } from '@sheaf/db';
import { documentKey } from '@sheaf/storage';
import { drawScan, enqueueJob, givenDocument, givenUser, makePdf } from '@sheaf/testkit';
import { NamespacedWorker } from '../support/namespaced-worker.ts';
import { familyOf } from '../support/processes.ts';
import { openStubTesseracts, type StubReading } from '../support/stub-tesseract.ts';
import { machineLine } from './machine.ts';
import { openScratchDatabase } from './scratch-database.ts';

const OPTIONS = { 'page-seconds': { type: 'string', default: '2.5' }, hosts: { type: 'string', default: '1,2,4,8,16' } } as const;
const PAGES_A_DOCUMENT = 2;
/** What a host does between two pages varies, so it is seen over several. */
const PAGES_A_WINDOW = 12;
/** Kernel ticks of /proc; 100 on every Linux of today. */
const TICKS_A_SECOND = 100;

/**
 * How much faster more hosts process documents, when their engines wait instead of computing: what is measured is the queue and the
 * database, on the cores of one machine. `--page-seconds` says how long a page takes, `--hosts` how many hosts, each
 * number higher than the one before it. Linear is measured by the first one, per host.
 */
export const run = async (args: readonly string[] = []): Promise<void> => {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const pageSeconds = Number(values['page-seconds']);
  const resources = new AsyncDisposableStack();
  try {
    const database = resources.use(await openScratchDatabase());
    const stubs = resources.use(await openStubTesseracts());
    const folder = await mkdtemp(join(tmpdir(), 'sheaf-bench-hosts-'));
    resources.defer(() => rm(folder, { recursive: true, force: true }));
    await chmod(folder, 0o755);
    const queue = await openQueue(database, join(folder, 'uploads'));
    const addHost = async (number: number): Promise<void> => {
      const host = `host-${number}`;
      const env = {
        ...(await stubs.make(host, pageSeconds)),
        DATABASE_URL: database.url.reveal(),
        DATA_PATH: join(folder, host),
        UPLOAD_PATH: join(folder, 'uploads'),
        CPU_CORES: '1',
        PROBE_PORT_BASE: '0',
        LOG_LEVEL: 'info',
      };
      await resources.use(new NamespacedWorker({ host, env })).ready();
    };

    console.log(`${machineLine()}; a page takes ${pageSeconds} s`);
    let hosts = 0;
    let alone: number | undefined;
    for (const count of values.hosts.split(',').map(Number)) {
      const more: Promise<void>[] = [];
      for (; hosts < count; hosts += 1) more.push(addHost(hosts));
      await Promise.all(more);
      await queue.fill(count * (PAGES_A_WINDOW + 6));
      await sleep(pageSeconds * 3_000); // until each is within its pages
      const figures = await measure(database, stubs.finished, pageSeconds * PAGES_A_WINDOW);
      alone ??= figures.pagesPerSecond / count;
      console.log(lineOf(count, figures, alone));
    }
  } finally {
    await resources.disposeAsync();
  }
};

interface Queue {
  /** Lets at least so many pages wait. */
  fill(pages: number): Promise<void>;
}

const openQueue = async ({ db, pool }: Database, uploads: string): Promise<Queue> => {
  const owner = await givenUser(db);
  const picture = await drawScan(['a page of all']);
  const pages = makePdf(Array.from({ length: PAGES_A_DOCUMENT }, () => ({ picture })));
  let made = 0;
  const add = async (): Promise<void> => {
    const bytes = Buffer.concat([pages, Buffer.from(`\n% ${(made += 1)}\n`)]); // no two alike
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const path = join(uploads, documentKey(sha256));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
    const document = await givenDocument(db, { ownerId: owner.id, sha256, sizeBytes: bytes.length, filePath: path });
    await db.transaction((tx) => enqueueJob(tx, { documentId: document.id, maxAttempts: 3 }));
  };
  return {
    fill: async (pages) => {
      const { rows } = await pool.query<{ waiting: number }>("select count(*)::int as waiting from ocr_jobs where status = 'pending'");
      const wanted = Math.ceil(pages / PAGES_A_DOCUMENT) - (rows[0]?.waiting ?? 0);
      for (let added = 0; added < wanted; added += 1) await add();
    },
  };
};

interface Figures {
  readonly pagesPerSecond: number;
  readonly claimsPerSecond: number;
  readonly transactionsPerSecond: number;
  /** Of all processes of the server. */
  readonly databaseCores: number;
  readonly connections: number;
  readonly load: number;
}

const measure = async (database: Database, readings: readonly StubReading[], seconds: number): Promise<Figures> => {
  const before = await readCounters(database);
  await sleep(seconds * 1_000);
  const after = await readCounters(database);
  const elapsed = (after.atMs - before.atMs) / 1_000;
  return {
    pagesPerSecond: paceOf(readings.filter(({ atMs }) => atMs >= before.atMs && atMs <= after.atMs)),
    claimsPerSecond: (after.claims - before.claims) / elapsed,
    transactionsPerSecond: (after.transactions - before.transactions) / elapsed,
    databaseCores: (after.cpuSeconds - before.cpuSeconds) / elapsed,
    connections: after.connections,
    load: loadavg()[0] ?? 0,
  };
};

/** The paces of all engines together, each from its first page to its last one: the window begins and ends in the middle of pages. */
const paceOf = (readings: readonly StubReading[]): number =>
  [...Map.groupBy(readings, ({ engine }) => engine).values()].reduce((sum, own) => {
    const [first, last] = [own[0], own.at(-1)];
    return first === undefined || last === undefined || own.length < 2 ? sum : sum + ((own.length - 1) * 1_000) / (last.atMs - first.atMs);
  }, 0);

interface Counters {
  readonly atMs: number;
  readonly claims: number;
  readonly transactions: number;
  readonly connections: number;
  readonly cpuSeconds: number;
}

const readCounters = async ({ pool }: Database): Promise<Counters> => {
  const { rows } = await pool.query<{ pid: number; claims: number; transactions: number; connections: number }>(
    `select pg_backend_pid() as pid, (select sum(fence) from ocr_jobs)::int as claims,
       (select xact_commit + xact_rollback from pg_stat_database where datname = current_database())::int as transactions,
       (select count(*) from pg_stat_activity where backend_type = 'client backend')::int as connections`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the database gave no counters');
  return { ...row, atMs: performance.now(), cpuSeconds: await cpuSecondsOfServer(row.pid) };
};

/** Fields of /proc/PID/stat behind the name, which may hold anything. */
const statOf = async (pid: number): Promise<string[]> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''); // ended meanwhile
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

const PARENT = 1;
/** User and system time, of the process itself and of its children that have ended. */
const OWN_TICKS = [11, 12];
const ENDED_TICKS = [13, 14];

const cpuSecondsOfServer = async (backend: number): Promise<number> => {
  const server = Number((await statOf(backend))[PARENT]);
  const ticks = (stat: readonly string[], fields: readonly number[]): number =>
    fields.reduce((sum, field) => sum + (Number(stat[field]) || 0), 0);
  const all = await Promise.all((await familyOf(server)).map(async (pid) => ({ pid, stat: await statOf(pid) })));
  return (
    all.reduce((sum, { pid, stat }) => sum + ticks(stat, pid === server ? [...OWN_TICKS, ...ENDED_TICKS] : OWN_TICKS), 0) / TICKS_A_SECOND
  );
};

const lineOf = (hosts: number, figures: Figures, alone: number): string =>
  [
    `${String(hosts).padStart(2)} hosts`,
    `${figures.pagesPerSecond.toFixed(3)} pages/s`,
    `${(figures.pagesPerSecond / (hosts * alone)).toFixed(3)} of linear`,
    `${figures.claimsPerSecond.toFixed(2)} claims/s`,
    `${figures.transactionsPerSecond.toFixed(1)} transactions/s`,
    `${figures.databaseCores.toFixed(3)} cores of the database`,
    `${figures.connections} connections`,
    `load ${figures.load.toFixed(1)}`,
  ].join(', ');
