import { randomUUID } from 'node:crypto';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ FEATURE_MULTI_LANGUAGE_OCR: 'false' });

const upload = ({ admin }: RunningApi, language: string) =>
  admin.upload({ name: 'note.txt', bytes: new TextEncoder().encode(`a note ${randomUUID()}`) }, { language });
const retry = ({ admin }: RunningApi, id: unknown, language: string) => admin.post(`/api/documents/${String(id)}/retry-ocr`, { language });
const pathsOf = (body: Record<string, unknown>) =>
  (body['error'] as { details: { issues: { path: string }[] } }).details.issues.map(({ path }) => path);

test('where reading in several languages is switched off, an upload and a retry name one at most', async (t) => {
  const refused = await upload(t.context, 'deu+eng');
  t.is(refused.status, 400);
  t.deepEqual(pathsOf(refused.body), ['language']);
  const { status, body } = await upload(t.context, 'eng');
  t.is(status, 201);
  t.is((await retry(t.context, body['id'], 'eng+deu')).status, 400);
  t.is((await retry(t.context, body['id'], 'deu')).status, 200);
});

test('a language that is refused is called as the field that named it', async (t) => {
  const { status, body } = await t.context.admin.send('PUT', '/api/settings', { ocr_default_language: 'deu+eng' });
  t.is(status, 400);
  t.deepEqual(pathsOf(body), ['ocr_default_language']);
});
