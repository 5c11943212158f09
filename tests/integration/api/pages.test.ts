import { savePages } from '@sheaf/documents/pages';
import { encodePageWords } from '@sheaf/vocabulary/page-words';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

let count = 0;
/** A document of which pages `from` to `to` have been read. */
const givenPages = async ({ admin, database }: RunningApi, from: number, to: number): Promise<string> => {
  count += 1;
  const { body } = await admin.upload({ name: 'paper.txt', bytes: new TextEncoder().encode(`a paper with pages ${count}`) });
  const id = String(body['id']);
  const pages = Array.from({ length: to - from + 1 }, (_, n) => ({
    page: from + n,
    content: `text of page ${from + n}`,
    confidence: 0.5,
    origin: 'ocr' as const,
  }));
  await savePages(database.db, id, pages);
  return id;
};

const numbersOf = (body: Record<string, unknown>): number[] => (body['pages'] as { page: number }[]).map(({ page }) => page);

test('pages are answered in their order with text, confidence and origin, and how many there are', async (t) => {
  const id = await givenPages(t.context, 1, 3);
  const { status, body } = await t.context.admin.get(`/api/documents/${id}/pages`);
  t.is(status, 200);
  t.deepEqual(body, {
    pages: [1, 2, 3].map((page) => ({ page, content: `text of page ${page}`, confidence: 0.5, origin: 'ocr' })),
    total: 3,
  });
});

test('from and to are included, and pages that are not there are left out', async (t) => {
  const { admin } = t.context;
  const id = await givenPages(t.context, 1, 5);
  const pages = async (query: string) => numbersOf((await admin.get(`/api/documents/${id}/pages?${query}`)).body);
  t.deepEqual(await pages('from=2&to=4'), [2, 3, 4]);
  t.deepEqual(await pages('from=4'), [4, 5]);
  t.deepEqual(await pages('to=2'), [1, 2]);
  t.deepEqual(await pages('from=5&to=9'), [5]);
  t.deepEqual(await pages('from=6'), []);
  t.is((await admin.get(`/api/documents/${id}/pages?from=6`)).body['total'], 5);
});

test('at most a hundred pages are answered at once', async (t) => {
  const { admin } = t.context;
  const id = await givenPages(t.context, 1, 230);
  const first = (await admin.get(`/api/documents/${id}/pages`)).body;
  t.is(numbersOf(first).length, 100);
  t.is(first['total'], 230);
  t.deepEqual(numbersOf((await admin.get(`/api/documents/${id}/pages?from=201`)).body).length, 30);
  t.is((await admin.get(`/api/documents/${id}/pages?from=1&to=100`)).status, 200);
  t.is((await admin.get(`/api/documents/${id}/pages?from=1&to=101`)).status, 400);
});

test('a range that is none is 400', async (t) => {
  const id = await givenPages(t.context, 1, 1);
  for (const query of [
    'from=0',
    'from=-1',
    'from=2&to=1',
    'from=1.5',
    'from=x',
    'from=1&from=2',
    'from=99999999999999999999',
    'page=0',
    'per_page=0',
    'page=x',
  ])
    t.is((await t.context.admin.get(`/api/documents/${id}/pages?${query}`)).status, 400, query);
});

test('pages are there while others wait, and old ones stay until they are read again', async (t) => {
  const { admin, database } = t.context;
  const id = await givenPages(t.context, 2, 2);
  t.deepEqual(numbersOf((await admin.get(`/api/documents/${id}/pages`)).body), [2]);
  t.is((await admin.post(`/api/documents/${id}/retry-ocr`, {})).status, 200);
  t.like((await admin.get(`/api/documents/${id}/pages`)).body, { pages: [{ content: 'text of page 2' }], total: 1 });
  await savePages(database.db, id, [{ page: 2, content: 'new text', confidence: 1, origin: 'text' }]);
  t.like((await admin.get(`/api/documents/${id}/pages`)).body, { pages: [{ content: 'new text', origin: 'text' }], total: 1 });
});

test('pages of a document that is not there are 404', async (t) => {
  t.is((await t.context.admin.get('/api/documents/019eb1f0-0000-7000-8000-000000000000/pages')).status, 404);
  t.is((await t.context.admin.get('/api/documents/x/pages')).status, 404);
});

// alone: others that wait for the lock would take up all connections
test.serial('lists and the head of a document read no text: they answer while the pages are locked', async (t) => {
  const { admin, database } = t.context;
  const id = await givenPages(t.context, 1, 1);
  const client = await database.pool.connect();
  try {
    await client.query('begin');
    await client.query('lock table document_pages, document_search, document_search_parts in access exclusive mode');
    t.is((await admin.get('/api/documents?per_page=100&sort=title&status=pending')).status, 200);
    t.is((await admin.request(`/api/documents/${id}/download`)).status, 200);
  } finally {
    await client.query('rollback');
    client.release();
  }
});

test('the words of a page are answered with their places', async (t) => {
  const { admin, database } = t.context;
  const id = await givenPages(t.context, 1, 1);
  const content = 'Total amount';
  const box = { x: 0.25, y: 0.5, width: 0.125, height: 0.0625 };
  const words = encodePageWords(content, {
    width: 595.2,
    height: 841.9,
    words: [
      { text: 'Total', box, confidence: 0.9 },
      { text: 'amount', box: { ...box, x: 0.5 }, confidence: 0.8 },
    ],
  });
  await savePages(database.db, id, [{ page: 2, content, confidence: 0.85, origin: 'ocr', words }]);
  const { status, body } = await admin.get(`/api/documents/${id}/pages/2/words`);
  t.is(status, 200);
  t.deepEqual(body, {
    page: 2,
    width: 595.2,
    height: 841.9,
    origin: 'ocr',
    words: [
      { text: 'Total', start: 0, ...box, confidence: 0.9 },
      { text: 'amount', start: 6, ...box, x: 0.5, confidence: 0.8 },
    ],
  });
  const { body: without } = await admin.get(`/api/documents/${id}/pages/1/words`);
  t.deepEqual(without, { page: 1, width: null, height: null, origin: 'ocr', words: [] }, 'nothing is known of the places');
  await savePages(database.db, id, [{ page: 2, content, confidence: 1, origin: 'text' }]);
  t.deepEqual((await admin.get(`/api/documents/${id}/pages/2/words`)).body['words'], [], 'they go with the reading they are of');
});

test('the words of a page that is not there, or is none, are refused', async (t) => {
  const { admin } = t.context;
  const id = await givenPages(t.context, 1, 1);
  const { status, body } = await admin.get(`/api/documents/${id}/pages/2/words`);
  t.is(status, 404);
  t.like(body['error'], { code: 'PAGE_NOT_FOUND', details: { document_id: id, page: 2 } });
  for (const page of ['0', 'x', '1.5']) t.is((await admin.get(`/api/documents/${id}/pages/${page}/words`)).status, 404);
  t.is((await admin.get('/api/documents/019eb1f0-0000-7000-8000-000000000000/pages/1/words')).status, 404);
});
