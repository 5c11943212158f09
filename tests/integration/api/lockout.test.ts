import type { Answer } from '@sheaf/testkit';
import test from 'ava';
import { type RunningApi, startApi } from '../../support/running-api.ts';

const PASSWORD = 'correct horse battery';
const login = ({ anyone }: RunningApi, username: string, password: string) => anyone.post('/api/auth/login', { username, password });

/** What of an answer may not differ between names that exist and names that do not. */
const alike = ({ status, body, headers }: Answer) => ({
  status,
  error: {
    ...(body['error'] as object),
    timestamp: '',
    request_id: '',
    details: Object.keys((body['error'] as { details: object }).details),
    // a second may pass between the two
    message: (body['error'] as { message: string }).message.replace(/\d+ s/, 'N s'),
  },
  retryAfter: headers.has('retry-after'),
});

test('after too many wrong passwords a name is locked for right ones as well, and known and unknown names answer alike all the way', async (t) => {
  const api = await startApi({ MAX_LOGIN_ATTEMPTS: '3', LOCKOUT_DURATION: '60' });
  for (let n = 0; n < 5; n += 1) {
    const [known, unknown] = [await login(api, 'admin', `wrong ${n}`), await login(api, 'nobody', `wrong ${n}`)];
    t.is(known.status, n < 3 ? 401 : 429);
    t.deepEqual(alike(known), alike(unknown));
  }
  const locked = await login(api, 'ADMIN', PASSWORD);
  t.like(locked.body['error'], { code: 'RATE_LIMITED', details: { reason: 'account_locked' } });
  t.true(Number(locked.headers.get('retry-after')) > 50);
  t.is((await api.admin.get('/api/auth/me')).status, 200, 'who is signed in stays so');
  t.is((await login(api, 'admin@example.org', PASSWORD)).status, 401, 'another name of his is no way around');
  await api.database.pool.query("update login_failures set locked_until = now() - interval '1 s'");
  t.is((await login(api, 'admin', PASSWORD)).status, 200);
  await api.stop();
});

test('of many guesses at once no more count than one after the other', async (t) => {
  const api = await startApi({ MAX_LOGIN_ATTEMPTS: '3' });
  const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => login(api, 'admin', n === 29 ? PASSWORD : `guess ${n}`)));
  t.true(answers.every(({ status }) => status === 401 || status === 429));
  t.is(answers[29]?.status === 200, false, 'the right one among them comes too late');
  t.is((await login(api, 'admin', PASSWORD)).status, 429);
  await api.stop();
});

test('wrong passwords count together, whether at the sign-in or at the change of a password', async (t) => {
  const api = await startApi({ MAX_LOGIN_ATTEMPTS: '3' });
  await login(api, 'admin', 'wrong');
  for (let n = 0; n < 2; n += 1)
    await api.admin.post('/api/users/change-password', { current_password: `wrong ${n}`, new_password: 'a new password' });
  t.is((await login(api, 'admin', PASSWORD)).status, 429);
  const { rows } = await api.database.pool.query("select failures from login_failures where subject = 'account:admin'");
  t.deepEqual(rows, [{ failures: 3 }]);
  await api.stop();
});
