import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compareTables, openBackup } from '@sheaf/backup';
import { documentKey } from '@sheaf/storage';
import { givenDocument, givenUser, isFullRun } from '@sheaf/testkit';
import test from 'ava';
import { Client } from 'pg';
import { waitFor } from '../../support/wait-for.ts';
import { type BackedUpLibrary, hashOf, openBackedUpLibrary, WORD } from './library.ts';
import { openRestoreTarget, type RestoreTarget } from './restore-target.ts';

const run = promisify(execFile);
const SCRIPT = join(import.meta.dirname, '../../fixtures/backup/killed-restore.ts');
const EARLIER = 'what was here before';

/** A document that exists already, and one that is damaged. */
const fillTarget = async ({ database, storage }: RestoreTarget): Promise<void> => {
  const owner = await givenUser(database.db, { username: 'earlier' });
  const sha256 = hashOf(EARLIER);
  const { path } = await storage.put(documentKey(sha256), Buffer.from(EARLIER));
  await givenDocument(database.db, { ownerId: owner.id, sha256, filePath: path });
  await storage.put(documentKey(hashOf('one')), Buffer.from('eno'));
};

const hashesOf = async ({ database }: RestoreTarget): Promise<string[]> =>
  (await database.pool.query<{ sha256: string }>('select sha256 from documents order by sha256')).rows.map(({ sha256 }) => sha256);

/** Whether rows and table definitions are those of before: a document of it can be found, and there is nothing else. */
const isAsBefore = async (target: RestoreTarget): Promise<boolean> => (await hashesOf(target)).join() === hashOf(EARLIER);

const ALL_POINTS: readonly (readonly [point: string, nth: number])[] = [
  ['while it checks', 2],
  ['before storing', 1],
  ['after storing', 1],
  ['before replacing', 1],
  ['after replacing', 1],
  ['before reading back', 2],
  ['after a file', 2],
  ['before emptying', 1],
  ['before taking indexes off', 3],
  ['after a table', 1],
  ['after a table', 12],
  ['before making indexes', 2],
  ['before settling', 1],
  ['before analysing', 2],
  ['before the commit', 1],
  ['after the commit', 1],
];
// the usual run kills on both sides of the commit
const POINTS = ALL_POINTS.filter(([point]) => isFullRun || point.endsWith('the commit'));

interface BackedUp {
  readonly library: BackedUpLibrary;
  readonly path: string;
  readonly hashes: readonly string[];
}

// one backup for all: restoring reads it and nothing else
let backedUp: BackedUp | undefined;
test.before(async () => {
  const library = await openBackedUpLibrary();
  const documents = [await library.add('one'), await library.add('two'), await library.add('three', { mimeType: WORD, preview: 'pdf' })];
  backedUp = { library, path: (await library.backup()).path, hashes: documents.map(({ sha256 }) => sha256).toSorted() };
});
test.after.always(async () => backedUp?.library[Symbol.asyncDispose]());

for (const [point, nth] of POINTS) {
  test(`killed ${point}, time ${nth}: the old documents are there whole, or the new ones, and the next restore finishes`, async (t) => {
    if (backedUp === undefined) return t.fail();
    const { path, hashes } = backedUp;
    await using target = await openRestoreTarget();
    await fillTarget(target);
    const killed = run(process.execPath, [SCRIPT, target.database.url.reveal(), path, join(target.folder, 'uploads'), point, String(nth)]);
    t.like(await t.throwsAsync(killed), { signal: 'SIGKILL' });

    if (point === 'after the commit') t.deepEqual(await hashesOf(target), [...hashes]);
    else t.true(await isAsBefore(target));
    t.is(await target.storedHash(hashOf(EARLIER)), hashOf(EARLIER));
    if (point === 'after the commit') for (const hash of hashes) t.is(await target.storedHash(hash), hash);

    await using backup = await openBackup(path);
    // its connections, and with them its locks, end a moment after it
    await waitFor(async () => (await sessionsOf(target)) === 0, { description: 'the sessions of the dead to end', limitMs: 30_000 });
    await target.restore(backup, { isForced: true });
    t.deepEqual(await hashesOf(target), [...hashes]);
    for (const hash of hashes) t.is(await target.storedHash(hash), hash);
    const client = new Client({ connectionString: target.database.url.reveal() });
    await client.connect();
    try {
      const unchanged = backup.manifest.database.tables.filter(({ name }) => !['documents', 'audit_log', 'sessions'].includes(name));
      t.deepEqual(await compareTables(client, unchanged, new AbortController().signal), []);
    } finally {
      await client.end();
    }
  });
}

const sessionsOf = async ({ database: { pool } }: RestoreTarget): Promise<number> =>
  (await pool.query(`select from pg_stat_activity where datname = current_database() and application_name like 'sheaf restore%'`))
    .rowCount ?? 0;
