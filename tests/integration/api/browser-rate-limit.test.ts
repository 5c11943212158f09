import { bearer, openBrowser } from '../../support/person.ts';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi({
  RATE_LIMIT_ENABLED: 'true',
  RATE_LIMIT_PER_MINUTE: '20',
  RATE_LIMIT_BURST: '0',
  RATE_LIMIT_UPLOADS_PER_MINUTE: '1',
  RATE_LIMIT_BROWSER_PER_MINUTE: '30',
});

test('a browser has a limit of its own, which counts uploads too', async (t) => {
  const { anyone } = t.context;
  const { cookie, csrf } = await openBrowser(t.context, 'admin');
  const login = await anyone.post('/api/auth/login', { username: 'admin', password: 'correct horse battery' });
  const look = async (headers: Record<string, string>): Promise<Response> => anyone.request('/api/auth/me', { headers });
  const upload = async (name: string): Promise<number> => {
    const form = new FormData();
    form.append('file', new Blob([name]), `${name}.txt`);
    return (await anyone.request('/api/documents/upload', { method: 'POST', headers: { cookie, 'x-csrf-token': csrf }, body: form }))
      .status;
  };
  t.deepEqual([await upload('one'), await upload('two'), await upload('three')], [201, 201, 201], 'more than the uploads of a program');
  const first = await look({ cookie });
  t.deepEqual([first.headers.get('x-ratelimit-limit'), first.headers.get('x-ratelimit-remaining')], ['30', '26']);
  for (let left = 26; left > 0; left -= 1) t.is((await look({ cookie })).status, 200);
  t.is((await look({ cookie })).status, 429);
  const program = await look({ ...bearer(login.body['token']) });
  t.deepEqual([program.status, program.headers.get('x-ratelimit-limit')], [200, '20'], 'a token of the same user counts apart');
});
