import { savePages } from '@sheaf/documents/pages';
import { indexDocument } from '@sheaf/search';
import { fullOnly } from '../../support/full-run.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

/** A document that was found to be in `language`. */
const given = async (
  { admin, database }: RunningApi,
  name: string,
  content: string,
  language: string | null,
  missing: string | null = null,
) => {
  const { body } = await admin.upload({ name: `${name}.txt`, bytes: new TextEncoder().encode(`${name}: ${content}`) });
  const id = String(body['id']);
  await savePages(database.db, id, [{ page: 1, content, confidence: 1, origin: 'text', language: language ?? undefined }]);
  await database.pool.query('update documents set language = $2, missing_language = $3 where id = $1', [id, language, missing]);
  await indexDocument(database.db, id);
  return id;
};

const idsOf = (body: Record<string, unknown>, name: string, key: string): unknown[] =>
  (body[name] as Record<string, unknown>[]).map((row) => row[key]);

test('documents have the language of their text, which lists and searches are filtered by and searches are counted by', async (t) => {
  const { admin } = t.context;
  const german = await given(t.context, 'beitrag', 'Die Versicherungen wurden gekündigt, das Archiv', 'deu');
  const english = await given(t.context, 'premium', 'The insurances were cancelled, the archive Archiv', 'eng', 'pol');
  const unknown = await given(t.context, 'number', 'Archiv 12', null);

  t.like((await admin.get(`/api/documents/${german}`)).body, { language: 'deu', missing_language: null });
  t.like((await admin.get(`/api/documents/${english}`)).body, { language: 'eng', missing_language: 'pol' });
  t.like((await admin.get(`/api/documents/${unknown}`)).body, { language: null });
  const { body: listed } = await admin.get('/api/documents?language=deu');
  t.deepEqual(idsOf(listed, 'data', 'id'), [german]);
  t.is((listed['pagination'] as { total: number }).total, 1);
  t.is((await admin.get('/api/documents?language=de;')).status, 400);

  const search = async (filters: object) =>
    (await admin.get(`/api/search?q=archiv&filters=${encodeURIComponent(JSON.stringify(filters))}`)).body;
  const all = await search({});
  t.is(all['total'], 3);
  t.deepEqual((all['facets'] as Record<string, unknown>)['languages'], { deu: 1, eng: 1 });
  t.deepEqual(idsOf(await search({ language: 'deu' }), 'results', 'document_id'), [german]);
  t.is((await search({ language: ['deu', 'eng'] }))['total'], 2);
  t.deepEqual(idsOf((await admin.get('/api/search?q=versicherung')).body, 'results', 'document_id'), [german], 'by its own stemmer');
});

fullOnly(test)('auto is a language of uploads, users and the system, with the languages that it may be or without', async (t) => {
  const { admin } = t.context;
  for (const [n, language] of ['auto', 'auto:deu,fra', 'deu+eng'].entries()) {
    const { status, body } = await admin.upload({ name: `${n}.txt`, bytes: new TextEncoder().encode(`text ${n}`) }, { language });
    t.is(status, 201, language);
    t.is(body['ocr_language'], language);
    t.is((await admin.send('PUT', '/api/settings', { ocr_default_language: language, system: { ocr_language: language } })).status, 200);
  }
  for (const [n, language] of ['auto:', 'auto:deu+fra', 'auto+deu', 'deu,fra', 'auto:deu,deu', 'auto:auto'].entries()) {
    const { status } = await admin.upload({ name: `bad ${n}.txt`, bytes: new TextEncoder().encode(`bad ${n}`) }, { language });
    t.is(status, 400, language);
  }
});
