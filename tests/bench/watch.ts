import { execFileSync } from 'node:child_process';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { waitFor } from '@sheaf/process';
import { type BenchWatcher, openBenchWatcher } from './bench-watcher.ts';
import { machineLine } from './machine.ts';
import { median } from './median.ts';

const SIZES = {
  full: { latencyFiles: 30, rateFiles: 2_000, knownFiles: 100_000, memoryFiles: 10_000, idleIntervals: 3, idleSeconds: 60 },
  small: { latencyFiles: 5, rateFiles: 200, knownFiles: 10_000, memoryFiles: 500, idleIntervals: 2, idleSeconds: 5 },
};
type Sizes = Readonly<Record<keyof (typeof SIZES)['full'], number>>;

const FILE_BYTES = 2_048;
const FILES_A_FOLDER = 1_000;
const MB = 1024 ** 2;
const WANTED = { graceSeconds: 1, scanSeconds: 2, idlePercent: 2, memoryMb: 64 };
const LIMIT_MS = 20 * 60_000;

const PARTS = { latency: measureLatency, rate: measureRate, idle: measureIdle, memory: measureMemory };

/** `pnpm bench watch [latency|rate|idle|memory] [small] [KNOWN FILES]`: a watcher process alone, on a database of its own. */
export const run = async (args: readonly string[]): Promise<void> => {
  console.log(`A watcher process beside PostgreSQL, no ocr-worker; ${machineLine()}`);
  const usual = args.includes('small') ? SIZES.small : SIZES.full;
  const sizes = { ...usual, knownFiles: Number(args.find((arg) => /^\d+$/.test(arg)) ?? usual.knownFiles) };
  const chosen = Object.entries(PARTS).filter(([name]) => args.includes(name));
  for (const [, measure] of chosen.length === 0 ? Object.entries(PARTS) : chosen) {
    await using bench = await openBenchWatcher();
    await measure(bench, sizes);
  }
};

const verdict = (isReached: boolean): string => (isReached ? 'reached' : 'MISSED');

/** Text of `FILE_BYTES` that no other file has. */
const textOf = (n: number): string => `file ${n} `.repeat(FILE_BYTES).slice(0, FILE_BYTES);

const fillFolder = async (folder: string, count: number): Promise<void> => {
  for (let begin = 0; begin < count; begin += FILES_A_FOLDER) {
    const path = join(folder, String(begin / FILES_A_FOLDER));
    await mkdir(path, { recursive: true });
    const numbers = Array.from({ length: Math.min(FILES_A_FOLDER, count - begin) }, (_, i) => begin + i);
    await Promise.all(numbers.map((n) => writeFile(join(path, `${n}.txt`), textOf(n))));
  }
};

const countDocuments = async ({ pool }: BenchWatcher): Promise<number> =>
  (await pool.query<{ n: number }>('select count(*)::int as n from documents')).rows[0]?.n ?? 0;

const untilTaken = (bench: BenchWatcher, count: number): Promise<true> =>
  waitFor(async () => (await countDocuments(bench)) >= count, { description: `${count} documents`, limitMs: LIMIT_MS, everyMs: 200 });

// ---- from a finished copy to the document -----------------------------------------------------------------------------------

const INTERVAL_SECONDS = 5;
const STABILITY_MS = 2_000;
/** Files come at moments that no interval is a multiple of. */
const DROP_EVERY_MS = 1_370;

async function measureLatency(bench: BenchWatcher, { latencyFiles }: Sizes): Promise<void> {
  const env = { WATCH_INTERVAL_SECONDS: String(INTERVAL_SECONDS), FILE_STABILITY_CHECK_MS: String(STABILITY_MS) };
  const limit = INTERVAL_SECONDS + STABILITY_MS / 1_000 + WANTED.graceSeconds;
  const ways = {
    // A watcher that asks once an hour hears of nothing, as on a network file system.
    'scans alone': { ...env, CHOKIDAR_USEPOLLING: '1', CHOKIDAR_INTERVAL: '3600000' },
    'with notifications': env,
  };
  for (const [way, settings] of Object.entries(ways)) {
    await bench.start(settings);
    const seconds = await dropAndWait(bench, way, latencyFiles);
    const worst = Math.max(...seconds);
    console.log(
      `${way}: a file of ${FILE_BYTES} bytes became a document after ${median(seconds)?.toFixed(2)} s (median), ${worst.toFixed(2)} s (worst of ${seconds.length}); interval ${INTERVAL_SECONDS} s, stability ${STABILITY_MS / 1_000} s, at most ${limit} s: ${verdict(worst <= limit)}`,
    );
    await bench.stop();
  }
}

/** Drops files one after the other and returns for each how many seconds passed until its document was there. */
const dropAndWait = async (bench: BenchWatcher, way: string, count: number): Promise<number[]> => {
  const dropped = new Map<string, number>();
  const seconds: number[] = [];
  const look = async (): Promise<void> => {
    const { rows } = await bench.pool.query<{ title: string }>('select title from documents where title = any($1)', [[...dropped.keys()]]);
    for (const { title } of rows) {
      seconds.push((performance.now() - (dropped.get(title) ?? 0)) / 1_000);
      dropped.delete(title);
    }
  };
  for (let n = 0; n < count || dropped.size > 0; ) {
    const nextMs = performance.now() + DROP_EVERY_MS;
    if (n < count) {
      await writeFile(join(bench.watch, `${way} ${n}.txt`), textOf(n) + way);
      dropped.set(`${way} ${n}`, performance.now());
      n += 1;
    }
    while (performance.now() < nextMs) {
      await look();
      await setTimeout(10);
    }
  }
  return seconds;
};

// ---- many small files -------------------------------------------------------------------------------------------------------

async function measureRate(bench: BenchWatcher, { rateFiles }: Sizes): Promise<void> {
  const source = join(bench.folder, 'source');
  await fillFolder(source, rateFiles);
  const copying = performance.now();
  execFileSync('cp', ['-r', source, join(bench.folder, 'copy')]);
  const copied = (performance.now() - copying) / 1_000;
  execFileSync('cp', ['-r', source, join(bench.watch, 'in')]);
  await bench.start();
  await untilTaken(bench, rateFiles);
  const { rows } = await bench.pool.query<{ seconds: number }>(
    'select extract(epoch from max(created_at) - min(created_at))::float8 as seconds from documents',
  );
  const took = rows[0]?.seconds ?? 0;
  console.log(
    `${rateFiles} text files of ${FILE_BYTES} bytes: ${(rateFiles / took).toFixed(0)} files/s (${took.toFixed(1)} s); plain cp -r ${(rateFiles / copied).toFixed(0)} files/s (${copied.toFixed(2)} s)`,
  );
}

// ---- known files ------------------------------------------------------------------------------------------------------------

/** Writes the ledger's rows as if all files had been imported long ago. */
const noteAsIngested = async ({ watch, pool }: BenchWatcher): Promise<void> => {
  for (const folder of await readdir(watch)) {
    const names = await readdir(join(watch, folder));
    const facts = await Promise.all(names.map((name) => stat(join(watch, folder, name))));
    await pool.query(
      `insert into ingest_ledger (id, route, path, size_bytes, modified_at, sha256, state)
       select gen_random_uuid(), 'watch', path, size, to_timestamp(ms / 1000.0), md5(path) || md5(path), 'ingested'
       from unnest($1::text[], $2::bigint[], $3::bigint[]) as files (path, size, ms)`,
      [names.map((name) => `${folder}/${name}`), facts.map(({ size }) => size), facts.map(({ mtimeMs }) => Math.floor(mtimeMs))],
    );
  }
  await pool.query('analyze ingest_ledger');
};

const scanSeconds = async ({ metric }: BenchWatcher): Promise<{ count: number; sum: number }> => ({
  count: await metric('sheaf_watch_scan_duration_seconds_count{'),
  sum: await metric('sheaf_watch_scan_duration_seconds_sum{'),
});

/** Asked for seldom, as the answer costs the process too. */
const untilScans = (bench: BenchWatcher, count: number): Promise<true> =>
  waitFor(async () => (await scanSeconds(bench)).count >= count, { description: `${count} scans`, limitMs: LIMIT_MS, everyMs: 5_000 });

/** Starts a watcher on so many files that its ledger knows, and waits for two scans: the second comes when notifications are set up. */
const startOnKnown = async (bench: BenchWatcher, knownFiles: number, intervalSeconds: number): Promise<void> => {
  await fillFolder(bench.watch, knownFiles);
  await noteAsIngested(bench);
  await bench.start({ WATCH_INTERVAL_SECONDS: String(intervalSeconds) });
  await untilScans(bench, 2);
};

/** How long a scan of so many files takes that are all known. */
export const secondsOfScan = async (knownFiles: number): Promise<number> => {
  await using bench = await openBenchWatcher();
  await startOnKnown(bench, knownFiles, 1);
  const first = await scanSeconds(bench);
  await untilScans(bench, first.count + 3);
  const last = await scanSeconds(bench);
  return (last.sum - first.sum) / (last.count - first.count);
};

async function measureIdle(bench: BenchWatcher, { knownFiles, idleIntervals, idleSeconds }: Sizes): Promise<void> {
  await startOnKnown(bench, knownFiles, idleSeconds);
  const first = await scanSeconds(bench);
  const begin = { at: performance.now(), used: await bench.processorSeconds() };
  await untilScans(bench, first.count + idleIntervals);
  const seconds = (performance.now() - begin.at) / 1_000;
  const percent = (((await bench.processorSeconds()) - begin.used) / seconds) * 100;
  const last = await scanSeconds(bench);
  const scan = (last.sum - first.sum) / (last.count - first.count);
  console.log(
    `${knownFiles} known files: a scan takes ${scan.toFixed(2)} s (at most ${WANTED.scanSeconds}: ${verdict(scan < WANTED.scanSeconds)}), the first two after the start ${first.sum.toFixed(1)} s together; idle at an interval of ${idleSeconds} s the process uses ${percent.toFixed(2)} % of a core over ${seconds.toFixed(0)} s (at most ${WANTED.idlePercent}: ${verdict(percent < WANTED.idlePercent)}); resident memory ${((await bench.memoryBytes()) / MB).toFixed(0)} MB`,
  );
  if ((await countDocuments(bench)) > 0) throw new Error('files that the ledger knows were taken in');
}

// ---- memory -----------------------------------------------------------------------------------------------------------------

async function measureMemory(bench: BenchWatcher, { memoryFiles }: Sizes): Promise<void> {
  await bench.start({ WATCH_INTERVAL_SECONDS: '5' });
  await writeFile(join(bench.watch, 'first.txt'), 'so that everything has been used once');
  await untilTaken(bench, 1);
  const before = await bench.memoryBytes();
  const source = join(bench.folder, 'source');
  await fillFolder(source, memoryFiles);
  execFileSync('cp', ['-r', source, join(bench.watch, 'in')]);
  await rm(source, { recursive: true });
  let peak = before;
  await waitFor(
    async () => {
      peak = Math.max(peak, await bench.memoryBytes());
      return (await countDocuments(bench)) > memoryFiles;
    },
    { description: 'all files to be taken in', limitMs: LIMIT_MS, everyMs: 100 },
  );
  const more = (peak - before) / MB;
  console.log(
    `${memoryFiles} new files: resident memory ${(before / MB).toFixed(0)} MB before, ${(peak / MB).toFixed(0)} MB at most, ${more.toFixed(0)} MB more (at most ${WANTED.memoryMb}: ${verdict(more < WANTED.memoryMb)})`,
  );
}
