import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '@sheaf/contract';
import { openDatabase } from '@sheaf/db';
import { migrateUp, readMigrations } from '@sheaf/db/migrations';
import { openPostgresServer, type PostgresServer } from '@sheaf/embedded-postgres';
import { silentLogger } from '@sheaf/process';
import test, { type ExecutionContext } from 'ava';
import { Client } from 'pg';
import { makeNotedLines } from '../fixtures/watcher/noted-lines.ts';
import { openScene, type Scene, takeAll } from '../fixtures/watcher/watch-scene.ts';
import { listing, openWatchStage } from '../fixtures/watcher/watch-stage.ts';
import { freePort } from '../support/free-port.ts';

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

const openServer = (dataPath: string, port: number): Promise<PostgresServer> =>
  openPostgresServer({
    dataPath,
    port,
    exactPort: true,
    password: new Secret('for this test alone'),
    log: silentLogger(),
    extraParameters: { fsync: 'off' },
  });

const migrate = async (url: string): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  await migrateUp(client, await readMigrations());
  await client.end();
};

const settingsOf = (url: string) => ({
  url: new Secret(url),
  maxConnections: 2,
  minConnections: 0,
  acquireTimeoutMs: 5_000,
  idleTimeoutMs: 60_000,
  maxLifetimeMs: 600_000,
  applicationName: 'stage',
});

const survive = async (t: ExecutionContext, moment: string): Promise<void> => {
  t.timeout(3 * 120_000);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-pg-'));
  const dataPath = join(folder.path, 'postgres');
  let server = await openServer(dataPath, await freePort());
  try {
    await migrate(server.url);
    const database = openDatabase(settingsOf(server.url), silentLogger());
    await using stage = await openWatchStage({ database: { ...database, [Symbol.asyncDispose]: () => database.close() } });
    for (let i = 0; i < COUNT; i += 1) for (const root of ['watch', 'users/anna']) await stage.drop(`${root}/${i}.txt`, `${root} ${i}`);
    const { port } = server;
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

    server = await openServer(dataPath, port);
    await scene.round();
    await scene.round();
    t.deepEqual([await listing(stage.watch), await listing(stage.anna)], [{}, {}]);
    t.is(Object.keys(await listing(stage.places.processed)).length, 2 * COUNT);
    for (const table of ['documents', 'ocr_jobs', 'ingest_ledger', "ingest_ledger where state = 'ingested' and moved_to = path"])
      t.is(await stage.count(table), 2 * COUNT, table);
    for (const route of ROUTES) t.is(scene.scanners[route].health().status, 'healthy');
  } finally {
    await server.stop();
  }
};

for (const moment of [...Object.keys(MOMENTS), 'move opened', 'move reserved', 'move announced', 'move renamed'])
  test.serial(`PostgreSQL stopped at "${moment}" and started again costs no file and doubles none`, (t) => survive(t, moment));
