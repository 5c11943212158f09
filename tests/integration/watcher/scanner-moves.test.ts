import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { constant, uuidv7 } from '@sheaf/process';
import { givenUser } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { makeNotedLogger } from '../../support/noted-logger.ts';
import { openWatchBench, type WatchBench } from './fixture.ts';

const test = anyTest as TestFn<WatchBench>;

test.beforeEach(async (t) => {
  t.context = await openWatchBench();
  await givenUser(t.context.db, { role: 'admin' });
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const moved = async ({ database }: WatchBench): Promise<string[]> => {
  const { rows } = await database.pool.query('select path, moved_to from ingest_ledger order by path');
  return rows.map(({ path, moved_to }) => `${path} -> ${moved_to}`);
};

test('a file is moved once its document is there, below its folders, and the ledger says where to', async (t) => {
  const { makeScanner, drop, processed, watch, titles, ledger } = t.context;
  const { scan } = makeScanner({ moves: true });
  await drop('in/May/a.txt', 'a');
  await scan();
  t.is(await readFile(join(processed, 'in/May/a.txt'), 'utf8'), 'a');
  t.false(existsSync(join(watch, 'in/May/a.txt')));
  t.deepEqual(await moved(t.context), ['in/May/a.txt -> in/May/a.txt']);
  t.deepEqual(await titles(), ['a']);
  await scan();
  t.deepEqual(await ledger(), ['in/May/a.txt ingested']);
});

test('a file of a user is moved below the name of their directory', async (t) => {
  const { makeScanner, db, folder, processed } = t.context;
  const path = join(folder, 'anna');
  await mkdir(join(path, 'in'), { recursive: true });
  await writeFile(join(path, 'in/a.txt'), 'a');
  await writeFile(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0xe4]), Buffer.from('.txt')]), 'b');
  const owner = { id: (await givenUser(db, { username: 'anna' })).id };
  await makeScanner({ route: 'user_watch', moves: true, findRoots: async () => [{ path, ledgerPrefix: 'anna/', owner }] }).scan();
  t.is(await readFile(join(processed, 'anna/in/a.txt'), 'utf8'), 'a');
  t.is(await readFile(Buffer.concat([Buffer.from(`${processed}/anna/`), Buffer.from([0xe4]), Buffer.from('.txt')]), 'utf8'), 'b');
  t.deepEqual(await moved(t.context), ['anna/\\xe4.txt -> anna/\\xe4.txt', 'anna/in/a.txt -> anna/in/a.txt']);
});

test('a duplicate is moved too, beside the first one', async (t) => {
  const { makeScanner, drop, processed } = t.context;
  const { scan } = makeScanner({ moves: true });
  await drop('a.txt', 'same');
  await scan();
  await drop('a.txt', 'same');
  await drop('b.txt', 'same');
  await scan();
  for (const name of ['a.txt', 'a-1.txt', 'b.txt']) t.true(existsSync(join(processed, name)), name);
});

test('files that were imported before moving was enabled are moved then; those without a document stay', async (t) => {
  const { makeScanner, drop, processed, watch, database, scan } = t.context;
  await drop('a.txt', 'a');
  await drop('deleted.txt', 'deleted');
  await drop('ignored.exe', 'x');
  await drop('changed.txt', 'before');
  await scan();
  await database.pool.query("delete from documents where title = 'deleted'");
  const later = makeScanner({ moves: true, stabilityMs: constant(3_600_000) });
  await writeFile(join(watch, 'changed.txt'), 'after, and not taken in yet');
  await later.scanner.scan(new AbortController().signal);
  await later.scanner.scan(new AbortController().signal);
  t.true(existsSync(join(processed, 'a.txt')));
  for (const name of ['deleted.txt', 'ignored.exe', 'changed.txt']) t.true(existsSync(join(watch, name)), name);
});

test('a file that comes back with its old time of modification is moved again and is no second document', async (t) => {
  const { makeScanner, drop, processed, watch, titles } = t.context;
  const { scan } = makeScanner({ moves: true });
  const at = new Date(Date.now() - 60_000);
  await utimes(await drop('a.txt', 'a'), at, at);
  await scan();
  await utimes(await drop('a.txt', 'a'), at, at);
  await scan();
  t.false(existsSync(join(watch, 'a.txt')));
  t.true(existsSync(join(processed, 'a.txt')));
  t.deepEqual(await titles(), ['a']);
});

test('what cannot be moved costs nothing else, is told once, and is moved when it can be', async (t) => {
  const { makeScanner, drop, processed, watch, ledger } = t.context;
  const { log, lines } = makeNotedLogger();
  const { scan, scanner } = makeScanner({ moves: true, log });
  await writeFile(processed, 'a file where the folder should be');
  await drop('a.txt', 'a');
  await drop('b.txt', 'b');
  for (let n = 0; n < 3; n += 1) await scan();
  t.deepEqual(await ledger(), ['a.txt ingested', 'b.txt ingested']);
  t.true(existsSync(join(watch, 'a.txt')));
  t.is(lines.filter((line) => line.includes('cannot be moved')).length, 1);
  const { status, problems } = scanner.health();
  t.is(status, 'warning');
  t.like(problems, [{ code: 'files_not_moved', details: { files: 2 } }]);
  await rm(processed);
  await scan();
  t.true(existsSync(join(processed, 'a.txt')) && existsSync(join(processed, 'b.txt')));
  t.deepEqual(scanner.health(), { status: 'healthy' });
});

test('a file whose document was deleted before it could be moved stays', async (t) => {
  const { makeScanner, drop, processed, watch, database, ledger } = t.context;
  const { scan } = makeScanner({ moves: true });
  await writeFile(processed, 'a file where the folder should be');
  await drop('a.txt', 'a');
  await scan();
  await database.pool.query('delete from documents');
  await rm(processed);
  await scan();
  await scan();
  t.true(existsSync(join(watch, 'a.txt')));
  t.deepEqual(await ledger(), ['a.txt ingested']);
});

for (const moves of [true, false])
  test(`the folder of processed files inside the watched one is not read, by whatever name, with moving ${moves ? 'on' : 'off'}`, async (t) => {
    const { makeScanner, drop, watch, folder, ledger } = t.context;
    const processedFolder = join(watch, 'archive');
    await drop('archive/old.txt', 'old');
    await drop('in/new.txt', 'new');
    await symlink(folder, join(folder, 'door'));
    const { scan } = makeScanner({ moves, processedFolder: join(folder, 'door/watch/archive') });
    await scan();
    await scan();
    t.deepEqual(await ledger(), ['in/new.txt ingested']);
    t.is(existsSync(join(processedFolder, 'in/new.txt')), moves);
  });

for (const moves of [true, false])
  test(`what a killed move left beside its file is restored and taken up again, with moving ${moves ? 'on' : 'off'}`, async (t) => {
    const { makeScanner, drop, watch, processed, ledger } = t.context;
    await drop('in/a.txt', 'a');
    await t.context.scan();
    const left = join(watch, `in/.sheaf-moving-${uuidv7()}`);
    await mkdir(left);
    await rename(join(watch, 'in/a.txt'), join(left, 'a.txt'));
    const { scan } = makeScanner({ moves });
    await scan();
    await scan();
    t.is(existsSync(join(moves ? processed : watch, 'in/a.txt')), true);
    t.false(existsSync(left));
    t.deepEqual(await ledger(), ['in/a.txt ingested']);
  });
