// The whole service behind a real connection pooler in transaction mode, with few connections to the server.
import { makeServiceFolder, openTestDatabase, RunningService } from '@sheaf/testkit';
import test from 'ava';
import { EventClient } from '../support/event-client.ts';
import { startPgBouncer, whyNoPgBouncer } from '../support/pgbouncer.ts';
import { waitFor } from '../support/wait-for.ts';

const missing = whyNoPgBouncer();
if (missing !== undefined) process.stdout.write(`tests of a connection pooler are skipped: ${missing}\n`);
const testPooler = missing === undefined ? test : test.skip;

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const POOL_SIZE = 6;
const byNumber = (a: number, b: number): number => a - b;

testPooler(
  'behind a pooler documents are processed and found, events arrive, and nothing is lost when the pooler restarts under load',
  async (t) => {
    t.timeout(8 * 60_000);
    await using database = await openTestDatabase();
    await using pooler = await startPgBouncer(database.url, { poolSize: POOL_SIZE });
    await using folder = await makeServiceFolder();
    const env = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: database.url.reveal(), DATABASE_SSL_MODE: 'disable' };
    await using service = new RunningService({ folder: folder.path, env });
    const admin = await (await service.ready()).register('admin');
    const pids = await service.processIds('/src/main.ts');

    await using events = new EventClient(admin.url);
    const login = await admin.post('/api/auth/login', { username: 'admin', password: 'correct horse battery' });
    await events.auth(String(login.body['token']));
    await events.subscribe();
    const first = await admin.upload({ name: 'first.txt', bytes: bytesOf('a tortoise behind the pooler') });
    const id = String(first.body['id']);
    t.is((await admin.waitForEnd(id)).status, 'completed');
    t.deepEqual(await admin.find('tortoise'), [id]);
    await events.eventsUntil((event) => event['type'] === 'document_created');

    const { rows } = await database.pool.query<{ name: string; total: number }>(
      `select application_name as name, count(*)::int as total from pg_stat_activity
      where datname = current_database() and application_name like 'sheaf %' group by 1`,
    );
    const direct = rows.filter(({ name }) => name.endsWith(' lock') || name === 'sheaf listener');
    t.true(direct.some(({ name }) => name === 'sheaf watcher lock') && direct.some(({ name }) => name === 'sheaf listener'));
    const pooled = rows.filter((row) => !direct.includes(row)).reduce((sum, { total }) => sum + total, 0);
    t.true(pooled <= POOL_SIZE, `${pooled} connections`);

    await using second = await makeServiceFolder();
    await using rival = new RunningService({ folder: second.path, env: { ...env, SINGLE_REPLICA: 'refuse' }, args: ['--only', 'watcher'] });
    await waitFor(() => rival.process.exitCode !== null, { description: 'a second watcher to be refused', limitMs: 60_000 });
    t.is(rival.process.exitCode, 69);

    const ids: string[] = [];
    const uploadAll = async (from: number): Promise<void> => {
      for (let number = from; number < from + 10; number += 1) {
        const { status, body } = await admin.upload({ name: `${number}.txt`, bytes: bytesOf(`document number ${number} of the herd`) });
        if (status === 201) ids.push(String(body['id']));
        else t.is(status, 503, JSON.stringify(body));
      }
    };
    await uploadAll(0);
    const underWay = uploadAll(100);
    await pooler.stop();
    await underWay;
    await pooler.start();
    await waitFor(async () => (await admin.get('/ready')).status === 200, { description: 'the api to be ready again', limitMs: 30_000 });
    await uploadAll(200);
    for (const one of ids) t.is((await admin.waitForEnd(one)).status, 'completed');
    t.is(new Set(await admin.find('herd')).size > 0, true);
    const { rows: kept } = await database.pool.query<{ total: number }>('select count(*)::int as total from documents where id = any($1)', [
      ids,
    ]);
    t.is(kept[0]?.total, ids.length);
    t.deepEqual((await service.processIds('/src/main.ts')).toSorted(byNumber), pids.toSorted(byNumber), 'no process had to be restarted');
  },
);

testPooler('a start behind a pooler without DATABASE_DIRECT_URL ends at once with what to set', async (t) => {
  t.timeout(4 * 60_000);
  await using database = await openTestDatabase();
  await using pooler = await startPgBouncer(database.url);
  await using folder = await makeServiceFolder();
  await using service = new RunningService({ folder: folder.path, env: { DATABASE_URL: pooler.url, DATABASE_SSL_MODE: 'disable' } });
  await waitFor(() => service.process.exitCode !== null, { description: 'the end of the start', limitMs: 60_000 });
  t.is(service.process.exitCode, 78);
  t.regex(service.output, /Set DATABASE_DIRECT_URL to the address of PostgreSQL itself/);
});
