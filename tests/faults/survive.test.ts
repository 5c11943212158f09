import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiClient, isFullRun } from '@sheaf/testkit';
import test from 'ava';
import { type GivenService, givenService, READING_ALONE } from '../support/given-service.ts';
import { makeScan } from '../support/scan.ts';
import { waitFor } from '../support/wait-for.ts';

const words = ['alabaster', 'bergamot', 'cinnabar', 'damask', 'ebony', 'fuchsia', 'gossamer', 'heliotrope'];
const bytesOf = (text: string) => new TextEncoder().encode(text);

const uploadLongScan = async (admin: ApiClient): Promise<string> => {
  const { status, body } = await admin.upload({ name: 'long.tiff', bytes: await makeScan(words.map((word) => `${word} chapter`)) });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return String(body['id']);
};

const pagesRead = async ({ database }: GivenService, id: string): Promise<number> =>
  (await database.pool.query('select 1 from document_pages where document_id = $1', [id])).rowCount ?? 0;

/** A moment in which some pages are read and others are not. */
const untilHalfRead = (given: GivenService, id: string): Promise<number> =>
  waitFor(
    async () => {
      const done = await pagesRead(given, id);
      if (done >= words.length) throw new Error('the document was read before it could be interrupted');
      return done >= 2 ? done : undefined;
    },
    { description: 'some pages to be read', limitMs: 60_000, everyMs: 10 },
  );

/** When each page was written, to see which were read twice. */
const pageVersions = async ({ database }: GivenService, id: string): Promise<Map<number, string>> => {
  const { rows } = await database.pool.query<{ page: number; xmin: string }>(
    'select page, xmin::text from document_pages where document_id = $1',
    [id],
  );
  return new Map(rows.map(({ page, xmin }) => [page, xmin]));
};

// the usual run kills a whole host in the middle of documents: tests/faults/hosts.full.test.ts
(isFullRun ? test : test.skip)(
  'a worker killed in the middle of a document loses no page: another goes on where it was, and the document completes once',
  async (t) => {
    t.timeout(3 * 180_000);
    await using given = await givenService({ OCR_WORKER_PROCESSES: '1' }, READING_ALONE);
    const admin = await (await given.service.ready()).register('admin');
    const id = await uploadLongScan(admin);
    await untilHalfRead(given, id);
    const [worker] = await given.service.processIds('apps/ocr-worker/src/main.ts');
    if (worker === undefined) throw new Error('no worker runs');
    process.kill(worker, 'SIGKILL');
    const before = await pageVersions(given, id);
    const document = await admin.waitForEnd(id, 120_000);
    t.is(document.status, 'completed', document.error?.message);
    t.is(document.page_count, words.length);
    const after = await pageVersions(given, id);
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

test('after a SIGKILL of everything and another start nothing is lost and nothing is double', async (t) => {
  t.timeout(3 * 240_000);
  await using given = await givenService();
  const admin = await (await given.service.ready()).register('admin');
  const id = await uploadLongScan(admin);
  const short = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      admin.upload({ name: `short-${n}.txt`, bytes: bytesOf(`short text number ${n} about quicksilver`) }),
    ),
  );
  await writeFile(join(given.folder, 'watch', 'watched.txt'), 'watched text about quicksilver');
  await untilHalfRead(given, id);
  const children = await given.service.processIds('');
  given.service.process.kill('SIGKILL');
  for (const pid of children) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // ended with its parent already
    }
  }

  const again = await given.startAgain().ready();
  const client = await again.login('admin');
  for (const document of [id, ...short.map(({ body }) => String(body['id']))])
    t.is((await client.waitForEnd(document, 120_000)).status, 'completed');
  await waitFor(async () => (await client.find('quicksilver')).length === 9, {
    description: 'all short texts to be found',
    limitMs: 60_000,
    everyMs: 250,
  });
  const { rows } = await given.database.pool.query(
    'select count(*)::int as documents, count(distinct sha256)::int as hashes, (select count(*)::int from ocr_jobs) as jobs from documents',
  );
  t.deepEqual(rows, [{ documents: 10, hashes: 10, jobs: 10 }]);
});

test('a document whose reader dies each time fails with that reason, and the others are read', async (t) => {
  t.timeout(3 * 240_000);
  await using given = await givenService({ OCR_RETRY_ATTEMPTS: '1', OCR_LEASE_SECONDS: '2' }, READING_ALONE);
  const admin = await (await given.service.ready()).register('admin');
  const id = await uploadLongScan(admin);
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
