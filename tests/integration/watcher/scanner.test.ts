import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { appendFile, chmod, mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@sheaf/contract';
import { sleep } from '@sheaf/process';
import { givenUser } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { waitFor } from '../../support/wait-for.ts';
import { openWatchBench, STABILITY_MS, type WatchBench } from './fixture.ts';

const test = anyTest as TestFn<WatchBench>;

test.beforeEach(async (t) => {
  t.context = await openWatchBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const givenAdmin = ({ db }: WatchBench) => givenUser(db, { role: 'admin' });

test('a file that is stable becomes a document of the first administrator, once', async (t) => {
  const { scan, drop, ledger, titles, database, watch } = t.context;
  const admin = await givenAdmin(t.context);
  await drop('letters/Alder notice.txt', 'alder');
  t.is((await scan()).taken, 1);
  t.is((await scan()).taken, 0);
  t.is((await t.context.makeScanner().scan()).taken, 0, 'a restarted watcher');
  t.deepEqual(await titles(), ['Alder notice']);
  t.deepEqual(await ledger(), ['letters/Alder notice.txt ingested']);
  const { rows } = await database.pool.query('select owner_id, source from documents');
  t.deepEqual(rows, [{ owner_id: admin.id, source: 'watch' }]);
  t.true(existsSync(join(watch, 'letters/Alder notice.txt')));
});

test('a watch folder that is absent is made, and made again', async (t) => {
  await givenAdmin(t.context);
  await rm(t.context.watch, { recursive: true });
  await t.context.scan();
  await rm(t.context.watch, { recursive: true });
  await t.context.scan();
  await t.context.drop('a.txt', 'a');
  t.is((await t.context.scan()).taken, 1);
});

test('a file that grows is not taken, and is taken when it has stopped', async (t) => {
  await givenAdmin(t.context);
  const path = await t.context.drop('growing.txt', 'first line\n');
  const stop = new AbortController();
  const writing = (async () => {
    while (await sleep(STABILITY_MS / 4, stop.signal)) await appendFile(path, 'another line\n');
  })();
  await t.context.scan();
  await t.context.scan();
  t.deepEqual(await t.context.ledger(), ['growing.txt waiting being_written']);
  stop.abort();
  await writing;
  await t.context.scan();
  t.deepEqual(await t.context.ledger(), ['growing.txt ingested']);
  const { rows } = await t.context.database.pool.query('select size_bytes::int from documents');
  t.deepEqual(rows, [{ size_bytes: statSync(path).size }]);
});

test('a file that changes while it is read is thrown away and tried again', async (t) => {
  const { ingest, makeScanner, drop, ledger } = t.context;
  await givenAdmin(t.context);
  const path = await drop('a.txt', 'first'.repeat(120_000)); // a file that is read in several pieces
  let receiving = 0;
  const temp = Object.create(ingest.temp, {
    makeFile: {
      value: async () => {
        receiving += 1;
        if (receiving === 1) await writeFile(path, 'second and longer');
        return ingest.temp.makeFile();
      },
    },
  });
  const scanner = makeScanner({}, { temp });
  await scanner.scan();
  t.deepEqual(await ledger(), []);
  await scanner.scan();
  t.deepEqual(await ledger(), ['a.txt ingested']);
  const { rows } = await t.context.database.pool.query('select size_bytes::int from documents');
  t.deepEqual(rows, [{ size_bytes: 17 }]);
});

test('while no administrator exists a file waits, however often it is seen, and is then taken though it grew old', async (t) => {
  const { scan, drop, ledger, database, makeScanner } = t.context;
  const path = await drop('a.txt', 'a');
  await scan();
  const { rows } = await database.pool.query('select updated_at, (select count(*)::int from events) as events from ingest_ledger');
  await scan();
  const again = await database.pool.query('select updated_at, (select count(*)::int from events) as events from ingest_ledger');
  t.deepEqual(again.rows, rows, 'written once');
  t.deepEqual(await ledger(), ['a.txt waiting no_owner_yet']);
  const longAgo = new Date(Date.now() - 48 * 3_600_000);
  await utimes(path, longAgo, longAgo);
  await givenAdmin(t.context);
  await makeScanner().scan();
  t.deepEqual(await ledger(), ['a.txt ingested']);
});

test('a named owner owns what is found', async (t) => {
  const { db, makeScanner, drop, database } = t.context;
  await givenAdmin(t.context);
  const owner = await givenUser(db, { role: 'editor', username: 'archive' });
  await drop('a.txt', 'a');
  await makeScanner({ owner: 'archive' }).scan();
  t.deepEqual((await database.pool.query('select owner_id from documents')).rows, [{ owner_id: owner.id }]);
});

test('what is not for us is in the ledger with its reason, once, and is taken when it changes', async (t) => {
  const { scan, drop, ledger, watch, database } = t.context;
  await givenAdmin(t.context);
  await drop('program.exe', 'x');
  await drop('.hidden.txt', 'x');
  await drop('empty.txt', '');
  await drop('large.txt', Buffer.alloc(1024 * 1024 + 1, 'x'));
  await drop('false.pdf', 'no pdf');
  const old = await drop('old.txt', 'x');
  const longAgo = new Date(Date.now() - 48 * 3_600_000);
  await utimes(old, longAgo, longAgo);
  await symlink('/etc/passwd', join(watch, 'link.txt'));
  execFileSync('mkfifo', [join(watch, 'fifo.txt')]);
  await scan();
  t.deepEqual(await ledger(), [
    '.hidden.txt ignored ignored_name',
    'empty.txt ignored empty',
    'false.pdf ignored type_mismatch',
    'fifo.txt ignored not_a_file',
    'large.txt ignored too_large',
    'link.txt ignored symbolic_link',
    'old.txt ignored too_old',
    'program.exe ignored unknown_type',
  ]);
  const events = async () => (await database.pool.query('select count(*)::int as n from events')).rows[0].n;
  const before = await events();
  await scan();
  await t.context.makeScanner().scan();
  t.is(await events(), before);

  await writeFile(old, 'fresh text');
  await writeFile(join(watch, 'empty.txt'), 'now with words');
  await scan();
  t.deepEqual((await t.context.titles()).toSorted(), ['empty', 'old']);
});

test('folders that match an ignore pattern are not entered, nor any folder when that is not wanted', async (t) => {
  await givenAdmin(t.context);
  await t.context.drop('.git/a.txt', 'a');
  await t.context.drop('sub/b.txt', 'b');
  await t.context.drop('c.txt', 'c');
  await t.context.makeScanner({ recursive: false }).scan();
  t.deepEqual(await t.context.titles(), ['c']);
  await t.context.scan();
  t.deepEqual(await t.context.titles(), ['b', 'c']);
});

test('a linked folder is not entered', async (t) => {
  await givenAdmin(t.context);
  await mkdir(join(t.context.folder, 'outside'));
  await writeFile(join(t.context.folder, 'outside/secret.txt'), 'secret');
  await symlink(join(t.context.folder, 'outside'), join(t.context.watch, 'door'));
  await t.context.scan();
  t.deepEqual(await t.context.titles(), []);
});

test('the same content twice is one document and one duplicate', async (t) => {
  await givenAdmin(t.context);
  await t.context.drop('a.txt', 'same');
  await t.context.scan();
  await t.context.drop('b.txt', 'same');
  await t.context.scan();
  t.deepEqual(await t.context.titles(), ['a']);
  t.deepEqual(await t.context.ledger(), ['a.txt ingested', 'b.txt duplicate duplicate_file']);
});

test('a touched, renamed or copied file stays one document', async (t) => {
  const { drop, scan, titles, watch } = t.context;
  await givenAdmin(t.context);
  const path = await drop('a.txt', 'text');
  await scan();
  await utimes(path, new Date(), new Date());
  await scan();
  await rename(path, join(watch, 'b.txt'));
  await scan();
  await drop('a.txt', 'text');
  await scan();
  t.deepEqual(await titles(), ['a']);
});

test('hostile names are files like any other', async (t) => {
  await givenAdmin(t.context);
  const names = [
    'line\nbreak\ttab.txt',
    'invoice\u202Egpj.txt',
    '📄🧾.txt',
    `${'ü'.repeat(125)}a.txt`,
    'Größe.txt'.normalize('NFC'),
    'Größe.txt'.normalize('NFD'),
    'quote\'"$(x).txt',
  ];
  for (const [i, name] of names.entries()) await t.context.drop(name, `text ${i}`);
  // a name that is no UTF-8
  await writeFile(Buffer.concat([Buffer.from(`${t.context.watch}/latin-`), Buffer.from([0xe4, 0xfc]), Buffer.from('.txt')]), 'latin');
  t.is((await t.context.scan()).taken, names.length + 1);
  const { rows } = await t.context.database.pool.query<{ path: string }>('select path from ingest_ledger');
  const paths = rows.map(({ path }) => path);
  t.deepEqual(paths.toSorted(), [...names, 'latin-\\xe4\\xfc.txt'].toSorted());
});

test('a storage that does not work makes files wait, and everything is taken when it works, without another scan', async (t) => {
  await givenAdmin(t.context);
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await t.context.drop(`${name}.txt`, name);
  let works = false;
  const storage = Object.create(t.context.ingest.storage, {
    put: {
      value: (...args: Parameters<typeof t.context.ingest.storage.put>) =>
        works ? t.context.ingest.storage.put(...args) : Promise.reject(new AppError('SERVICE_UNAVAILABLE', 'full')),
    },
    stat: { value: (key: string) => t.context.ingest.storage.stat(key) },
  });
  const { scan, scanner } = t.context.makeScanner({}, { storage });
  await t.throwsAsync(scan(), { code: 'SERVICE_UNAVAILABLE' });
  const [line = ''] = await t.context.ledger();
  t.regex(line, /^[a-f].txt waiting storage_away: full$/);
  works = true;
  t.is(await scanner.takeDue(Number.POSITIVE_INFINITY, new AbortController().signal), 6);
});

test('an aborted scan ends soon and leaves nothing half done', async (t) => {
  await givenAdmin(t.context);
  for (let i = 0; i < 50; i += 1) await t.context.drop(`${i}.txt`, `text ${i}`);
  const abort = new AbortController();
  const scanning = t.context.makeScanner().scan(abort.signal);
  await waitFor(async () => (await t.context.titles()).length > 0, { description: 'the first document', limitMs: 20_000, everyMs: 2 });
  abort.abort();
  await scanning;
  const { rows } = await t.context.database.pool.query(
    "select (select count(*) from documents) = (select count(*) from ingest_ledger where state = 'ingested') as whole",
  );
  t.true(rows[0].whole);
});

const asUser = process.getuid?.() === 0 ? test.skip : test;
if (asUser !== test) process.stdout.write('tests of permissions are skipped: root may read everything\n');

asUser('a file that may not be read waits, and is taken when it may', async (t) => {
  await givenAdmin(t.context);
  const path = await t.context.drop('a.txt', 'a');
  await chmod(path, 0);
  await t.context.scan();
  t.regex((await t.context.ledger())[0] ?? '', /^a.txt waiting no_right/);
  await chmod(path, 0o600);
  await t.context.scan();
  t.deepEqual(await t.context.ledger(), ['a.txt ingested']);
});
