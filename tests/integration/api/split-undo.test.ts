import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lockDocumentAndJob } from '@sheaf/documents';
import { savePages } from '@sheaf/documents/pages';
import { movePages, splitDocument } from '@sheaf/ingest/split';
import { LocalStorage } from '@sheaf/storage';
import type { Answer } from '@sheaf/testkit';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

const hashOf = (words: string): string => createHash('sha256').update(words).digest('hex');

/** A document of three pages, processed. */
const given = async ({ admin, database: { db, pool } }: RunningApi, words: string): Promise<string> => {
  const { body } = await admin.upload({ name: 'stack.txt', bytes: new TextEncoder().encode(words) });
  const id = String(body['id']);
  await savePages(
    db,
    id,
    [1, 2, 3].map((page) => ({ page, content: `${words} ${page}`, confidence: 0.9, origin: 'ocr' as const })),
  );
  await pool.query(`update documents set status = 'completed', page_count = 3, completed_at = now() where id = $1`, [id]);
  await pool.query(`update ocr_jobs set status = 'completed', completed_at = now() where document_id = $1`, [id]);
  return id;
};

/** What the import log says of the file. */
const entryOf = async ({ admin }: RunningApi, id: string) =>
  ((await admin.get('/api/ingest?q=stack.txt')).body['data'] as Record<string, unknown>[]).find((entry) => entry['document_id'] === id);

/** Splits it behind its first page; returns the other part. */
const split = async ({ database: { db }, folder }: RunningApi, id: string, words: string): Promise<string> => {
  const storage = new LocalStorage({ path: join(folder, 'uploads'), thumbnailPath: join(folder, 'thumbnails') });
  const parts = [[1], [2, 3]].map((pages, at) => ({ path: join(folder, `${id}-${at}`), pages }));
  for (const { path, pages } of parts) await writeFile(path, `${words} part ${pages.join()}`);
  const lock = async (tx: typeof db) => {
    const document = await lockDocumentAndJob(tx, id);
    if (document === undefined) throw new Error('gone');
    return document;
  };
  const { documents } = await splitDocument(
    { db, storage, settings: { maxAttempts: 3, versionsKeep: 0 } },
    { sha256: hashOf(words), parts, lock, movePages },
  );
  return documents[1]?.id ?? '';
};

const reasonOf = ({ body }: Answer) => (body['error'] as { details: Record<string, unknown> }).details['reason'];

const undo = ({ admin }: Pick<RunningApi, 'admin'>, id: string): Promise<Answer> => admin.post(`/api/documents/${id}/split/undo`, {});

test('a split that is undone leaves the whole with what was added to the parts, which are in the trash', async (t) => {
  const { admin, database } = t.context;
  const id = await given(t.context, 'harbour');
  const part = await split(t.context, id, 'harbour');
  t.like((await admin.get(`/api/documents/${part}`)).body, { page_count: null, content: 'harbour 2\fharbour 3', title: 'stack (2)' });
  await admin.send('PATCH', `/api/documents/${part}`, { metadata: { shelf: 'B', split_from: 'nothing' } });
  t.like((await admin.get(`/api/documents/${part}`)).body['metadata'], { shelf: 'B', split_from: { document_id: id, pages: [2, 3] } });
  await admin.post('/api/labels', { name: 'added', color: '#112233' });
  await admin.send('PATCH', `/api/documents/${part}`, { labels: ['added'] });
  await admin.post(`/api/documents/${part}/notes`, { text: 'who paid this' });
  const { body: whole } = await admin.get(`/api/documents/${id}`);
  t.is((await admin.send('PUT', `/api/documents/${id}`, { metadata: {}, title: 'Mine' })).status, 200);
  t.deepEqual((await admin.get(`/api/documents/${id}`)).body['metadata'], whole['metadata']);
  t.like(await entryOf(t.context, id), { state: 'split' });

  const { status, body } = await undo(t.context, id);
  t.is(status, 200);
  t.like(body, {
    id,
    title: 'Mine',
    version: 3,
    filename: 'stack.txt',
    mime_type: 'text/plain',
    sha256: hashOf('harbour'),
    status: 'pending',
    page_count: 3,
    content: 'harbour 1\fharbour 2\fharbour 3',
    labels: ['added'],
    notes_count: 1,
    metadata: {},
  });
  t.is((await admin.get(`/api/documents/${part}`)).status, 404);
  t.like(await entryOf(t.context, id), { state: 'ingested', reason: null });
  const restored = await admin.post(`/api/trash/${part}/restore`, {});
  t.like(restored.body, { id: part, labels: ['added'], notes_count: 0, content: 'harbour 2\fharbour 3' });
  t.is(reasonOf(await undo(t.context, id)), 'document_not_split');
  const { rows } = await database.pool.query(`select details from audit_log where action = 'document.split_undone'`);
  t.like(rows, [{ details: { version: 3, restored_version: 1, parts: [part] } }]);
  t.is((await database.pool.query(`select from ocr_jobs where document_id = $1 and status = 'pending'`, [id])).rowCount, 1);
});

test('what cannot be undone says why, and changes nothing', async (t) => {
  const { admin, database } = t.context;
  const never = await given(t.context, 'never');
  const replaced = await given(t.context, 'replaced');
  const trimmed = await given(t.context, 'trimmed');
  const again = await given(t.context, 'again');
  t.is(reasonOf(await undo(t.context, never)), 'document_not_split');
  t.is((await undo(t.context, '00000000-0000-7000-8000-000000000000')).status, 404);
  const parts = [await split(t.context, replaced, 'replaced'), await split(t.context, trimmed, 'trimmed')];
  const form = new FormData();
  form.set('file', new Blob(['newer']), 'newer.txt');
  t.is((await admin.request(`/api/documents/${replaced}/content`, { method: 'PUT', body: form })).status, 200);
  t.is(reasonOf(await undo(t.context, replaced)), 'split_changed');
  await database.pool.query('delete from document_versions where document_id = $1', [trimmed]);
  t.is(reasonOf(await undo(t.context, trimmed)), 'split_trimmed');
  for (const part of parts) t.is((await admin.get(`/api/documents/${part}`)).status, 200);

  await split(t.context, again, 'again');
  const other = await admin.upload({ name: 'other.txt', bytes: new TextEncoder().encode('again') });
  t.is(other.status, 201);
  const answer = await undo(t.context, again);
  t.is(answer.status, 409);
  t.is(reasonOf(answer), 'duplicate_file');
  await admin.delete(`/api/documents/${String(other.body['id'])}`);
  const editor = await admin.register('edith', 'editor');
  t.is((await undo({ admin: editor }, again)).status, 403, 'may change it, and not delete the parts');
  t.is((await undo(t.context, again)).status, 200);
});
