// Refresh tokens: each works once, a second use ends the session, and none of the kinds of token passes for another.
import { createHmac, createPublicKey, generateKeyPairSync, sign as signWith } from 'node:crypto';
import type { AppError } from '@sheaf/contract';
import { CLIENT, DAY, givenAccount, givenIdentity, HOUR, settingsOf, signedIn } from '../../support/given-identity.ts';
import { testWithDatabase } from '../../support/test-database.ts';

const test = testWithDatabase();

const settings = settingsOf();
const unauthorized = { code: 'UNAUTHORIZED' } as const;

test('a refresh token gives new tokens of the same session, and the session lives on', async (t) => {
  const { identity, clock } = givenIdentity(t.context.db);
  const user = await givenAccount(t.context.db);
  let last = await signedIn(identity, user);
  const before = (await identity.sessions.list(user.id))[0];
  for (let n = 0; n < 3; n += 1) {
    clock.pass(6 * DAY);
    t.is(await identity.authenticate({ authorization: last.authorization }), undefined, 'the access token is over');
    const { token, refresh_token, ...rest } = await identity.refresh.withToken(last.refresh_token ?? '', CLIENT);
    t.is(rest.user.id, user.id);
    t.is(rest.refresh_expires_at, new Date(clock.now().getTime() + 7 * DAY).toISOString());
    last = { ...last, refresh_token: refresh_token ?? '', authorization: `Bearer ${token}` };
    t.is((await identity.authenticate({ authorization: last.authorization }))?.sessionId, before?.id);
  }
  clock.pass(7 * DAY);
  await t.throwsAsync(identity.refresh.withToken(last.refresh_token ?? '', CLIENT), unauthorized);
});

test('a refresh token that comes a second time ends the whole session, and the audit log says so', async (t) => {
  const { identity } = givenIdentity(t.context.db);
  const user = await givenAccount(t.context.db);
  const first = await signedIn(identity, user);
  const other = await signedIn(identity, user);
  const second = await identity.refresh.withToken(first.refresh_token ?? '', CLIENT);
  t.truthy(await identity.authenticate({ authorization: `Bearer ${second.token}` }));
  await t.throwsAsync(identity.refresh.withToken(first.refresh_token ?? '', CLIENT), unauthorized);
  t.is(await identity.authenticate({ authorization: `Bearer ${second.token}` }), undefined, 'the thief is out');
  await t.throwsAsync(identity.refresh.withToken(second.refresh_token ?? '', CLIENT), unauthorized);
  t.truthy(await identity.authenticate({ authorization: other.authorization }), 'another session goes on');
  const { rows } = await t.context.pool.query(`select outcome from audit_log where actor_id = $1 and action = 'session.refresh_reused'`, [
    user.id,
  ]);
  t.deepEqual(rows, [{ outcome: 'failure' }]);
});

test('of many who use one refresh token at once at most one gets tokens', async (t) => {
  const { identity } = givenIdentity(t.context.db);
  const { refresh_token } = await signedIn(identity, await givenAccount(t.context.db));
  const answers = await Promise.allSettled(Array.from({ length: 8 }, () => identity.refresh.withToken(refresh_token ?? '', CLIENT)));
  t.is(answers.filter(({ status }) => status === 'fulfilled').length <= 1, true);
});

test('a refresh token of a disabled or deleted user and of an ended session is refused', async (t) => {
  const { identity } = givenIdentity(t.context.db);
  const [disabled, deleted, out] = [await givenAccount(t.context.db), await givenAccount(t.context.db), await givenAccount(t.context.db)];
  const tokens = [await signedIn(identity, disabled), await signedIn(identity, deleted), await signedIn(identity, out)];
  await t.context.pool.query('update users set disabled_at = now() where id = $1', [disabled.id]);
  await t.context.pool.query('delete from users where id = $1', [deleted.id]);
  const principal = await identity.authenticate({ authorization: tokens[2]?.authorization });
  if (principal !== undefined) await identity.sessions.signOut(principal, CLIENT);
  for (const { refresh_token } of tokens) await t.throwsAsync(identity.refresh.withToken(refresh_token ?? '', CLIENT), unauthorized);
});

test('an access token is no refresh token, and the other way round', async (t) => {
  const { identity } = givenIdentity(t.context.db);
  const { token, refresh_token } = await signedIn(identity, await givenAccount(t.context.db));
  await t.throwsAsync(identity.refresh.withToken(token ?? '', CLIENT), unauthorized);
  t.is(await identity.authenticate({ authorization: `Bearer ${refresh_token}` }), undefined);
  t.truthy(await identity.authenticate({ authorization: `Bearer ${token}` }), 'neither attempt ended the session');
});

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part: string | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Record<string, unknown>;

test('neither the header of a token nor its key can be chosen by who sends it', async (t) => {
  const { identity } = givenIdentity(t.context.db);
  const { token } = await signedIn(identity, await givenAccount(t.context.db));
  const [, payload = ''] = (token ?? '').split('.');
  const secret = settings.tokens.secret.reveal();
  const hmac = (algorithm: string, head: object, key: string = secret): string => {
    const text = `${encode(head)}.${payload}`;
    return `${text}.${createHmac(algorithm, key).update(text).digest('base64url')}`;
  };
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const rsa = (): string => {
    const text = `${encode({ alg: 'RS256', typ: 'at+jwt', jwk: publicKey.export({ format: 'jwk' }) })}.${payload}`;
    return `${text}.${signWith('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
  };
  const pem = createPublicKey(privateKey).export({ format: 'pem', type: 'spki' }).toString();
  const isIn = async (forged: string) => (await identity.authenticate({ authorization: `Bearer ${forged}` })) !== undefined;
  t.true(await isIn(hmac('sha256', { alg: 'HS256', typ: 'at+jwt' })), 'the forger works');
  for (const [what, forged] of Object.entries({
    none: `${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
    None: `${encode({ alg: 'None', typ: 'at+jwt' })}.${payload}.`,
    'another algorithm of the family': hmac('sha512', { alg: 'HS512', typ: 'at+jwt' }),
    'RS256 with the secret as key': hmac('sha256', { alg: 'RS256', typ: 'at+jwt' }),
    'RS256 with a key of its own': rsa(),
    'HS256 with a public key': hmac('sha256', { alg: 'HS256', typ: 'at+jwt' }, pem),
    'an empty key': hmac('sha256', { alg: 'HS256', typ: 'at+jwt' }, ''),
    'the type of an id token': hmac('sha256', { alg: 'HS256', typ: 'JWT' }),
    'no type': hmac('sha256', { alg: 'HS256' }),
  }))
    t.false(await isIn(forged), what);
});

test('JWT_ALGORITHM is what tokens are signed with; those of another one are refused', async (t) => {
  const user = await givenAccount(t.context.db);
  const old = givenIdentity(t.context.db);
  const { identity } = givenIdentity(t.context.db, { tokens: { ...settings.tokens, algorithm: 'HS512' } });
  const [before, after] = [await signedIn(old.identity, user), await signedIn(identity, user)];
  t.is(decode(after.token?.split('.')[0])['alg'], 'HS512');
  t.is(await identity.authenticate({ authorization: before.authorization }), undefined);
  t.truthy(await identity.authenticate({ authorization: after.authorization }));
});

test('JWT_REFRESH_ENABLED=false: a session ends with its token', async (t) => {
  const { identity, clock } = givenIdentity(t.context.db, { tokens: { ...settings.tokens, refreshLifeMs: undefined } });
  const user = await givenAccount(t.context.db);
  const login = await signedIn(identity, user);
  t.false('refresh_token' in login);
  const error = await t.throwsAsync<AppError>(identity.refresh.withToken('x', CLIENT));
  t.is(error?.code, 'FEATURE_DISABLED');
  clock.pass(HOUR);
  t.is((await identity.sessions.list(user.id)).length, 0);
});

test('JWT_ENABLED=false: a sign-in opens a browser session, and bearer tokens are refused', async (t) => {
  const user = await givenAccount(t.context.db);
  const on = await signedIn(givenIdentity(t.context.db).identity, user);
  const { identity } = givenIdentity(t.context.db, { tokens: { ...settings.tokens, enabled: false } });
  const { token, cookie, csrf_token } = await signedIn(identity, user);
  t.is(token, undefined);
  t.truthy(csrf_token);
  t.is((await identity.authenticate({ cookie: cookie?.value }))?.via, 'cookie');
  t.is(await identity.authenticate({ authorization: on.authorization }), undefined);
  await t.throwsAsync(identity.refresh.withToken(on.refresh_token ?? '', CLIENT), { code: 'FEATURE_DISABLED' } as never);
});
