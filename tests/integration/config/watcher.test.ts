// What variables of the watch folders, the alerts, the probes and the log do: a watcher as it is started, with all of them set.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtempDisposable, readdir, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { supervisionMessage } from '@sheaf/process';
import { LocalStorage, searchableKey, thumbnailKey } from '@sheaf/storage';
import { CODE_CACHE_ENVIRONMENT, givenDocument, givenUser, openTestDatabase } from '@sheaf/testkit';
import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../support/free-port.ts';
import { fullOnly } from '../../support/full-run.ts';
import { waitFor } from '../../support/wait-for.ts';

/** A watcher with this environment, up and running; what it writes comes with it. */
const startWatcher = async (t: ExecutionContext, cwd: string, env: Readonly<Record<string, string>>) => {
  const child = fork(join(import.meta.dirname, '../../../apps/watcher/src/main.ts'), [], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { PATH: process.env['PATH'], ...CODE_CACHE_ENVIRONMENT, PROBE_PORT_BASE: '0', ...env },
  });
  t.teardown(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the watcher ended: ${output}`);
  });
  const [message] = await Promise.race([once(child, 'message'), ended]);
  return { probe: supervisionMessage.parse(message), output: () => output };
};

const HOUR = 3_600_000;
const DAYS_AGO = new Date(Date.now() - 72 * HOUR);

test('the watch folders are what their variables say', async (t) => {
  await using database = await openTestDatabase();
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-variables-'));
  t.teardown(() => folder.remove()); // after the watcher has ended
  const at = (...names: string[]): string => join(folder.path, ...names);
  await givenUser(database.db, { role: 'admin', username: 'root' });
  const anna = await givenUser(database.db, { role: 'editor', username: 'anna' });
  const berta = await givenUser(database.db, { role: 'editor', username: 'berta' });
  for (const name of [at('in', 'below'), at('people', 'berta')]) await mkdir(name, { recursive: true });
  const texts = { 'taken.txt': 'a', 'old.txt': 'b', 'other.text': 'c', 'left.bak.txt': 'd', 'below/deep.txt': 'e' };
  for (const [name, text] of Object.entries(texts)) await writeFile(at('in', name), text);
  await utimes(at('in', 'old.txt'), DAYS_AGO, DAYS_AGO);
  await writeFile(at('people', 'berta', 'hers.txt'), 'f');
  const { output } = await startWatcher(t, folder.path, {
    DATABASE_URL: database.url.reveal(),
    WATCH_FOLDER: at('in'),
    WATCH_FOLDER_OWNER: 'anna',
    WATCH_INTERVAL_SECONDS: '1',
    FILE_STABILITY_CHECK_MS: '100',
    MAX_FILE_AGE_HOURS: '100',
    WATCH_RECURSIVE: 'false',
    WATCH_FILE_PATTERNS: '*.txt',
    WATCH_IGNORE_PATTERNS: '*.bak.*',
    ENABLE_PER_USER_WATCH: 'true',
    USER_WATCH_BASE_DIR: at('people'),
    MOVE_AFTER_PROCESSING: 'true',
    PROCESSED_FILES_DIR: at('done'),
    LOG_FORMAT: 'json',
    LOG_LEVEL: 'warn',
  });
  const ledger = async () =>
    (await database.pool.query<{ path: string; state: string; owner_id: string }>('select path, state, owner_id from ingest_ledger')).rows;
  const processed = async (): Promise<string[]> =>
    (await readdir(at('done'), { recursive: true }).catch((): string[] => [])).toSorted((a, b) => (a < b ? -1 : 1));
  await waitFor(async () => (await processed()).includes('berta/hers.txt') && (await processed()).includes('old.txt'), {
    description: () => `the files to be moved; so far ${output()}`,
    limitMs: 20_000,
  });
  await waitFor(async () => (await processed()).includes('taken.txt'), { description: 'the third file to be moved', limitMs: 20_000 });
  t.deepEqual(await processed(), ['berta', 'berta/hers.txt', 'old.txt', 'taken.txt']);
  const rows = await ledger();
  const owners = rows.filter(({ state }) => state === 'ingested').map(({ path, owner_id }) => `${path} ${owner_id}`);
  t.deepEqual(owners.toSorted(), [`berta/hers.txt ${berta.id}`, `old.txt ${anna.id}`, `taken.txt ${anna.id}`].toSorted());
  t.false(
    rows.some(({ path }) => path.includes('deep.txt')),
    'the folder below is not entered',
  );
  const noted = (name: string): string | undefined => rows.find(({ path }) => path === name)?.state;
  t.not(noted('other.text'), 'ingested');
  t.not(noted('left.bak.txt'), 'ingested');
  const levels = output()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { level: unknown }).level);
  t.false(levels.includes('info'), output());
});

fullOnly(test)(
  'alerts come by their thresholds and in their interval, probes answer at their address, and folders are scanned in theirs',
  async (t) => {
    await using database = await openTestDatabase();
    const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-variables-'));
    t.teardown(() => folder.remove()); // after the watcher has ended
    await givenUser(database.db, { role: 'admin', username: 'root' });
    await mkdir(join(folder.path, 'watch'));
    await writeFile(join(folder.path, 'watch/fresh.txt'), 'a');
    const base = await freePort();
    const { probe, output } = await startWatcher(t, folder.path, {
      DATABASE_URL: database.url.reveal(),
      PROBE_HOST: '127.0.0.4',
      PROBE_PORT_BASE: String(base),
      PROCESS_INSTANCE: '3',
      WATCH_INTERVAL_SECONDS: '1',
      FILE_STABILITY_CHECK_MS: '3600000',
      HEALTH_CHECK_INTERVAL: '1',
      CPU_WARNING_THRESHOLD: '0',
      MEMORY_WARNING_THRESHOLD: '0',
      DISK_WARNING_THRESHOLD: '0',
    });
    t.deepEqual([probe.probe_host, probe.probe_port], ['127.0.0.4', base + 10 + 3]);
    t.is((await fetch(`http://127.0.0.4:${probe.probe_port}/ready`)).status, 200);
    t.regex(output(), /watcher\.3/);
    const raised = async (): Promise<string[]> =>
      (await database.pool.query<{ component: string }>('select component from alerts')).rows.map(({ component }) => component);
    const isRaised = async () =>
      (
        await Promise.all(['cpu', 'memory', 'disk'].map(async (name) => (await raised()).some((component) => component.startsWith(name))))
      ).every(Boolean);
    await waitFor(isRaised, {
      description: async () => `alerts of all three kinds; so far ${JSON.stringify(await raised())}`,
      limitMs: 20_000,
    });
    const metrics = async (): Promise<string> => (await fetch(`http://127.0.0.4:${probe.probe_port}/metrics`)).text();
    await waitFor(async () => /^sheaf_watch_scan_duration_seconds_count\{.*\} ([5-9]|\d\d)/m.test(await metrics()), {
      description: 'the fifth scan of a folder in which nothing happens',
      limitMs: 20_000,
    });
    const { rows } = await database.pool.query(`select path from ingest_ledger where state = 'ingested'`);
    t.deepEqual(rows, [], 'a file is not stable for an hour yet');
  },
);

test('THUMBNAIL_CACHE_MB and SEARCHABLE_PDF_CACHE_MB are how many of these stay stored, the newest ones', async (t) => {
  await using database = await openTestDatabase();
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-variables-'));
  t.teardown(() => folder.remove()); // after the watcher has ended
  await givenDocument(database.db, { ownerId: (await givenUser(database.db)).id });
  const storage = new LocalStorage({ path: join(folder.path, 'uploads'), thumbnailPath: join(folder.path, 'uploads/thumbnails') });
  const letters = ['a', 'b', 'c'];
  const thumbnails = letters.map((letter) => thumbnailKey(letter.repeat(64), '200x200.webp'));
  const pdfs = letters.map((letter) => searchableKey(letter.repeat(64), '0'.repeat(32)));
  for (const [i, key] of [...thumbnails.entries(), ...pdfs.entries()]) {
    const { path } = await storage.put(key, Readable.from([Buffer.alloc(600_000)]));
    const then = new Date(Date.now() - 2 * i * HOUR);
    await utimes(path, then, then);
  }
  await startWatcher(t, folder.path, {
    DATABASE_URL: database.url.reveal(),
    UPLOAD_PATH: join(folder.path, 'uploads'),
    THUMBNAIL_CACHE_MB: '1',
    SEARCHABLE_PDF_CACHE_MB: '1',
  });
  const stored = (keys: readonly string[]) => Promise.all(keys.map(async (key) => (await storage.stat(key)) !== undefined));
  await waitFor(async () => (await stored(pdfs))[2] === false, { description: 'the oldest PDF to be removed', limitMs: 30_000 });
  for (const keys of [thumbnails, pdfs]) t.deepEqual(await stored(keys), [true, false, false]);
});
