import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readMigrations } from '@sheaf/db/migrations';
import { Scrubber } from '@sheaf/integrity/internals';
import { constant, silentLogger } from '@sheaf/process';
import { foldTermStatistics, indexDocuments } from '@sheaf/search';
import { ADMINISTRATORS } from '../support/notification-policies.ts';
import { machineLine } from './machine.ts';
import { PrintedFigures } from './printed-figures.ts';
import { openScratchDatabase } from './scratch-database.ts';
import { type DocumentSize, fillStored, type Instance, runCommand, storageOf, timed } from './stored-library.ts';

const SIZES = [10_000, 100_000];
const DOCUMENT: DocumentSize = { fileBytes: 2_000, pages: 1, pageWords: 100 };
const INDEXED_TOGETHER = 100;
/** Migrations that are taken back and applied again: about those of a release. */
const MIGRATIONS = 10;

const indexAll = async ({ db, pool }: Instance['database']): Promise<void> => {
  const { rows } = await pool.query<{ id: string }>(
    'select id from documents where not exists (select from document_search where document_id = documents.id)',
  );
  for (let at = 0; at < rows.length; at += INDEXED_TOGETHER)
    await db.transaction((tx) =>
      indexDocuments(
        tx,
        rows.slice(at, at + INDEXED_TOGETHER).map(({ id }) => id),
      ),
    );
  await foldTermStatistics(db);
  await pool.query('vacuum analyze');
};

/** Reads as many stored files as there are documents; its clock goes on by the pauses that it would make. */
const scrubAll = async (instance: Instance, documents: number): Promise<void> => {
  const { pool, db } = instance.database;
  await pool.query('delete from stored_file_checks');
  let nowMs = Date.now();
  let readBytes = 0;
  const clock = { now: () => new Date(nowMs) };
  const metrics = { read: (bytes: number) => void (readBytes += bytes), seen: () => {} };
  const scrubber = new Scrubber(
    { db, alerts: ADMINISTRATORS, storage: storageOf(instance), clock, log: silentLogger(), metrics },
    { periodMs: constant(1), maxBytesPerSecond: Number.MAX_SAFE_INTEGER, secondLookMs: 0 },
  );
  const { signal } = new AbortController();
  const hasReadAll = (): boolean => readBytes >= documents * DOCUMENT.fileBytes;
  for (let steps = 0; steps < 2 * documents && !hasReadAll(); steps += 1) nowMs += Math.max(1, await scrubber.step(signal));
  if (!hasReadAll()) throw new Error(`the scrub read ${readBytes} bytes of ${documents} files`);
};

const measure = async (instance: Instance, backups: string, documents: number, figures: PrintedFigures): Promise<void> => {
  const perSecond = (seconds: number): number => documents / seconds;
  const run = async (name: string, args: readonly string[]): Promise<void> =>
    void figures.set(name, perSecond((await runCommand('sheaf', args, instance, backups)).seconds));
  await run('backup of everything, documents/s', ['backup', '--full']);
  await run('backup with nothing new, documents/s', ['backup']);
  await run('verify --fast, documents/s', ['verify', '--fast']);
  await run('verify, documents/s', ['verify']);
  figures.set('scrub, documents/s', perSecond((await timed(() => scrubAll(instance, documents))).seconds));
  const newest = (await readMigrations()).at(-1)?.version ?? 0;
  const down = await runCommand('migrate', ['down', '--to', String(newest - MIGRATIONS)], instance, backups);
  figures.set(`${MIGRATIONS} migrations down, s`, down.seconds);
  figures.set(`${MIGRATIONS} migrations up, s`, (await runCommand('migrate', ['up'], instance, backups)).seconds);
};

/**
 * How the costs of looking after a library grow: `pnpm bench upkeep [documents...]`, sizes in rising order. Small documents, so that what is
 * counted are documents and not bytes.
 */
export const run = async (args: readonly string[] = []): Promise<void> => {
  const { positionals } = parseArgs({ args: [...args], allowPositionals: true });
  console.log(`documents of ${DOCUMENT.fileBytes} bytes and ${DOCUMENT.pageWords} words; ${machineLine()}`);
  await using database = await openScratchDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-bench-upkeep-'));
  try {
    const instance: Instance = { database, folder };
    let first = new Map<string, number>();
    let from = 0;
    for (const size of positionals.length > 0 ? positionals.map(Number) : SIZES) {
      const filled = await timed(() => fillStored(instance, from, size, DOCUMENT));
      const indexed = await timed(() => indexAll(database));
      console.log(
        `${size} documents, filled in ${filled.seconds.toFixed(0)} s, indexed in ${indexed.seconds.toFixed(0)} s; load ${(loadavg()[0] ?? 0).toFixed(1)}`,
      );
      const backups = join(folder, `backups-${size}`);
      await mkdir(backups);
      const figures = new PrintedFigures(first);
      await measure(instance, backups, size, figures);
      await rm(backups, { recursive: true });
      if (first.size === 0) first = figures;
      from = size;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
