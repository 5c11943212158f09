import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '@sheaf/db';
import { type ApiClient, makeServiceFolder, RunningService } from '@sheaf/testkit';
import test, { type ExecutionContext } from 'ava';
import { fullOnly } from '../support/full-run.ts';
import { givenService, READING_ALONE } from '../support/given-service.ts';
import { connectTo, openRestartablePostgres, type RestartablePostgres } from '../support/restartable-postgres.ts';
import { makeScan } from '../support/scan.ts';
import { openStubTesseracts } from '../support/stub-tesseract.ts';
import { waitFor } from '../support/wait-for.ts';

/** The usual run kills everything at once, the full run also a worker alone. */
const testFull = fullOnly(test);

const words = ['alabaster', 'bergamot', 'cinnabar', 'damask', 'ebony', 'fuchsia', 'gossamer', 'heliotrope'];
const chapters = words.map((word) => `${word} chapter`);
const bytesOf = (text: string) => new TextEncoder().encode(text);

const uploadLongScan = async (admin: ApiClient, lines: readonly string[]): Promise<string> => {
  const { status, body } = await admin.upload({ name: `${lines[0]}.tiff`, bytes: await makeScan(lines) });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return String(body['id']);
};

const pagesRead = async ({ pool }: Database, id: string): Promise<number> =>
  (await pool.query('select 1 from document_pages where document_id = $1', [id])).rowCount ?? 0;

/** A moment in which some pages are read and others are not. */
const untilHalfRead = (database: Database, id: string, pages: number): Promise<number> =>
  waitFor(
    async () => {
      const done = await pagesRead(database, id);
      if (done >= pages) throw new Error('the document was read before it could be interrupted');
      return done >= 2 ? done : undefined;
    },
    { description: 'some pages to be read', limitMs: 60_000, everyMs: 10 },
  );

/** When each page was written, to see which were read twice. */
const pageVersions = async ({ pool }: Database, id: string): Promise<Map<number, string>> => {
  const { rows } = await pool.query<{ page: number; xmin: string }>('select page, xmin::text from document_pages where document_id = $1', [
    id,
  ]);
  return new Map(rows.map(({ page, xmin }) => [page, xmin]));
};

const byNumber = (a: number, b: number): number => a - b;

/** PostgreSQL is stopped and started again under the service. */
const surviveOutage = async (t: ExecutionContext, postgres: RestartablePostgres, service: RunningService, admin: ApiClient) => {
  const pids = await service.processIds('/src/main.ts');
  t.is(pids.length, 4);
  await postgres.stop();
  const { status, body, headers } = await admin.get('/api/documents');
  t.is(status, 503);
  t.is((body['error'] as { code: string }).code, 'SERVICE_UNAVAILABLE');
  t.not(headers.get('retry-after'), null);
  t.is((await admin.get('/ready')).status, 503);
  t.is((await admin.get('/health')).status, 200, 'the process itself lives');
  t.is((await admin.get('/api/health')).body['status'], 'unhealthy');
  t.is((await admin.upload({ name: 'meanwhile.txt', bytes: bytesOf('written in the outage') })).status, 503);

  await postgres.start();
  await waitFor(async () => (await admin.get('/ready')).status === 200, {
    description: 'the api to be ready again',
    limitMs: 30_000,
    everyMs: 100,
  });
  const after = await admin.upload({ name: 'after.txt', bytes: bytesOf('written when the tortoise was back') });
  t.is(after.status, 201);
  t.is((await admin.waitForEnd(String(after.body['id']))).status, 'completed');
  t.deepEqual(await admin.find('tortoise'), [String(after.body['id'])]);
  await waitFor(async () => (await admin.get('/api/health')).body['status'] === 'healthy', {
    description: 'everything to be healthy again',
    limitMs: 30_000,
    everyMs: 200,
  });
  t.deepEqual((await service.processIds('/src/main.ts')).toSorted(byNumber), pids.toSorted(byNumber), 'no process had to be restarted');
};

const killEverything = async (service: RunningService): Promise<void> => {
  const children = await service.processIds('');
  service.process.kill('SIGKILL');
  for (const pid of children) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // ended with its parent already
    }
  }
};

// one service for three faults: its starts are what costs
test('a service loses nothing and doubles nothing when its database goes away for a while, when all of it is killed, and when it is asked to stop', async (t) => {
  t.timeout(3 * 240_000);
  await using postgres = await openRestartablePostgres();
  await using folder = await makeServiceFolder();
  await using engine = await openStubTesseracts(); // a page takes its time, and no processor
  const env = { ...(await engine.make('engine', 1)), DATABASE_URL: postgres.url, ALLOWED_FILE_TYPES: 'txt,tiff' };
  const start = () => new RunningService({ folder: folder.path, env });
  await using resources = new AsyncDisposableStack();
  const service = resources.use(start());
  const admin = await (await service.ready()).register('admin');
  const { body: before } = await admin.upload({ name: 'before.txt', bytes: bytesOf('written before the outage') });
  t.is((await admin.waitForEnd(String(before['id']))).status, 'completed');
  await surviveOutage(t, postgres, service, admin);

  const database = connectTo(postgres.url);
  resources.defer(() => database.close());
  const id = await uploadLongScan(admin, words.slice(3));
  const short = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      admin.upload({ name: `short-${n}.txt`, bytes: bytesOf(`short text number ${n} about quicksilver`) }),
    ),
  );
  await writeFile(join(folder.path, 'watch', 'watched.txt'), 'watched text about quicksilver');
  await untilHalfRead(database, id, 5);
  await killEverything(service);

  const again = resources.use(start());
  const client = await (await again.ready()).login('admin');
  for (const document of [id, ...short.map(({ body }) => String(body['id']))])
    t.is((await client.waitForEnd(document, 120_000)).status, 'completed');
  await waitFor(async () => (await client.find('quicksilver')).length === 9, {
    description: 'all short texts to be found',
    limitMs: 60_000,
    everyMs: 250,
  });
  const { rows } = await database.pool.query(
    'select count(*)::int as documents, count(distinct sha256)::int as hashes, (select count(*)::int from ocr_jobs) as jobs from documents',
  );
  t.deepEqual(rows, [{ documents: 12, hashes: 12, jobs: 12 }]);

  const last = await uploadLongScan(client, chapters.slice(0, 5));
  await untilHalfRead(database, last, 5);
  t.is(await again.stop(), 0);
  const { rows: jobs } = await database.pool.query('select status, attempts from ocr_jobs where document_id = $1', [last]);
  t.deepEqual(jobs, [{ status: 'pending', attempts: 0 }], 'what was being read is given back, which is no try');
});

testFull(
  'a worker killed in the middle of a document loses no page: another goes on where it was, and the document completes once',
  async (t) => {
    t.timeout(3 * 180_000);
    await using given = await givenService({ OCR_WORKER_PROCESSES: '1' }, READING_ALONE);
    const admin = await (await given.service.ready()).register('admin');
    const id = await uploadLongScan(admin, chapters);
    await untilHalfRead(given.database, id, chapters.length);
    const [worker] = await given.service.processIds('apps/ocr-worker/src/main.ts');
    if (worker === undefined) throw new Error('no worker runs');
    process.kill(worker, 'SIGKILL');
    const before = await pageVersions(given.database, id);
    const document = await admin.waitForEnd(id, 120_000);
    t.is(document.status, 'completed', document.error?.message);
    t.is(document.page_count, words.length);
    const after = await pageVersions(given.database, id);
    for (const [page, version] of before) t.is(after.get(page), version, `page ${page} was read again`);
    for (const word of words) t.deepEqual(await admin.find(`${word} chapter`), [id], word);
    const { rows } = await given.database.pool.query(
      "select data->>'progress' as progress from events where document_id = $1 and type = 'ocr_progress' and data->>'status' = 'completed'",
      [id],
    );
    t.is(rows.length, 1, 'it completed once');
    t.is(
      (await given.database.pool.query('select attempts from ocr_jobs where document_id = $1', [id])).rows[0]?.attempts,
      2,
      'the death of the reader counted as a try',
    );
  },
);

testFull('a document whose reader dies each time fails with that reason, and the others are read', async (t) => {
  t.timeout(3 * 240_000);
  await using given = await givenService({ OCR_RETRY_ATTEMPTS: '1', OCR_LEASE_SECONDS: '2' }, READING_ALONE);
  const admin = await (await given.service.ready()).register('admin');
  const id = await uploadLongScan(admin, chapters);
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    await waitFor(
      async () => {
        // known before it is looked whether they are at it: to find them takes time in which they could end
        const workers = await given.service.processIds('apps/ocr-worker/src/main.ts');
        const { rows } = await given.database.pool.query<{ attempts: number; is_open: boolean }>(
          "select attempts, status = 'processing' and processing_since is not null as is_open from ocr_jobs where document_id = $1",
          [id],
        );
        if (rows[0]?.is_open !== true || rows[0].attempts !== attempt) return false;
        for (const worker of workers) process.kill(worker, 'SIGKILL');
        return workers.length > 0;
      },
      { description: `try ${attempt}`, limitMs: 60_000, everyMs: 5 },
    );
  }
  const document = await admin.waitForEnd(id, 60_000);
  t.is(document.status, 'failed');
  t.is(document.error?.code, 'reader_died');
  const { body } = await admin.upload({ name: 'next.txt', bytes: bytesOf('the next one') });
  t.is((await admin.waitForEnd(String(body['id']))).status, 'completed');
});
