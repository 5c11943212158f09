import { mkdtempDisposable } from 'node:fs/promises';
import { join } from 'node:path';
import { readMigrations } from '@sheaf/db/migrations';
import { Scrubber } from '@sheaf/ingest/testing/integrity';
import { constant, silentLogger } from '@sheaf/process';
import { ADMINISTRATORS } from '../support/notification-policies.ts';
import { type Instance, runCommand, storageOf, timed } from './stored-library.ts';

/** A scrub takes as long for each file, however many there are, and is not made to be fast. */
const MAX_SCRUBBED = 5_000;
/** Migrations that are taken back and applied again: about those of a release. */
const MIGRATIONS = 10;

/** Reads some stored files; its clock goes on by the pauses that it would make. */
const scrub = async (instance: Instance, files: number): Promise<void> => {
  const { pool, db } = instance.database;
  await pool.query('delete from stored_file_checks');
  let nowMs = Date.now();
  let readFiles = 0;
  const clock = { now: () => new Date(nowMs) };
  const metrics = { read: () => void (readFiles += 1), seen: () => {} };
  const scrubber = new Scrubber(
    { db, alerts: ADMINISTRATORS, storage: storageOf(instance), clock, log: silentLogger(), metrics },
    { periodMs: constant(1), maxBytesPerSecond: Number.MAX_SAFE_INTEGER, secondLookMs: 0 },
  );
  const { signal } = new AbortController();
  const hasReadAll = (): boolean => readFiles >= files;
  for (let steps = 0; steps < 2 * files && !hasReadAll(); steps += 1) nowMs += Math.max(1, await scrubber.step(signal));
  if (!hasReadAll()) throw new Error(`the scrub read ${readFiles} files of ${files}`);
};

/**
 * What looking after a library of so many documents costs, whose files are all there. Backups are made in a folder beside it, and removed.
 */
export const measureUpkeep = async (instance: Instance, documents: number, figures: Map<string, number>): Promise<void> => {
  await using backups = await mkdtempDisposable(join(instance.folder, 'backups-'));
  const perSecond = (seconds: number): number => documents / seconds;
  const run = async (name: string, args: readonly string[]): Promise<void> =>
    void figures.set(name, perSecond((await runCommand('sheaf', args, instance, backups.path)).seconds));
  const scrubbed = Math.min(documents, MAX_SCRUBBED);
  figures.set('scrub without a pause, files/s', scrubbed / (await timed(() => scrub(instance, scrubbed))).seconds);
  const newest = (await readMigrations()).at(-1)?.version ?? 0;
  const down = await runCommand('migrate', ['down', '--to', String(newest - MIGRATIONS)], instance, backups.path);
  figures.set(`${MIGRATIONS} migrations down, s`, down.seconds);
  figures.set(`${MIGRATIONS} migrations up, s`, (await runCommand('migrate', ['up'], instance, backups.path)).seconds);
  await run('backup of everything, documents/s', ['backup', '--full']);
  await run('backup with nothing new, documents/s', ['backup']);
  await run('verify --fast, documents/s', ['verify', '--fast']);
  await run('verify, documents/s', ['verify']);
};
