import { existsSync } from 'node:fs';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ledgerReason } from '@sheaf/contract/imports';
import { constant } from '@sheaf/process';
import { makeNamePatterns } from '@sheaf/storage/folders';
import { givenUser } from '@sheaf/testkit';
import type { WatchRoot } from '@sheaf/watcher/testing';
import anyTest, { type TestFn } from 'ava';
import { openWatchBench, type Scans, type WatchBench } from './fixture.ts';

interface Context {
  readonly bench: WatchBench;
  readonly base: string;
  /** The roots that the next scan finds. */
  readonly roots: WatchRoot[];
  readonly scans: Scans;
  readonly add: (name: string, owner?: WatchRoot['owner']) => Promise<WatchRoot>;
  readonly drop: (path: string, text: string) => Promise<void>;
}
const test = anyTest as TestFn<Context>;

// Folders of several users below one base.
test.beforeEach(async (t) => {
  const bench = await openWatchBench();
  const base = join(bench.folder, 'users');
  const roots: WatchRoot[] = [];
  const scans = bench.makeScanner({ route: 'user_watch', findRoots: async () => roots });
  await mkdir(base);
  t.context = {
    bench,
    base,
    roots,
    scans,
    add: async (name, owner) => {
      const root = {
        path: join(base, name),
        ledgerPrefix: `${name}/`,
        owner: owner ?? { id: (await givenUser(bench.db, { username: name })).id },
      };
      await mkdir(root.path);
      roots.push(root);
      return root;
    },
    drop: (path, text) => writeFile(join(base, path), text),
  };
});
test.afterEach.always((t) => t.context.bench[Symbol.asyncDispose]());

const owners = async ({ database }: WatchBench): Promise<string[]> => {
  const { rows } = await database.pool.query(
    'select title, username, source from documents join users on users.id = owner_id order by title, username',
  );
  return rows.map(({ title, username, source }) => `${title} ${username} ${source}`);
};

test('the directory decides who owns a file, also when two have the same content and the same path', async (t) => {
  const { bench, scans, add, drop } = t.context;
  await add('anna');
  await add('bert');
  await drop('anna/a.txt', 'same');
  await drop('bert/a.txt', 'same');
  t.is((await scans.scan()).taken, 2);
  t.deepEqual(await owners(bench), ['a anna user_watch', 'a bert user_watch']);
  t.deepEqual(await bench.ledger(), ['anna/a.txt ingested', 'bert/a.txt ingested']);
});

test('the folder of all and those of users do not mix', async (t) => {
  const { bench, scans, add, drop } = t.context;
  await givenUser(bench.db, { role: 'admin', username: 'root' });
  await add('anna');
  await drop('anna/a.txt', 'of anna');
  await bench.drop('anna/a.txt', 'of all');
  await scans.scan();
  await bench.scan();
  t.deepEqual(await owners(bench), ['a anna user_watch', 'a root watch']);
});

test('patterns judge the path below the root, not the name of the directory', async (t) => {
  const { bench, roots, add, drop } = t.context;
  await add('tmp');
  await mkdir(join(t.context.base, 'tmp/in'));
  await drop('tmp/in/a.txt', 'a');
  await drop('tmp/b.txt', 'b');
  const patterns = makeNamePatterns({ patterns: ['in/*.txt'], ignorePatterns: ['tmp', 'tmp/**'] });
  const rules = { patterns, allowedExtensions: ['txt'], maxBytes: 100, maxAgeMs: 0 };
  await bench.makeScanner({ route: 'user_watch', findRoots: async () => roots, rules: constant(rules) }).scan();
  t.deepEqual(await bench.ledger(), ['tmp/b.txt ignored unwanted_name', 'tmp/in/a.txt ingested']);
});

test('a root that is absent is skipped, not made, and keeps nobody else out', async (t) => {
  const { bench, scans, add, drop, base } = t.context;
  await add('anna');
  await add('bert');
  await drop('bert/b.txt', 'b');
  await rm(join(base, 'anna'), { recursive: true });
  await scans.scan();
  t.deepEqual(await bench.titles(), ['b']);
  t.false(existsSync(join(base, 'anna')));
  t.deepEqual(scans.scanner.health(), { status: 'healthy' });
});

test('a root that is gone for a while is known again when it is back', async (t) => {
  const { bench, scans, add, drop, base } = t.context;
  await add('anna');
  await drop('anna/a.txt', 'a');
  await scans.scan();
  const read = async () => (await bench.database.pool.query('select updated_at from ingest_ledger')).rows;
  const before = await read();
  await rename(join(base, 'anna'), join(base, 'unmounted'));
  await scans.scan();
  await rename(join(base, 'unmounted'), join(base, 'anna'));
  t.is((await scans.scan()).taken, 0);
  t.deepEqual(await read(), before);
});

test('a root that became a link is not read, wherever the link leads, and somebody is told', async (t) => {
  const { bench, scans, add, drop, base } = t.context;
  const { path } = await add('anna');
  await add('bert');
  await drop('bert/secret.txt', 'secret');
  t.context.roots.pop();
  await rm(path, { recursive: true });
  await symlink(join(base, 'bert'), path);
  await scans.scan();
  t.deepEqual(await bench.ledger(), []);
  t.is(scans.scanner.health().status, 'warning');
  await rm(path);
  await writeFile(path, 'a file in its place');
  await scans.scan();
  t.is(scans.scanner.health().status, 'warning');
});

test('while a root has no owner its files wait for the reason it gives', async (t) => {
  const { bench, scans, add, drop, roots } = t.context;
  const root = await add('anna', { missing: ledgerReason('owner_disabled', { username: 'anna' }) });
  await drop('anna/a.txt', 'a');
  await scans.scan();
  await scans.scan();
  t.deepEqual(await bench.ledger(), ['anna/a.txt waiting owner_disabled']);
  const { id } = await givenUser(bench.db, { username: 'anna' });
  roots.splice(0, 1, { ...root, owner: { id } });
  await scans.scan();
  t.deepEqual(await bench.ledger(), ['anna/a.txt ingested']);
});
