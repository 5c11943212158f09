import { ApiClient } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { z } from 'zod';
import { type GivenService, givenService, READING_ALONE } from '../support/given-service.ts';
import { makeScan } from '../support/scan.ts';
import { waitFor } from '../support/wait-for.ts';

const test = anyTest as TestFn<{ given: GivenService; admin: ApiClient }>;
let shared: { given: GivenService; admin: ApiClient } | undefined;

test.before(async () => {
  const given = await givenService({ CONCURRENT_OCR_JOBS: '1' }, READING_ALONE);
  shared = { given, admin: await (await given.service.ready()).register('admin') };
});
test.beforeEach((t) => {
  if (shared === undefined) throw new Error('the service did not start');
  t.context = shared;
});
test.after.always(() => shared?.given[Symbol.asyncDispose]());

const bytesOf = (text: string) => new TextEncoder().encode(text);
const item = z.looseObject({
  id: z.string(),
  document_id: z.string(),
  status: z.string(),
  position: z.number().nullable(),
  pages_done: z.number(),
  priority: z.string(),
});

const uploadScan = async (admin: ApiClient, pages: number, word: string): Promise<string> => {
  const { status, body } = await admin.upload({
    name: `${word}.tiff`,
    bytes: await makeScan(Array.from({ length: pages }, (_, n) => `${word} sheet ${n + 1}`)),
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return String(body['id']);
};
const itemOf = async (admin: ApiClient, documentId: string) => {
  const { body } = await admin.get('/api/ocr/queue?per_page=100');
  const found = z
    .array(item)
    .parse(body['data'])
    .find((row) => row.document_id === documentId);
  if (found === undefined) throw new Error(`no queue item of document ${documentId}`);
  return found;
};
const untilPages = (admin: ApiClient, id: string, pages: number) =>
  waitFor(async () => ((await itemOf(admin, id)).pages_done >= pages ? true : undefined), {
    description: `${pages} pages to be read`,
    limitMs: 60_000,
    everyMs: 50,
  });

test.serial('a long document does not hold back a short one of someone else', async (t) => {
  const { admin, given } = t.context;
  const long = await uploadScan(admin, 30, 'longwinded');
  await untilPages(admin, long, 1);
  await admin.post('/api/auth/register', {
    username: 'erin',
    email: 'erin@example.org',
    password: 'correct horse battery',
    role: 'editor',
  });
  const erin = await new ApiClient(admin.url).login('erin');
  const short = await uploadScan(erin, 1, 'shortlived');
  t.is((await erin.waitForEnd(short, 30_000)).status, 'completed');
  t.is((await itemOf(admin, long)).status, 'processing', 'the long one was still being read');
  const { rows } = await given.database.pool.query<{ late_ms: number }>(
    'select extract(epoch from claimed_at - created_at) * 1000 as late_ms from ocr_jobs where document_id = $1',
    [short],
  );
  t.log(`claimed after ${Math.round(rows[0]?.late_ms ?? 0)} ms`);

  const running = await itemOf(admin, long);
  t.is((await admin.delete(`/api/ocr/queue/${running.id}`)).status, 204);
  const cancelled = await admin.document(long);
  t.is(cancelled.status, 'failed');
  t.is(cancelled.error?.code, 'cancelled');
  t.is((await admin.delete(`/api/ocr/queue/${running.id}`)).status, 409);
  // the reader has let go: the next document is read at once, and nothing more is written to the cancelled one
  const { body } = await admin.upload({ name: 'next.txt', bytes: bytesOf('next in line') });
  t.is((await admin.waitForEnd(String(body['id']))).status, 'completed');
  t.is((await admin.document(long)).status, 'failed');
});

test.serial('a paused queue begins nothing, tells positions, follows priorities, and goes on when resumed', async (t) => {
  const { admin } = t.context;
  t.is((await admin.post('/api/ocr/queue/pause', {})).status, 200);
  const ids: string[] = [];
  for (const name of ['first', 'second', 'third'])
    ids.push(String((await admin.upload({ name: `${name}.txt`, bytes: bytesOf(`the ${name} of three`) })).body['id']));
  const positions = () => Promise.all(ids.map(async (id) => (await itemOf(admin, id)).position));
  t.deepEqual(await positions(), [1, 2, 3]);
  const third = await itemOf(admin, ids[2] ?? '');
  const { status, body } = await admin
    .request(`/api/ocr/queue/${third.id}/priority`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"priority":"urgent"}',
    })
    .then(async (response) => ({ status: response.status, body: item.parse(await response.json()) }));
  t.is(status, 200);
  t.is(body.priority, 'urgent');
  t.deepEqual(await positions(), [2, 3, 1]);
  t.is((await admin.get('/api/ocr/queue?status=pending&priority=urgent')).body['paused'], true);
  t.is((await admin.get('/api/ocr/queue/status')).body['pending'], 3);
  await admin.post('/api/ocr/queue/resume', {});
  for (const id of ids) t.is((await admin.waitForEnd(id)).status, 'completed');
});

test.serial('a retry reads again, keeps the old text until then, and wants an installed language', async (t) => {
  const { admin } = t.context;
  const { body } = await admin.upload({ name: 'again.txt', bytes: bytesOf('read it again, sextant') });
  const id = String(body['id']);
  await admin.waitForEnd(id);
  const missing = await admin.post(`/api/documents/${id}/retry-ocr`, { language: 'tlh' });
  t.is(missing.status, 400);
  t.true((missing.body['error'] as { details: { installed_languages: string[] } }).details.installed_languages.includes('eng'));
  await admin.post('/api/ocr/queue/pause', {});
  const { status, body: queued } = await admin.post(`/api/documents/${id}/retry-ocr`, { language: 'eng', priority: 'high' });
  t.is(status, 200);
  t.like(queued, { document_id: id, status: 'pending', priority: 'high', attempts: 0 });
  t.is((await admin.document(id)).content, 'read it again, sextant');
  t.deepEqual(await admin.find('sextant'), [id]);
  await admin.post('/api/ocr/queue/resume', {});
  t.is((await admin.waitForEnd(id)).status, 'completed');
  t.deepEqual(await admin.find('sextant'), [id]);
});

test.serial('a new document is begun within a tenth of a second when a worker is idle', async (t) => {
  const { admin, given } = t.context;
  const late: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    const { body } = await admin.upload({ name: `idle-${n}.txt`, bytes: bytesOf(`idle ${n}`) });
    await admin.waitForEnd(String(body['id']));
    const { rows } = await given.database.pool.query<{ ms: number }>(
      'select extract(epoch from claimed_at - created_at)::float8 * 1000 as ms from ocr_jobs where document_id = $1',
      [body['id']],
    );
    late.push(rows[0]?.ms ?? Number.POSITIVE_INFINITY);
  }
  t.log(`begun after ${late.map((ms) => ms.toFixed(0)).join(', ')} ms`);
  // the poll alone would need half a second on average: only the nudge is this quick
  t.true(Math.min(...late) < 100);
});

test.serial('a document that is deleted while it is read leaves nothing, and the worker goes on', async (t) => {
  const { admin, given } = t.context;
  const id = await uploadScan(admin, 20, 'doomed');
  await untilPages(admin, id, 1);
  t.is((await admin.delete(`/api/documents/${id}`)).status, 204);
  const rows = async (): Promise<unknown[]> =>
    (
      await given.database.pool.query(
        `select (select count(*)::int from document_pages where document_id = $1) as pages,
          (select count(*)::int from ocr_jobs where document_id = $1) as jobs`,
        [id],
      )
    ).rows;
  const [left] = await rows();
  t.like(left, { jobs: 0 });
  const { body } = await admin.upload({ name: 'survivor.txt', bytes: bytesOf('the survivor') });
  t.is((await admin.waitForEnd(String(body['id']))).status, 'completed');
  t.deepEqual(await rows(), [left], 'nobody reads on in what is in the trash');
  t.is((await admin.delete(`/api/trash/${id}`)).status, 204);
  t.deepEqual(await rows(), [{ pages: 0, jobs: 0 }]);
});
