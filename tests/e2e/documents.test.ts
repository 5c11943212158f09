import test from 'ava';
import { z } from 'zod';
import { givenService, READING_ALONE } from '../support/given-service.ts';
import { makeScan } from '../support/scan.ts';
import { waitFor } from '../support/wait-for.ts';

const bulkUpload = z.looseObject({
  uploaded: z.number(),
  failed: z.number(),
  documents: z.array(z.looseObject({ id: z.string(), filename: z.string() })),
});
const pagesAnswer = z.looseObject({
  pages: z.array(z.looseObject({ page: z.number(), origin: z.string(), content: z.string() })),
  total: z.number(),
});

const wordsAnswer = z.looseObject({
  words: z.array(z.looseObject({ text: z.string(), width: z.number(), confidence: z.number() })),
});

test('several files go in at once, are read, looked at, renamed, read again and deleted, while others are being read', async (t) => {
  t.timeout(3 * 120_000);
  await using given = await givenService({ ALLOWED_FILE_TYPES: 'txt,rtf,tiff', CONCURRENT_OCR_JOBS: '1' }, READING_ALONE);
  const admin = await (await given.service.ready()).register('admin');
  const workers = await given.service.processIds('ocr-worker');

  const form = new FormData();
  form.append('files', new Blob(['{\\rtf1\\ansi an astrolabe of brass}']), 'letter.rtf');
  form.append('files', new Blob([await makeScan(['a theodolite', 'a quadrant'])]), 'scan.tiff');
  form.append('files', new Blob(['MZ']), 'program.exe');
  const response = await admin.request('/api/documents/bulk-upload', { method: 'POST', body: form });
  t.is(response.status, 201);
  const { uploaded, failed, documents } = bulkUpload.parse(await response.json());
  t.deepEqual([uploaded, failed], [2, 1]);
  const [letter = '', scan = ''] = documents.map(({ id }) => id);
  for (const id of [letter, scan]) t.is((await admin.waitForEnd(id)).status, 'completed');

  const preview = await admin.request(`/api/documents/${letter}/preview`);
  t.is(preview.status, 200);
  t.is(preview.headers.get('content-disposition'), 'inline; filename="letter.pdf"');
  t.regex(await preview.text(), /^%PDF-/);
  t.is((await admin.get(`/api/documents/${scan}/preview`)).status, 404);
  const { pages, total } = pagesAnswer.parse((await admin.get(`/api/documents/${scan}/pages`)).body);
  t.is(total, 2);
  t.deepEqual(
    pages.map(({ page, origin }) => [page, origin]),
    [
      [1, 'ocr'],
      [2, 'ocr'],
    ],
  );
  t.regex(pages[1]?.content ?? '', /quadrant/);
  const { words } = wordsAnswer.parse((await admin.get(`/api/documents/${scan}/pages/2/words`)).body);
  t.true(words.some(({ text, width, confidence }) => text === 'quadrant' && width > 0 && confidence > 0.5));

  t.is((await admin.send('PATCH', `/api/documents/${scan}`, { title: 'Instruments of a surveyor' })).status, 200);
  t.deepEqual(await admin.find('surveyor'), [scan]);
  t.deepEqual(await admin.find('theodolite'), [scan], 'its text is found as before');
  t.is((await admin.post('/api/ocr/queue/pause', {})).status, 200);
  const again = await admin.post('/api/documents/bulk', { ids: [letter, scan], action: 'retry_ocr' });
  t.deepEqual(again.body, { matched: 2, done: 2 });
  t.like((await admin.get('/api/ocr/queue/status')).body, { pending: 2 });
  t.deepEqual(await admin.find('theodolite'), [scan], 'the old text stays until then');
  t.is((await admin.post('/api/ocr/queue/resume', {})).status, 200);
  for (const id of [letter, scan]) t.is((await admin.waitForEnd(id)).status, 'completed');
  t.deepEqual(await admin.find('surveyor'), [scan], 'the title has survived the new reading');

  const { body: long } = await admin.upload({
    name: 'long.tiff',
    bytes: await makeScan(Array.from({ length: 12 }, (_, n) => `doomed ${n}`)),
  });
  const doomed = String(long['id']);
  await waitFor(async () => pagesAnswer.parse((await admin.get(`/api/documents/${doomed}/pages`)).body).total > 0, {
    description: 'its first page to be read',
    limitMs: 30_000,
    everyMs: 50,
  });
  t.is((await admin.document(doomed)).status, 'processing', 'pages are there before the document is');
  t.deepEqual((await admin.post('/api/documents/bulk', { filter: {}, action: 'delete', confirm: 3 })).body, { matched: 3, done: 3 });
  const pagesInTrash = async (): Promise<unknown> =>
    (await given.database.pool.query('select count(*)::int as n from document_pages join trashed_documents on id = document_id')).rows;
  const read = await pagesInTrash();
  const { body: next } = await admin.upload({ name: 'next.txt', bytes: new TextEncoder().encode('the survivor') });
  t.is((await admin.waitForEnd(String(next['id']))).status, 'completed');
  t.deepEqual(await pagesInTrash(), read, 'nobody reads on in what is in the trash');
  t.deepEqual(await given.service.processIds('ocr-worker'), workers, 'the reader has lived through it');
  t.regex(given.service.output, / INFO: /, 'the log tells its levels in words');
  t.notRegex(given.service.output, / ERROR: /, 'and nothing went wrong on the way');
});
