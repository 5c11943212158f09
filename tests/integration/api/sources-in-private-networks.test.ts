import { ApiClient } from '@sheaf/testkit';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

test('whoever does not administer sources learns nothing of private networks by testing one', async (t) => {
  const { admin, database } = t.context;
  await admin.post('/api/auth/register', { username: 'ed', email: 'ed@example.org', password: 'correct horse battery', role: 'editor' });
  await using api = await startApiWithPermissions(database, {});
  const editor = await new ApiClient(api.url).login('ed');
  const ask = async (url: string, fields: Record<string, unknown>) => {
    const { status, body } = await editor.post('/api/sources/test', { ...fields, ...(fields['type'] === 's3' ? {} : { url }) });
    const { duration_ms: _, message, ...rest } = body;
    return { status, ...rest, message: String(message).replace(new URL(url).host, '*') };
  };
  const urls = [
    'http://10.0.0.1/',
    'http://192.168.178.1:22/',
    'http://172.16.0.9:65535/',
    'http://[fd00::5]/',
    'http://100.64.0.1/',
    'http://127.0.0.1:1/',
    'http://nobody.invalid/',
  ];
  const answers = [
    ...(await Promise.all(urls.map((url) => ask(url, { type: 'webdav' })))),
    await ask('http://10.9.9.9:9000/', {
      type: 's3',
      username: 'a',
      password: 'b',
      settings: { bucket: 'c', endpoint_url: 'http://10.9.9.9:9000/' },
    }),
  ];
  t.like(answers[0], { status: 200, success: false, code: 'refused' });
  t.regex(answers[0]?.message ?? '', /OUTBOUND_ALLOWED_NETWORKS/);
  for (const answer of answers) t.deepEqual(answer, answers[0]);
});
