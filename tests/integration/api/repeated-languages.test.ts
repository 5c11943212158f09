import { randomUUID } from 'node:crypto';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({});

const upload = ({ admin }: RunningApi, language: string) =>
  admin.upload({ name: 'note.txt', bytes: new TextEncoder().encode(`a note ${randomUUID()}`) }, { language });
const retry = ({ admin }: RunningApi, id: unknown, language: string) => admin.post(`/api/documents/${String(id)}/retry-ocr`, { language });
const pathsOf = (body: Record<string, unknown>) =>
  (body['error'] as { details: { issues: { path: string }[] } }).details.issues.map(({ path }) => path);

test('a language is named once, by an upload, a retry and a setting', async (t) => {
  const { admin } = t.context;
  const { body } = await upload(t.context, 'eng');
  const answers = [
    await upload(t.context, 'eng+eng'),
    await retry(t.context, body['id'], 'deu+eng+deu'),
    await admin.send('PUT', '/api/settings', { ocr_default_language: 'eng+eng' }),
  ];
  t.deepEqual(
    answers.map(({ status, body: refusal }) => [status, ...pathsOf(refusal)]),
    [
      [400, 'language'],
      [400, 'language'],
      [400, 'ocr_default_language'],
    ],
  );
});
