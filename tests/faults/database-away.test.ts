import { join } from 'node:path';
import { Secret } from '@sheaf/contract';
import { openPostgresServer, type PostgresServer } from '@sheaf/embedded-postgres';
import { silentLogger } from '@sheaf/process';
import { makeServiceFolder, RunningService } from '@sheaf/testkit';
import test from 'ava';
import { freePort } from '../support/free-port.ts';
import { waitFor } from '../support/wait-for.ts';

const byNumber = (a: number, b: number): number => a - b;
const bytesOf = (text: string) => new TextEncoder().encode(text);

test('when PostgreSQL is stopped and started under it, requests answer 503 in between and every process goes on by itself', async (t) => {
  t.timeout(3 * 180_000);
  await using folder = await makeServiceFolder();
  const open = (port: number): Promise<PostgresServer> =>
    openPostgresServer({
      dataPath: join(folder.path, 'postgres'),
      port,
      exactPort: true,
      password: new Secret('for this test alone'),
      log: silentLogger(),
      extraParameters: { fsync: 'off' },
    });
  let server = await open(await freePort());
  try {
    await using service = new RunningService({ folder: folder.path, env: { DATABASE_URL: server.url } });
    const admin = await (await service.ready()).register('admin');
    const first = await admin.upload({ name: 'before.txt', bytes: bytesOf('written before the outage') });
    await admin.waitForEnd(String(first.body['id']));
    const pids = await service.processIds('/src/main.ts');
    t.is(pids.length, 4);

    const { port } = server;
    await server.stop();
    const { status, body, headers } = await admin.get('/api/documents');
    t.is(status, 503);
    t.is((body['error'] as { code: string }).code, 'SERVICE_UNAVAILABLE');
    t.not(headers.get('retry-after'), null);
    t.is((await admin.get('/ready')).status, 503);
    t.is((await admin.get('/health')).status, 200, 'the process itself lives');
    t.is((await admin.get('/api/health')).body['status'], 'unhealthy');
    t.is((await admin.upload({ name: 'meanwhile.txt', bytes: bytesOf('written in the outage') })).status, 503);

    server = await open(port);
    await waitFor(async () => (await admin.get('/ready')).status === 200, {
      description: 'the api to be ready again',
      limitMs: 30_000,
      everyMs: 100,
    });
    const second = await admin.upload({ name: 'after.txt', bytes: bytesOf('written when the tortoise was back') });
    t.is(second.status, 201);
    t.is((await admin.waitForEnd(String(second.body['id']))).status, 'completed');
    t.deepEqual(await admin.find('tortoise'), [String(second.body['id'])]);
    await waitFor(async () => (await admin.get('/api/health')).body['status'] === 'healthy', {
      description: 'everything to be healthy again',
      limitMs: 30_000,
      everyMs: 200,
    });
    t.deepEqual((await service.processIds('/src/main.ts')).toSorted(byNumber), pids.toSorted(byNumber), 'no process had to be restarted');
  } finally {
    await server.stop();
  }
});
