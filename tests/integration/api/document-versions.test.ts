import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { savePages } from '@sheaf/documents/pages';
import { markCompleted } from '@sheaf/queue';
import { indexDocument } from '@sheaf/search';
import { LocalStorage, previewKey } from '@sheaf/storage';
import { type Answer, type ApiClient, makePdf } from '@sheaf/testkit';
import { conditionOf } from '../../support/error-condition.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ MAX_FILE_SIZE_MB: '1' });

const bytesOf = (words: string) => new TextEncoder().encode(words);
const hashOf = (words: string): string => createHash('sha256').update(words).digest('hex');

/** Sends `words` as the new file of a document. */
const replace = async (client: ApiClient, id: string, words: string, name = 'new.txt'): Promise<Answer> => {
  const form = new FormData();
  form.set('file', new Blob([bytesOf(words)]), name);
  const response = await client.request(`/api/documents/${id}/content`, { method: 'PUT', body: form });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, unknown> };
};

/** Ends the processing of the newest version with `words` on its one page, as a worker does. */
const process = async ({ database: { db, pool } }: RunningApi, id: string, words: string): Promise<void> => {
  await pool.query(`update documents set status = 'processing' where id = $1`, [id]);
  await db.transaction(async (tx) => {
    await savePages(tx, id, [{ page: 1, content: words, confidence: 0.9, origin: 'ocr' }]);
    const reading = {
      pageCount: 1,
      confidence: 0.9,
      excerpt: words,
      language: undefined,
      missingLanguage: undefined,
      needsAttention: false,
    };
    await markCompleted(tx, id, reading);
    await indexDocument(tx, id);
  });
  await pool.query(`update ocr_jobs set status = 'completed', completed_at = now() where document_id = $1`, [id]);
};

const given = async (api: RunningApi, words: string): Promise<string> => {
  const { body } = await api.admin.upload({ name: 'old.txt', bytes: bytesOf(words) });
  const id = String(body['id']);
  await process(api, id, words);
  return id;
};

const versionsOf = async ({ admin }: RunningApi, id: string) =>
  (await admin.get(`/api/documents/${id}/versions`)).body['data'] as Record<string, unknown>[];

const detailsOf = ({ body }: Answer) => (body['error'] as { details: Record<string, unknown> }).details;

test('a new file is the newest version, is processed again, and the file before stays readable with its text', async (t) => {
  const { admin, database } = t.context;
  const id = await given(t.context, 'the first wording');
  await admin.send('PATCH', `/api/documents/${id}`, { title: 'Mine', document_date: '2020-02-03' });
  t.is((await admin.get(`/api/documents/${id}`)).body['version'], 1);
  const fence = async () =>
    (await database.pool.query<{ fence: string; status: string }>('select fence, status from ocr_jobs where document_id = $1', [id]))
      .rows[0];
  const before = await fence();

  const { status, body } = await replace(admin, id, 'the second wording');
  t.is(status, 200);
  t.like(body, {
    id,
    version: 2,
    title: 'Mine',
    document_date: '2020-02-03',
    filename: 'new.txt',
    sha256: hashOf('the second wording'),
    status: 'pending',
    page_count: null,
  });
  t.is((await fence())?.status, 'pending');
  t.true(Number((await fence())?.fence) > Number(before?.fence), 'a worker that has the old file open writes nothing any more');
  await process(t.context, id, 'the second wording');

  const listed = await versionsOf(t.context, id);
  t.like(listed, [
    { version: 2, is_current: true, sha256: hashOf('the second wording'), size: 18, source: 'upload', filename: 'new.txt' },
    { version: 1, is_current: false, sha256: hashOf('the first wording'), size: 17, page_count: 1, source: 'upload', filename: 'old.txt' },
  ]);
  for (const [version, words] of [
    [1, 'the first wording'],
    [2, 'the second wording'],
  ] as const) {
    const file = await admin.request(`/api/documents/${id}/versions/${version}/download?inline=true`);
    t.is(await file.text(), words);
    t.is(file.headers.get('x-content-type-options'), 'nosniff');
    t.is(file.headers.get('etag'), `"${hashOf(words)}"`);
    t.like((await admin.get(`/api/documents/${id}/versions/${version}/pages`)).body, { total: 1, pages: [{ page: 1, content: words }] });
  }
  const part = await admin.request(`/api/documents/${id}/versions/1/download`, { headers: { range: 'bytes=4-8' } });
  t.deepEqual([part.status, await part.text()], [206, 'first']);
  const comparison = await admin.get(`/api/documents/${id}/versions/1/compare/2`);
  t.is(comparison.status, 200);
  t.like(comparison.body, { total: 1, pages: [{ page: 1, change: 'changed', is_detailed: true }] });
  t.like((comparison.body['pages'] as { parts: unknown[] }[])[0]?.parts[1], { kind: 'removed', text: 'first' });
  t.deepEqual(await admin.find('"first wording"'), []);
  t.deepEqual(await admin.find('"second wording"'), [id]);
  for (const path of ['versions/3/download', 'versions/3/pages', 'versions/1/compare/3'])
    t.is(conditionOf((await admin.get(`/api/documents/${id}/${path}`)).body), 'VERSION_NOT_FOUND');
  t.is((await admin.get(`/api/documents/${id}/versions/0/pages`)).status, 404);

  const { rows: events } = await database.pool.query(
    `select data from events where type = 'document_updated' and document_id = $1 and data -> 'changes' ? 'version'`,
    [id],
  );
  t.like(events, [{ data: { changes: { version: 2, status: 'pending', sha256: hashOf('the second wording') } } }]);
  const { rows: audit } = await database.pool.query(
    `select details from audit_log where action = 'document.content_replaced' and subject_id = $1`,
    [id],
  );
  t.deepEqual(audit, [{ details: { version: 2, sha256: hashOf('the second wording'), previous_sha256: hashOf('the first wording') } }]);
  const { rows: ledger } = await database.pool.query('select state, path from ingest_ledger where document_id = $1 order by created_at', [
    id,
  ]);
  t.deepEqual(ledger, [
    { state: 'ingested', path: 'old.txt' },
    { state: 'ingested', path: 'new.txt' },
  ]);
});

test('an earlier version is previewed as the PDF that it is or was made into, and the others have none', async (t) => {
  const { admin, database, folder } = t.context;
  const storage = new LocalStorage({ path: join(folder, 'uploads'), thumbnailPath: join(folder, 'uploads', 'thumbnails') });
  const id = await given(t.context, 'a table');
  await database.pool.query(
    "update documents set mime_type = 'application/vnd.oasis.opendocument.spreadsheet', filename = 'table.ods' where id = $1",
    [id],
  );
  const previewOf = (version: number) => admin.request(`/api/documents/${id}/versions/${version}/preview`);
  t.is((await previewOf(1)).status, 404);
  await storage.put(previewKey(hashOf('a table')), Readable.from(['%PDF-of-a-table']));
  const pdf = makePdf([{ lines: ['a page'] }]).toString('latin1');
  t.is((await replace(admin, id, pdf, 'page.pdf')).status, 200);
  await process(t.context, id, 'a page');
  t.is((await replace(admin, id, 'plain', 'plain.txt')).status, 200);
  const made = await previewOf(1);
  t.is(await made.text(), '%PDF-of-a-table');
  t.is(made.headers.get('content-type'), 'application/pdf');
  t.regex(made.headers.get('content-disposition') ?? '', /^inline; filename="table\.pdf"/);
  t.is(await (await previewOf(2)).text(), pdf);
  const none = await admin.get(`/api/documents/${id}/versions/3/preview`);
  t.is(`${none.status} ${conditionOf(none.body)}`, '404 PREVIEW_NOT_AVAILABLE');
  t.is((await previewOf(4)).status, 404);
});

test('the same file changes nothing, that of another document is refused, and so is what an upload would refuse', async (t) => {
  const { admin } = t.context;
  const id = await given(t.context, 'kept as it is');
  const other = await given(t.context, 'of another document');
  t.like(await replace(admin, id, 'kept as it is', 'other-name.txt'), {
    status: 200,
    body: { version: 1, filename: 'old.txt', status: 'completed' },
  });
  const taken = await replace(admin, id, 'of another document');
  t.is(taken.status, 409);
  t.is(detailsOf(taken)['document_id'], other);
  for (const [words, name] of [
    ['%PDF-1.7 said by a text', 'a.png'],
    ['words', 'a.exe'],
    ['', 'empty.txt'],
    ['x'.repeat(1_100_000), 'large.txt'],
  ] as const)
    t.is((await replace(admin, id, words, name)).status, 400, name);
  t.is((await replace(admin, '019eb1f0-0000-7000-8000-000000000000', 'nowhere')).status, 404);
  const viewer = await admin.register('vera', 'viewer');
  t.is((await replace(viewer, id, 'not hers')).status, 403);
  t.is((await versionsOf(t.context, id)).length, 1);
});

test('what is an earlier version alone is no duplicate, and deleting the document that it became keeps the version', async (t) => {
  const { admin } = t.context;
  const id = await given(t.context, 'said before');
  await replace(admin, id, 'said after');
  const { status, body } = await admin.upload({ name: 'again.txt', bytes: bytesOf('said before') });
  t.is(status, 201);
  const restore = await admin.post(`/api/documents/${id}/versions/1/restore`, {});
  t.deepEqual([restore.status, detailsOf(restore)['document_id']], [409, body['id']]);
  t.is((await admin.delete(`/api/documents/${String(body['id'])}`)).status, 204);
  t.is(await (await admin.request(`/api/documents/${id}/versions/1/download`)).text(), 'said before');
});

test('two replacements before the first is processed keep no text under a file that it is not of', async (t) => {
  const { admin } = t.context;
  const id = await given(t.context, 'text of one');
  await replace(admin, id, 'text of two');
  t.like((await admin.get(`/api/documents/${id}/pages`)).body, { pages: [{ content: 'text of one' }] }, 'until it is processed');
  await replace(admin, id, 'text of three');
  const pagesOf = async (version: number) => (await admin.get(`/api/documents/${id}/versions/${version}/pages`)).body;
  t.like(await pagesOf(1), { pages: [{ content: 'text of one' }] });
  t.deepEqual(await pagesOf(2), { pages: [], total: 0 });
});

test('a version is restored as the newest one, with its text, and nothing is recognised again', async (t) => {
  const { admin, database } = t.context;
  const id = await given(t.context, 'the original lettering');
  await replace(admin, id, 'the wrong scan');
  await process(t.context, id, 'the wrong scan');
  const { status, body } = await admin.post(`/api/documents/${id}/versions/1/restore`, {});
  t.is(status, 200);
  t.like(body, {
    version: 3,
    sha256: hashOf('the original lettering'),
    filename: 'old.txt',
    page_count: 1,
    content: 'the original lettering',
  });
  t.deepEqual(await admin.find('lettering'), [id]);
  t.deepEqual(await admin.find('"wrong scan"'), []);
  const { rows } = await database.pool.query('select is_stale from document_pages where document_id = $1', [id]);
  t.deepEqual(rows, [{ is_stale: false }], 'a worker finds its pages there');
  t.deepEqual(
    (await versionsOf(t.context, id)).map(({ version, sha256 }) => [version, sha256]),
    [
      [3, hashOf('the original lettering')],
      [2, hashOf('the wrong scan')],
      [1, hashOf('the original lettering')],
    ],
  );
  t.like(await admin.post(`/api/documents/${id}/versions/3/restore`, {}), { status: 200, body: { version: 3 } });
  t.is(conditionOf((await admin.post(`/api/documents/${id}/versions/9/restore`, {})).body), 'VERSION_NOT_FOUND');
});

test('another document becomes earlier versions, in the order of their time, and gives its labels and notes', async (t) => {
  const { admin, database } = t.context;
  const older = await given(t.context, 'drafted first');
  await replace(admin, older, 'drafted second');
  await process(t.context, older, 'drafted second');
  const newer = await given(t.context, 'the final one');
  await replace(admin, newer, 'the final one, signed');
  await process(t.context, newer, 'the final one, signed');
  const { body: label } = await admin.post('/api/labels', { name: 'Contract', color: '#123456' });
  await admin.post(`/api/labels/${String(label['id'])}/assign`, { document_ids: [older] });
  await admin.post(`/api/documents/${older}/notes`, { text: 'ask about the heron' });

  t.is((await admin.post(`/api/documents/${newer}/versions`, { document_id: newer })).status, 400);
  const { status, body } = await admin.post(`/api/documents/${newer}/versions`, { document_id: older });
  t.is(status, 200);
  t.like(body, { id: newer, version: 4, sha256: hashOf('the final one, signed'), labels: ['Contract'], notes_count: 1 });
  t.is((await admin.get(`/api/documents/${older}`)).status, 404);
  const words = ['drafted first', 'drafted second', 'the final one', 'the final one, signed'];
  t.deepEqual(
    (await versionsOf(t.context, newer)).map(({ version, sha256, is_current }) => [version, sha256, is_current]),
    words.map((text, at) => [at + 1, hashOf(text), at === 3]).toReversed(),
  );
  for (const [at, text] of words.entries()) {
    t.is(await (await admin.request(`/api/documents/${newer}/versions/${at + 1}/download`)).text(), text);
    t.like((await admin.get(`/api/documents/${newer}/versions/${at + 1}/pages`)).body, { pages: [{ content: text }], total: 1 });
  }
  t.deepEqual(await admin.find('heron'), [newer]);
  const { rows } = await database.pool.query('select count(*)::int as files from ingest_ledger where document_id = $1', [newer]);
  t.deepEqual(rows, [{ files: 4 }], 'the import log leads to the document that is left');
});

test('joining needs the right to delete the other document', async (t) => {
  const { admin } = t.context;
  const editor = await admin.register('edda', 'editor');
  const { body: own } = await editor.upload({ name: 'own.txt', bytes: bytesOf('of the editor') });
  const id = await given(t.context, 'of the administrator');
  t.is((await editor.post(`/api/documents/${String(own['id'])}/versions`, { document_id: id })).status, 403);
  t.is((await editor.post(`/api/documents/${id}/versions`, { document_id: own['id'] })).status, 200);
});
