import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { CODE_CACHE_ENVIRONMENT } from '@sheaf/testkit';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import anyTest, { type TestFn } from 'ava';
import { type GivenService, givenService } from '../support/given-service.ts';

const ROOT = join(import.meta.dirname, '../..');

const test = anyTest as TestFn<GivenService>;

// one service for all: a second process of a kind leaves the first one alone
let given: GivenService | undefined;
test.before(async () => {
  given = await givenService({ OCR_WORKER_PROCESSES: '2' });
  await given.service.ready();
});
test.beforeEach((t) => {
  if (given === undefined) throw new Error('the service did not start');
  t.context = given;
});
test.after.always(async () => given?.[Symbol.asyncDispose]());

for (const name of ['api', 'watcher', 'sync']) {
  test.serial(`a second ${name} on the same database ends with exit code 69 and names the holder`, async (t) => {
    const { environment, folder, service } = t.context;
    const [holder] = await service.processIds(`apps/${name}/src/main.ts`);
    const second = spawn(process.execPath, [join(ROOT, `apps/${name}/src/main.ts`)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...environment,
        PATH: process.env['PATH'],
        ...CODE_CACHE_ENVIRONMENT,
        DATA_PATH: join(folder, 'data'),
        UPLOAD_PATH: join(folder, 'uploads'),
        WATCH_FOLDER: join(folder, 'watch'),
        SERVER_ADDRESS: '127.0.0.1:0',
        PROBE_PORT_BASE: '0',
      },
    });
    let output = '';
    for (const stream of [second.stdout, second.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    const [code] = (await once(second, 'close')) as [number];
    t.is(code, EXIT.replicaRuns, output);
    t.true(output.includes(`process ${holder} on `), output);
    t.deepEqual(await service.processIds(`apps/${name}/src/main.ts`), [holder], 'the first one runs on');
  });
}

test.serial('two ocr-workers share the queue', async (t) => {
  const { database, service } = t.context;
  const admin = await (await service.ready()).register('admin');
  t.is((await service.processIds('apps/ocr-worker/src/main.ts')).length, 2);
  const uploads = await Promise.all(
    Array.from({ length: 10 }, (_, n) => admin.upload({ name: `n${n}.txt`, bytes: new TextEncoder().encode(`number ${n}`) })),
  );
  for (const { body } of uploads) t.is((await admin.waitForEnd(String(body['id']))).status, 'completed');
  const { rows } = await database.pool.query('select max(attempts) as attempts from ocr_jobs');
  t.deepEqual(rows, [{ attempts: 1 }]);
});
