import { migrateUp, readMigrations } from '@sheaf/db/migrations';
import { isFullRun, TEMPLATE_DATABASE } from '@sheaf/testkit';
import test, { type ExecutionContext } from 'ava';
import { Client } from 'pg';
import { makeNotedLines } from '../fixtures/watcher/noted-lines.ts';
import { openScene, type Scene, takeAll } from '../fixtures/watcher/watch-scene.ts';
import { listing, openWatchStage } from '../fixtures/watcher/watch-stage.ts';
import { connectTo, openRestartablePostgres, type RestartablePostgres } from '../support/restartable-postgres.ts';

/** The usual run stops it while a file is imported and while one is moved, the full run at every moment. */
const USUAL = ['the storing of a file', 'move reserved'];
const ROUTES = ['watch', 'user_watch'] as const;
const COUNT = 6;

/** Where the server is stopped: `stop` is to be called there, once. */
const MOMENTS: Readonly<Record<string, (scene: Scene, stop: () => Promise<void>) => void>> = {
  'the middle of a walk': ({ scanners }, stop) => {
    const scan = scanners.watch.scan.bind(scanners.watch);
    scanners.watch.scan = async (signal) => {
      const scanning = scan(signal);
      await stop();
      return scanning;
    };
  },
  'the storing of a file': ({ storage }, stop) => {
    const put = storage.put.bind(storage);
    storage.put = async (...request) => {
      const result = await put(...request);
      await stop();
      return result;
    };
  },
};

const onServer = async (url: string, work: (client: Client) => Promise<unknown>): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  await work(client);
  await client.end();
};

const urlOf = ({ url }: RestartablePostgres, database: string): string => {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
};

// one server for all moments: to make one and its schema is what costs
let postgres: RestartablePostgres | undefined;
test.before(async () => {
  postgres = await openRestartablePostgres();
  await onServer(postgres.url, async (client) => client.query(`create database ${TEMPLATE_DATABASE}`));
  await onServer(urlOf(postgres, TEMPLATE_DATABASE), async (client) => migrateUp(client, await readMigrations()));
});
test.after.always(() => postgres?.[Symbol.asyncDispose]());

const survive = async (t: ExecutionContext, moment: string): Promise<void> => {
  t.timeout(3 * 120_000);
  if (postgres === undefined) throw new Error('PostgreSQL did not start');
  const server = postgres;
  await server.start(); // a test that failed may have left it stopped
  const name = `stage_${moment.replaceAll(' ', '_')}`;
  await onServer(server.url, async (client) => client.query(`create database "${name}" template ${TEMPLATE_DATABASE}`));
  const database = connectTo(urlOf(server, name));
  await using stage = await openWatchStage({ database: { ...database, [Symbol.asyncDispose]: () => database.close() } });
  for (let i = 0; i < COUNT; i += 1) for (const root of ['watch', 'users/anna']) await stage.drop(`${root}/${i}.txt`, `${root} ${i}`);
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= server.stop());
  const { log, timesOf } = makeNotedLines();
  await using scene = openScene(stage.places, { log, at: (point) => (moment === `move ${point}` ? stop() : undefined) });
  MOMENTS[moment]?.(scene, stop);
  await t.throwsAsync(scene.round());
  t.not(stopping, undefined);
  for (const route of ROUTES) await t.throwsAsync(scene.scanners[route].scan(new AbortController().signal));
  for (const route of ROUTES) await takeAll(scene.scanners[route]).catch(() => undefined);
  t.is(timesOf('moving a file failed') + timesOf('file import failed'), 0, 'the loss of the database is nobody’s mistake');

  await server.start();
  await scene.round();
  await scene.round();
  t.deepEqual([await listing(stage.watch), await listing(stage.anna)], [{}, {}]);
  t.is(Object.keys(await listing(stage.places.processed)).length, 2 * COUNT);
  for (const table of ['documents', 'ocr_jobs', 'ingest_ledger', "ingest_ledger where state = 'ingested' and moved_to = path"])
    t.is(await stage.count(table), 2 * COUNT, table);
  for (const route of ROUTES) t.is(scene.scanners[route].health().status, 'healthy');
};

const ALL = [...Object.keys(MOMENTS), 'move opened', 'move reserved', 'move announced', 'move renamed'];

for (const moment of isFullRun ? ALL : USUAL)
  test.serial(`PostgreSQL stopped at "${moment}" and started again costs no file and doubles none`, (t) => survive(t, moment));
