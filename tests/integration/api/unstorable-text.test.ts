// Texts that PostgreSQL takes nowhere: NUL, and halves of characters. They are refused or left out, and are no error of the service.
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ FEATURE_LABELS: 'true' });
const HALF = '\uD800';

test('a sign-in by half a character fails like any other, and is written down', async (t) => {
  const { anyone, admin } = t.context;
  for (const username of [`half ${HALF}`, `nul \0`]) {
    const { status } = await anyone.post('/api/auth/login', { username, password: 'wrong' });
    t.is(status, 401, JSON.stringify(username));
  }
  const { body } = await admin.get('/api/audit?action=sign_in&outcome=failure');
  t.is((body['data'] as unknown[]).length, 2);
});

for (const [what, text] of Object.entries({ NUL: 'a\0b', 'half a character': `a${HALF}b` })) {
  test(`${what} in what people type is no error of the service`, async (t) => {
    const { admin, anyone } = t.context;
    const query = encodeURIComponent(text.replace(HALF, '\uFFFD'));
    const answers = {
      'key name': await admin.post('/api/keys', { name: text, scope: ['documents.read'] }),
      'device name': await admin.post('/api/auth/mfa/totp/setup', { name: text }),
      role: await admin.get(`/api/users?role=${query}`),
      q: await admin.get(`/api/users?q=${query}`),
      groups: await admin.get(`/api/users/${query}/groups`),
      'display name': await admin.send('PUT', '/api/users/profile', { display_name: text }),
      'name in an import': await admin.post('/api/users/import', [{ username: text, email: 'x@example.org' }]),
      label: await admin.post('/api/labels', { name: text }),
      invitation: await anyone.post('/api/auth/invitation', { token: text, password: 'correct horse battery' }),
      refresh: await anyone.post('/api/auth/refresh', { refresh_token: text }),
      mfa: await anyone.post('/api/auth/mfa/verify', { mfa_token: text, code: '123456' }),
    };
    for (const [where, { status }] of Object.entries(answers)) t.true(status < 500, `${where}: ${status}`);
  });
}
