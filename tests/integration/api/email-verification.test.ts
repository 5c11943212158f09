import test, { type ExecutionContext } from 'ava';
import { conditionOf } from '../../support/error-condition.ts';
import { linkIn, type MailServer, type ReceivedMail, startMailServer } from '../../support/mail-server.ts';
import { type RunningApi, startApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

const PASSWORD = 'correct horse battery';
const account = (username: string) => ({ username, email: `${username}@example.org`, password: PASSWORD });

const start = (mail: MailServer, more: Record<string, string> = {}): Promise<RunningApi> =>
  startApi({
    ENABLE_REGISTRATION: 'true',
    REQUIRE_EMAIL_VERIFICATION: 'true',
    PUBLIC_URL: 'https://papers.example.org/',
    ...mail.environment,
    ...more,
  });

const mailTo = (mail: MailServer, address: string, nth = 1): Promise<ReceivedMail> =>
  waitFor(async () => mail.mails.filter(({ to }) => to.includes(address))[nth - 1], {
    description: `a mail to ${address}`,
    limitMs: 20_000,
  });

const isVerified = async ({ admin }: RunningApi, username: string): Promise<unknown> => {
  const { body } = await admin.get(`/api/users?q=${username}`);
  return (body['data'] as Record<string, unknown>[])[0]?.['email_verified'];
};

const tokenOf = (t: ExecutionContext, mail: ReceivedMail): string => {
  const link = linkIn(mail);
  t.is(`${link.origin}${link.pathname}`, 'https://papers.example.org/verify-email');
  return link.searchParams.get('token') ?? '';
};

test('who registers gets a mail with a link that proves their address', async (t) => {
  await using mail = await startMailServer();
  const api = await start(mail);
  t.is((await api.anyone.post('/api/auth/register', account('newcomer'))).status, 201);
  const letter = await mailTo(mail, 'newcomer@example.org');
  t.is(letter.from, 'papers@example.org');
  t.is(await isVerified(api, 'newcomer'), false);
  const login = async (password: string) => {
    const { status, body } = await api.anyone.post('/api/auth/login', { username: 'newcomer', password });
    return [status, conditionOf(body)];
  };
  t.deepEqual(await login(PASSWORD), [403, 'EMAIL_NOT_VERIFIED']);
  t.deepEqual(await login('wrong password'), [401, 'UNAUTHORIZED'], 'only who knows the password is told');
  const token = tokenOf(t, letter);
  const answer = await api.anyone.get(`/api/auth/verify-email?token=${token}`);
  t.deepEqual([answer.status, answer.body], [200, { success: true, email: 'newcomer@example.org' }]);
  t.is(await isVerified(api, 'newcomer'), true);
  t.deepEqual(await login(PASSWORD), [200, undefined]);
  t.is((await api.anyone.post('/api/auth/verify-email', { token })).status, 200, 'a mail program may have opened it before');
  t.is((await api.anyone.post('/api/auth/verify-email', { token: `${token}x` })).status, 401);
  const { rows } = await api.database.pool.query("select 1 from audit_log where action = 'user.email_verified'");
  t.is(rows.length, 1);
  const stored = await api.database.pool.query('select token_hash from one_time_tokens');
  t.false(JSON.stringify(stored.rows).includes(token), 'only its hash is kept');
  await api.stop();
});

test('an expired link, and one for an address that is not theirs any more, prove nothing', async (t) => {
  await using mail = await startMailServer();
  const api = await start(mail);
  await api.anyone.post('/api/auth/register', account('late'));
  await api.anyone.post('/api/auth/register', account('moved'));
  const [late, moved] = [await mailTo(mail, 'late@example.org'), await mailTo(mail, 'moved@example.org')];
  await api.database.pool.query("update users set email = 'elsewhere@example.org' where username = 'moved'");
  t.is((await api.anyone.post('/api/auth/verify-email', { token: tokenOf(t, moved) })).status, 401);
  await api.database.pool.query('update one_time_tokens set expires_at = now()');
  t.is((await api.anyone.post('/api/auth/verify-email', { token: tokenOf(t, late) })).status, 401);
  t.is(await isVerified(api, 'late'), false);
  await api.stop();
});

test('another mail is sent on request, three an hour at most, and nobody learns who has an account', async (t) => {
  await using mail = await startMailServer();
  const api = await start(mail);
  const resend = (email: string) => api.anyone.post('/api/auth/resend-verification', { email });
  await api.anyone.post('/api/auth/register', account('again'));
  const answers = [await resend('nobody@example.org')];
  await Promise.all(Array.from({ length: 6 }, async () => answers.push(await resend('AGAIN@example.org'))));
  answers.push(await resend('admin@example.org'));
  for (const { status, body } of answers) t.deepEqual([status, body], [202, { success: true }]);
  await mailTo(mail, 'again@example.org', 3);
  await api.stop(); // which waits for what is on its way
  t.deepEqual(
    mail.mails.map(({ to }) => to),
    Array.from({ length: 3 }, () => ['again@example.org']),
  );
});

test('the first administrator and those an administrator makes need no mail', async (t) => {
  await using mail = await startMailServer();
  const api = await start(mail);
  t.is(await isVerified(api, 'admin'), true);
  await api.admin.post('/api/users', { ...account('made'), role: 'viewer' });
  t.is(await isVerified(api, 'made'), true);
  await api.stop();
  t.deepEqual(mail.mails, []);
});

test('a new address of one’s own has to be proven again', async (t) => {
  await using mail = await startMailServer();
  const api = await start(mail);
  await api.admin.send('PUT', '/api/users/profile', { email: 'ADMIN@example.org' });
  t.is(await isVerified(api, 'admin'), true, 'it is the same one');
  await api.admin.send('PUT', '/api/users/profile', { email: 'boss@example.org', password: 'correct horse battery' });
  t.is(await isVerified(api, 'admin'), false);
  const token = tokenOf(t, await mailTo(mail, 'boss@example.org'));
  t.is((await api.anyone.post('/api/auth/verify-email', { token })).status, 200);
  t.is(await isVerified(api, 'admin'), true);
  await api.stop();
});

test('a mail that cannot be sent does not undo the account', async (t) => {
  await using mail = await startMailServer((to) => to.startsWith('lost'));
  const api = await start(mail);
  t.is((await api.anyone.post('/api/auth/register', account('lost'))).status, 201);
  t.is(await isVerified(api, 'lost'), false);
  await api.stop();
  t.deepEqual(mail.mails, []);
});

test('a mail server without TLS gets nothing where TLS is asked for', async (t) => {
  await using mail = await startMailServer();
  const api = await start(mail, { SMTP_USE_TLS: 'true' });
  t.is((await api.anyone.post('/api/auth/register', account('careful'))).status, 201);
  await api.stop();
  t.deepEqual(mail.mails, []);
});

test('where addresses need no proof no mail is sent', async (t) => {
  await using mail = await startMailServer();
  const api = await start(mail, { REQUIRE_EMAIL_VERIFICATION: 'false' });
  await api.anyone.post('/api/auth/register', account('plain'));
  await api.anyone.post('/api/auth/resend-verification', { email: 'plain@example.org' });
  await api.stop();
  t.deepEqual(mail.mails, []);
});
