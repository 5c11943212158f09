// MAX_LOGIN_ATTEMPTS and LOCKOUT_DURATION, whichever way wrong passwords and codes come.

import type { Answer } from '@sheaf/testkit';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import {
  countSessions,
  type Enrolled,
  firstStep,
  forgiveAddress,
  freshCode,
  givenEnrolled,
  PASSWORD,
  secondStep,
  WRONG_CODE,
} from '../../support/enrolled.ts';
import { oneIn } from '../../support/full-run.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const ATTEMPTS = 3;
const DURATION_SECONDS = 600;
// one after the other: all their mistakes come from one address
const test = testWithApi({ MFA_ENABLED: 'true', MAX_LOGIN_ATTEMPTS: String(ATTEMPTS), LOCKOUT_DURATION: String(DURATION_SECONDS) });

/** One way to send a password or a code. */
interface Way {
  readonly name: string;
  /** Whether it goes by their e-mail address: what goes by the other name then fails as with a wrong password at first. */
  readonly isByMail?: true;
  /** With the right secret or with a wrong one. `token` was given for the right password before any of this. */
  readonly attempt: (api: RunningApi, who: Enrolled, isRight: boolean, token: string) => Promise<Answer>;
}

const passwordIf = (isRight: boolean): string => (isRight ? PASSWORD : 'not the right one');
const codeIf = async (api: RunningApi, { factor }: Enrolled, isRight: boolean): Promise<string> =>
  isRight ? freshCode(api, factor) : WRONG_CODE;

const WAYS: readonly Way[] = [
  {
    name: 'login with the name',
    attempt: ({ anyone }, { username }, isRight) => anyone.post('/api/auth/login', { username, password: passwordIf(isRight) }),
  },
  {
    name: 'login with the name in capitals',
    attempt: ({ anyone }, { username }, isRight) =>
      anyone.post('/api/auth/login', { username: username.toUpperCase(), password: passwordIf(isRight) }),
  },
  {
    name: 'login with the e-mail address',
    isByMail: true,
    attempt: ({ anyone }, { email }, isRight) => anyone.post('/api/auth/login', { username: email, password: passwordIf(isRight) }),
  },
  {
    name: 'login of a browser',
    attempt: ({ anyone }, { username }, isRight) =>
      anyone.post('/api/auth/login', { username, password: passwordIf(isRight), cookie: true, remember_me: true }),
  },
  {
    name: 'the second step',
    attempt: async (api, who, isRight, token) => secondStep(api, token, await codeIf(api, who, isRight)),
  },
  {
    name: 'the second step with a recovery code',
    attempt: (api, { factor }, isRight, token) => secondStep(api, token, (isRight ? factor.recoveryCodes[9] : '0000-0000-0000') ?? ''),
  },
  {
    name: 'changing the password',
    attempt: (_api, { client }, isRight) =>
      client.post('/api/users/change-password', { current_password: passwordIf(isRight), new_password: 'a wholly other passphrase' }),
  },
  {
    name: 'removing a factor with the password',
    attempt: (_api, { client, factor }, isRight) => client.send('DELETE', `/api/auth/mfa/${factor.id}`, { password: passwordIf(isRight) }),
  },
  {
    name: 'removing a factor with a code',
    attempt: async (api, who, isRight) =>
      who.client.send('DELETE', `/api/auth/mfa/${who.factor.id}`, { code: await codeIf(api, who, isRight) }),
  },
  {
    name: 'removing a factor with a recovery code',
    attempt: (_api, { client, factor }, isRight) =>
      client.send('DELETE', `/api/auth/mfa/${factor.id}`, { code: (isRight ? factor.recoveryCodes[8] : '0000-0000-0000') ?? '' }),
  },
  {
    name: 'new recovery codes',
    attempt: (_api, { client }, isRight) => client.post('/api/auth/mfa/recovery-codes', { password: passwordIf(isRight) }),
  },
];

/** Everything that a refused attempt must leave as it was. */
const stateOf = async ({ database, ...api }: RunningApi, { userId }: Enrolled) => {
  const { rows } = await database.pool.query(
    `select password_hash, (select count(*)::int from mfa_devices where user_id = $1) as devices,
       (select array_agg(code_hash order by code_hash) from recovery_codes where user_id = $1 and used_at is null) as codes
     from users where id = $1`,
    [userId],
  );
  return { rows, sessions: await countSessions({ database, ...api }, userId) };
};

/** Moves the failures of this user into the past. */
const passTime = async ({ database }: RunningApi, { username, email, userId }: Enrolled, seconds: number): Promise<void> => {
  await database.pool.query(
    "update login_failures set first_at = first_at - $2 * interval '1 s', locked_until = locked_until - $2 * interval '1 s' where split_part(subject, ' from ', 1) = any($1)",
    [[`account:${username}`, `account:${email}`, `user:${userId}`], seconds],
  );
};

const failBy = async (api: RunningApi, who: Enrolled, { attempt }: Way, token: string, times = ATTEMPTS): Promise<void> => {
  for (let n = 0; n < times; n += 1) {
    await forgiveAddress(api);
    const { status } = await attempt(api, who, false, token);
    if (status !== 401 && status !== 403) throw new Error(`a wrong one was answered with ${status}`);
  }
  await forgiveAddress(api);
};

for (const way of oneIn(5, WAYS))
  test.serial(`after ${ATTEMPTS} failures by ${way.name} nothing right is taken any more, by no way`, async (t) => {
    const api = t.context;
    const who = await givenEnrolled(api);
    const tokens: string[] = [];
    for (const _ of [way, ...WAYS]) tokens.push(await firstStep(api, who.username));
    const before = await stateOf(api, who);
    await failBy(api, who, way, tokens[0] ?? '');
    for (const [n, other] of WAYS.entries()) {
      await forgiveAddress(api);
      const { status } = await other.attempt(api, who, true, tokens[n + 1] ?? '');
      t.true((way.isByMail === other.isByMail ? [429] : [401, 403, 429]).includes(status), `${other.name}: ${status}`);
    }
    t.deepEqual(await stateOf(api, who), before);
    t.is((await who.client.get('/api/auth/me')).status, 200, 'who is signed in stays so');

    await passTime(api, who, DURATION_SECONDS);
    await forgiveAddress(api);
    t.is((await way.attempt(api, who, true, await firstStep(api, who.username))).status, 200, 'afterwards it is');
  });

test.serial('one failure less locks nothing, and failures by different ways count together', async (t) => {
  const api = t.context;
  const who = await givenEnrolled(api);
  const token = await firstStep(api, who.username);
  const [first, second] = [WAYS[0], WAYS[6]];
  if (first === undefined || second === undefined) throw new Error('no ways');
  await failBy(api, who, first, token, ATTEMPTS - 1);
  t.is((await first.attempt(api, who, true, token)).status, 200);
  await failBy(api, who, second, token, 1);
  t.is((await first.attempt(api, who, true, token)).status, 429);
});

test.serial('what is refused because of a lock does not use up a recovery code', async (t) => {
  const api = t.context;
  const who = await givenEnrolled(api);
  const byMail = WAYS.find(({ isByMail }) => isByMail);
  if (byMail === undefined) throw new Error('no way by e-mail');
  await failBy(api, who, byMail, '');
  const before = await stateOf(api, who);
  const proof = { code: who.factor.recoveryCodes[0] ?? '' };
  t.is((await who.client.send('DELETE', `/api/auth/mfa/${who.factor.id}`, proof)).status, 403);
  t.deepEqual(await stateOf(api, who), before);
});

/** What of an answer may not differ between names that exist and names that do not. */
const alike = ({ status, body, headers }: Answer) => {
  const { code, message, details } = body['error'] as { code: string; message: string; details: object };
  // the seconds that are left differ by what lies between two requests
  return {
    status,
    code,
    message: message.replaceAll(/\d+/g, 'n'),
    details: Object.keys(details),
    retry: headers.has('retry-after'),
  };
};

test.serial('names and addresses that nobody has are locked in the same words, with right passwords and with wrong ones', async (t) => {
  const api = t.context;
  for (const wishes of [{}, { cookie: true }])
    for (const kind of ['username', 'email'] as const) {
      const who = await givenEnrolled(api);
      const login = (username: string, password: string) => api.anyone.post('/api/auth/login', { username, password, ...wishes });
      const nobody = who[kind].replace('enrolled', `nobody${Object.keys(wishes).length}`);
      for (let n = 0; n < ATTEMPTS + 2; n += 1) {
        await forgiveAddress(api);
        const known = await login(who[kind], n < ATTEMPTS ? 'wrong' : PASSWORD);
        t.is(known.status, n < ATTEMPTS ? 401 : 429);
        t.deepEqual(alike(known), alike(await login(nobody, n < ATTEMPTS ? 'wrong' : PASSWORD)));
      }
      const other = kind === 'username' ? who.email : who.username;
      t.deepEqual(alike(await login(other, PASSWORD)), alike(await login(`${nobody}x`, PASSWORD)), 'his other name tells nothing');
    }
});

test.serial('a lock outlives the process, as it is kept in the database', async (t) => {
  const api = t.context;
  const who = await givenEnrolled(api);
  const [way] = WAYS;
  if (way === undefined) throw new Error('no ways');
  await failBy(api, who, way, '');
  await using other = await startApiWithPermissions(api.database, {});
  const login = async (username: string) => {
    const response = await fetch(`${other.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: PASSWORD }),
    });
    return response.status;
  };
  t.is(await login(who.username), 429);
  t.is(await login(who.email), 401);
  t.is(await login('admin'), 200, 'it does let in others');
});

test.serial('a lock ends after its time and not before, and so do failures that did not lock', async (t) => {
  const api = t.context;
  const [locked, tried] = [await givenEnrolled(api), await givenEnrolled(api)];
  const [way] = WAYS;
  if (way === undefined) throw new Error('no ways');
  await failBy(api, locked, way, '');
  await passTime(api, locked, DURATION_SECONDS - 30);
  const refused = await way.attempt(api, locked, true, '');
  t.is(refused.status, 429);
  const seconds = Number(refused.headers.get('retry-after'));
  t.true(seconds > 0 && seconds <= 30, String(seconds));
  await passTime(api, locked, 30);
  t.is((await way.attempt(api, locked, true, '')).status, 200);

  await failBy(api, tried, way, '', ATTEMPTS - 1);
  await passTime(api, tried, DURATION_SECONDS);
  await failBy(api, tried, way, '', ATTEMPTS - 1);
  t.is((await way.attempt(api, tried, true, '')).status, 200);
});
