import { randomUUID } from 'node:crypto';
import { recordHeartbeat } from '@sheaf/program';
import { heartbeat } from '../../support/heartbeat.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ FEATURE_MULTI_LANGUAGE_OCR: 'false' });

const upload = ({ admin }: RunningApi, language: string) =>
  admin.upload({ name: 'note.txt', bytes: new TextEncoder().encode(`a note ${randomUUID()}`) }, { language });
const retry = ({ admin }: RunningApi, id: unknown, language: string) => admin.post(`/api/documents/${String(id)}/retry-ocr`, { language });
const pathsOf = (body: Record<string, unknown>) =>
  (body['error'] as { details: { issues: { path: string }[] } }).details.issues.map(({ path }) => path);

test('where reading in several languages is disabled, an upload and a retry name one at most', async (t) => {
  const refused = await upload(t.context, 'deu+eng');
  t.is(refused.status, 400);
  t.deepEqual(pathsOf(refused.body), ['language']);
  const { status, body } = await upload(t.context, 'eng');
  t.is(status, 201);
  t.is((await retry(t.context, body['id'], 'eng+deu')).status, 400);
  t.is((await retry(t.context, body['id'], 'deu')).status, 200);
});

test.serial('the languages that documents can be read in are those of the readers that run, and unknown while none does', async (t) => {
  const { admin, anyone, database } = t.context;
  t.is((await anyone.get('/api/ocr/languages')).status, 401);
  t.deepEqual((await admin.get('/api/ocr/languages')).body, { languages: null, several: false });
  const now = new Date();
  await recordHeartbeat(database.db, heartbeat(now, { name: 'ocr-worker', facts: { languages: ['eng', 'osd', 'deu', 'equ'] } }), now);
  t.deepEqual((await admin.get('/api/ocr/languages')).body, { languages: ['deu', 'eng'], several: false });
});

test('a language that is refused is called as the field that named it', async (t) => {
  const { status, body } = await t.context.admin.send('PUT', '/api/settings', { ocr_default_language: 'deu+eng' });
  t.is(status, 400);
  t.deepEqual(pathsOf(body), ['ocr_default_language']);
});

test.serial('what is no language is called that, and nobody is told to install it', async (t) => {
  const { admin, database } = t.context;
  const now = new Date();
  await recordHeartbeat(database.db, heartbeat(now, { name: 'ocr-worker', facts: { languages: ['eng'] } }), now);
  for (const [key, text, code] of [
    ['ocr_language', 'eng; rm -rf', 'not_language'],
    ['ocr_language', '../eng', 'not_language'],
    ['ocr_language', 'eng+eng', 'language_twice'],
    ['ocr_default_language', 'eng; rm -rf', 'not_language'],
  ] as const) {
    const { status, body } = await admin.send('PUT', '/api/settings', { [key]: text });
    t.is(status, 400);
    t.deepEqual(pathsOf(body), [key]);
    const { message, details } = body['error'] as { message: string; details: { issues: { code: string }[] } };
    t.deepEqual(
      details.issues.map((issue) => issue.code),
      [code],
    );
    t.notRegex(message, /install/);
  }
  t.is((await admin.send('PUT', '/api/settings', { ocr_language: 'fra' })).status, 400, 'it is not installed');
});
