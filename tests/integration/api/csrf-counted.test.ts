// What is refused for want of a CSRF token counts like any other request: guessing is not free.
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ RATE_LIMIT_ENABLED: 'true' });

test('a change by cookie without its token counts against the limit and says so', async (t) => {
  const { anyone } = t.context;
  const login = await anyone.post('/api/auth/login', { username: 'admin', password: 'correct horse battery', cookie: true });
  const cookie = login.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const left = async (): Promise<number> => {
    const answer = await anyone.request('/api/auth/logout', { method: 'POST', headers: { cookie } });
    t.is(answer.status, 403);
    return Number(answer.headers.get('x-ratelimit-remaining') ?? -1);
  };
  const first = await left();
  t.true(first > 0);
  t.is(await left(), first - 1);
});
