// Text that a program or a person writes in place of what was extracted, by the Paperless-compatible API and by ours.
import { markPagesStale, type PageFields, savePages } from '@sheaf/documents/pages';
import { indexDocument } from '@sheaf/search';
import type { ApiClient } from '@sheaf/testkit';
import { z } from 'zod';
import { conditionOf } from '../../../support/error-condition.ts';
import { listOf, PaperlessClient, swiftDocument } from '../../../support/paperless.ts';
import { type RunningApi, testWithApi } from '../../../support/running-api.ts';

const test = testWithApi({ FEATURE_PAPERLESS_API: 'true' });

let count = 0;

interface Processed {
  readonly id: string;
  readonly number: number;
  readonly client: PaperlessClient;
}

/** A document of which OCR recognised these pages. */
const givenPages = async ({ admin, anyone, database }: RunningApi, texts: readonly string[]): Promise<Processed> => {
  const title = `Edited ${(count += 1)}`;
  const { body } = await admin.upload({ name: `${title}.txt`, bytes: new TextEncoder().encode(title) });
  const id = String(body['id']);
  const pages = texts.map((content, at): PageFields => ({ page: at + 1, content, confidence: 0.5, origin: 'ocr', language: 'eng' }));
  await savePages(database.db, id, pages);
  await indexDocument(database.db, id);
  await database.pool.query(`update documents set status = 'completed', page_count = $2, completed_at = now() where id = $1`, [
    id,
    texts.length,
  ]);
  const client = await PaperlessClient.signIn(anyone, 'admin');
  return { id, number: await client.numberOf(title), client };
};

const pagesOf = async (admin: ApiClient, id: string) =>
  z
    .array(z.looseObject({ content: z.string(), origin: z.string() }))
    .parse((await admin.get(`/api/documents/${id}/pages`)).body['pages'])
    .map(({ content, origin }) => [content, origin]);

const found = async (client: PaperlessClient, word: string): Promise<number[]> =>
  (await client.read(`documents/?query=${word}`, listOf(swiftDocument))).results.map(({ id }) => id);

test('text that an app writes is stored, found, shown as edited, and in the audit log with its author', async (t) => {
  const { admin, database } = t.context;
  const { id, number, client } = await givenPages(t.context, ['the old zanzibar text']);
  const { status, body } = await client.send('PATCH', `documents/${number}/`, { content: 'a new quagmire text' });
  t.is(status, 200);
  t.like(body, { content: 'a new quagmire text' });
  t.deepEqual(await found(client, 'quagmire'), [number]);
  t.deepEqual(await found(client, 'zanzibar'), []);
  t.like((await client.read(`documents/?id__in=${number}`, listOf(swiftDocument))).results, [{ content: 'a new quagmire text' }]);
  t.deepEqual(await pagesOf(admin, id), [['a new quagmire text', 'edited']]);
  const { rows } = await database.pool.query<{ actor_name: string; details: unknown }>(
    `select actor_name, details from audit_log where action = 'document.text_edited' and subject_id = $1`,
    [id],
  );
  t.deepEqual(rows, [{ actor_name: 'admin', details: { pages: [1], page_count: 1 } }]);
});

test('of a text with page breaks only the pages that differ are edited, and without page breaks it is that of the first page', async (t) => {
  const { admin } = t.context;
  const { id } = await givenPages(t.context, ['one', 'two', 'three']);
  t.like((await admin.send('PUT', `/api/documents/${id}`, { content: 'one\fsecond\fthree' })).body, { content: 'one\fsecond\fthree' });
  t.deepEqual(await pagesOf(admin, id), [
    ['one', 'ocr'],
    ['second', 'edited'],
    ['three', 'ocr'],
  ]);
  t.like((await admin.send('PATCH', `/api/documents/${id}`, { content: 'all of it' })).body, { content: 'all of it' });
  t.is((await admin.get(`/api/documents/${id}`)).body['content'], 'all of it');
  t.deepEqual(await pagesOf(admin, id), [
    ['all of it', 'edited'],
    ['', 'edited'],
    ['', 'edited'],
  ]);
  t.like((await admin.send('PATCH', `/api/documents/${id}`, { content: 'a\fb\fc\fd' })).body, { content: 'a\fb\fc\fd' });
});

test('what lists and documents in processing show of a text changes nothing when it is sent back', async (t) => {
  const { admin } = t.context;
  const { id, number, client } = await givenPages(t.context, ['one', 'two', 'three']);
  for (const content of ['', 'one', 'one\ftwo', 'one\ftwo\fthree']) {
    t.like((await client.send('PUT', `documents/${number}/`, { title: `Sent with ${content.length}`, content })).body, {
      content: 'one\ftwo\fthree',
    });
  }
  const { body: before } = await admin.get(`/api/documents/${id}`);
  t.is((await admin.send('PUT', `/api/documents/${id}`, { ...before, title: 'Sent back' })).status, 200);
  t.deepEqual(
    (await pagesOf(admin, id)).map(([, origin]) => origin),
    ['ocr', 'ocr', 'ocr'],
  );
});

test('edited text stays when OCR runs again, unless the request replaces it, and is refused while pages are to come', async (t) => {
  const { admin, database } = t.context;
  const { id, number, client } = await givenPages(t.context, ['one', 'two']);
  t.is((await admin.send('PATCH', `/api/documents/${id}`, { content: 'first\ftwo' })).status, 200);
  const stale = async () =>
    (
      await database.pool.query<{ is_stale: boolean }>('select is_stale from document_pages where document_id = $1 order by page', [id])
    ).rows.map((row) => row.is_stale);
  t.is((await admin.post(`/api/documents/${id}/retry-ocr`, {})).status, 200);
  t.deepEqual(await stale(), [false, true]);
  const refused = await admin.send('PATCH', `/api/documents/${id}`, { content: 'second' });
  t.deepEqual([refused.status, conditionOf(refused.body)], [409, 'DOCUMENT_IS_PROCESSING']);
  t.is((await client.send('PATCH', `documents/${number}/`, { content: 'second' })).status, 400);
  t.is((await client.send('PATCH', `documents/${number}/`, { title: 'Other', content: 'first\ftwo' })).status, 200);
  t.is((await admin.post(`/api/documents/${id}/retry-ocr`, { replace_edited: true })).status, 200);
  t.deepEqual(await stale(), [true, true]);
  await markPagesStale(database.db, [id], { keepsEdited: true });
  t.deepEqual(await stale(), [true, true]);
});
