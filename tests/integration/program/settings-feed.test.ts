import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@sheaf/config';
import { silentLogger } from '@sheaf/process';
import { SettingsFeed } from '@sheaf/program';
import { readSystemSettings, writeSystemSettings } from '@sheaf/program/settings';
import { givenUser, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { makeNotedLogger } from '../../support/noted-logger.ts';
import { waitFor } from '../../support/wait-for.ts';

interface Context {
  readonly database: TestDatabase;
  readonly folder: string;
  readonly userId: string;
}

const test = anyTest as TestFn<Context>;

test.beforeEach(async (t) => {
  const database = await openTestDatabase();
  const { id: userId } = await givenUser(database.db, { role: 'admin' });
  t.context = { database, userId, folder: await mkdtemp(join(tmpdir(), 'sheaf-feed-')) };
});
test.afterEach.always(async ({ context: { database, folder } }) => {
  await database[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const openFeed = ({ database, folder }: Context, log = silentLogger()): SettingsFeed => {
  const loaded = loadConfig({ environment: { DATA_PATH: join(folder, 'data'), UPLOAD_PATH: join(folder, 'uploads') } });
  return new SettingsFeed({ loaded, database, log });
};

const store = ({ database: { db }, userId }: Context, changes: Record<string, unknown>): Promise<void> =>
  db.transaction((tx) => writeSystemSettings(tx, changes, userId));

test('a process takes up what is stored when it starts, and what is stored later as soon as it is told', async (t) => {
  await store(t.context, { ocr_oem: 0, rate_limit_per_minute: 5 });
  const feed = openFeed(t.context);
  const config = await feed.readAtStart();
  t.deepEqual([config.ocr.oem, config.rateLimit.perMinute], [0, 5]);
  const seen: number[] = [];
  feed.subscribe(({ rateLimit }) => seen.push(rateLimit.perMinute));
  const hash = feed.hash.current();
  await feed.start();
  await store(t.context, { ocr_oem: 1, rate_limit_per_minute: 9 });
  // by NOTIFY: the poll comes after half a minute
  await waitFor(() => seen.includes(9), { description: 'the new limit', limitMs: 20_000 });
  t.is(feed.current().ocr.oem, 0, 'it needs a start');
  t.not(feed.hash.current(), hash);
  await store(t.context, { rate_limit_per_minute: null });
  await waitFor(() => seen.at(-1) === 100, { description: 'the default again', limitMs: 20_000 });
  t.deepEqual(await readSystemSettings(t.context.database.db), { ocr_oem: 1 });
  await feed.stop();
});

test('a database that does not answer soon keeps no process from starting', async (t) => {
  await store(t.context, { rate_limit_per_minute: 5 });
  await using held = await holdSettings(t.context.database);
  const feed = openFeed(t.context);
  t.is((await feed.readAtStart(50)).rateLimit.perMinute, 100);
  await held.release();
  await feed.refresh();
  t.is(feed.current().rateLimit.perMinute, 5, 'and what can be taken up later is');
});

test('a value that an earlier version stored is told by its name and ignored', async (t) => {
  await t.context.database.pool.query(
    `insert into settings (key, value) values ('system.ocr_dpi', '"sharp"'), ('system.no_longer_known', '1'), ('ocr_queue_paused', 'true')`,
  );
  const { log, lines } = makeNotedLogger();
  const feed = openFeed(t.context, log);
  t.is((await feed.readAtStart()).ocr.dpi, 300);
  const told = lines.filter((line) => line.includes('invalid stored setting ignored'));
  t.is(told.length, 2);
  t.true(told.some((line) => line.includes('ocr_dpi')) && told.some((line) => line.includes('no_longer_known')));
  await feed.refresh();
  t.is(lines.filter((line) => line.includes('invalid stored setting ignored')).length, 2, 'once is enough');
});

/** Makes everybody wait who asks for settings. */
const holdSettings = async ({ pool }: TestDatabase): Promise<AsyncDisposable & { release(): Promise<void> }> => {
  const client = await pool.connect();
  await client.query('begin; lock table settings');
  let isHeld = true;
  const release = async (): Promise<void> => {
    if (!isHeld) return;
    isHeld = false;
    await client.query('commit');
    client.release();
  };
  return { release, [Symbol.asyncDispose]: release };
};
