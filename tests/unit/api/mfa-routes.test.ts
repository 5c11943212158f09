import { type AuthServices, mfaRoutes, type Route } from '@sheaf/api/testing';
import type { MfaProof, Reauthentication } from '@sheaf/contract/identity';
import test from 'ava';

const routes = (enabled: boolean): readonly Route[] => mfaRoutes({ config: { secondFactor: { enabled } } } as AuthServices); // what their handlers use is left out: none is called

const bodyOf = (path: string): NonNullable<Extract<Route, { kind: 'json' }>['body']> => {
  const route = routes(true).find((one) => one.path === path && one.kind === 'json');
  if (route?.kind !== 'json' || route.body === undefined) throw new Error(`${path} takes no body`);
  return route.body;
};

test('second factors stand where the interface says', (t) => {
  t.deepEqual(
    routes(true).map(({ method, path, access }) => `${method} ${path} ${access}`),
    [
      'get /api/auth/mfa session',
      'post /api/auth/mfa/verify anyone',
      'post /api/auth/mfa/totp/setup session',
      'post /api/auth/mfa/totp/enable session',
      'post /api/auth/mfa/webauthn/register/options session',
      'post /api/auth/mfa/webauthn/register/verify session',
      'post /api/auth/mfa/webauthn/login/options anyone-known',
      'post /api/auth/mfa/recovery-codes session',
      'delete /api/auth/mfa/{id} session',
    ],
  );
});

test('with MFA_ENABLED=false each of them answers that it is off', async (t) => {
  const off = routes(false);
  t.is(off.length, routes(true).length);
  for (const route of off) {
    if (route.kind !== 'stream') return t.fail(`${route.path} still answers`);
    await t.throwsAsync(route.stream(undefined as never, undefined as never), { code: 'FEATURE_DISABLED' });
  }
});

const CREDENTIAL = {
  id: 'AAAA',
  rawId: 'AAAA',
  type: 'public-key',
  authenticatorAttachment: 'platform',
  clientExtensionResults: {},
  response: { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA', userHandle: null },
};

test('a sign-in is completed by a code or a credential, never by both, and never without its token', (t) => {
  const body = bodyOf('/api/auth/mfa/verify');
  for (const proof of [{ code: '123456' }, { credential: CREDENTIAL }] as MfaProof[]) {
    t.true(body.safeParse({ mfa_token: 't', ...proof }).success);
    t.false(body.safeParse(proof).success);
  }
  for (const wrong of [
    { mfa_token: 't' },
    { mfa_token: 't', code: 123456 },
    { mfa_token: 't', code: '123456', credential: CREDENTIAL },
    { mfa_token: 't', code: '123456', user_id: 'x' },
    { mfa_token: { $ne: '' }, code: '123456' },
    { mfa_token: 't', credential: { ...CREDENTIAL, id: '../x' } },
    { mfa_token: 't', credential: { ...CREDENTIAL, id: 'A'.repeat(2_000) } },
  ])
    t.false(body.safeParse(wrong).success, JSON.stringify(wrong).slice(0, 80));
});

test('who removes a factor or asks for new recovery codes proves who they is', (t) => {
  for (const path of ['/api/auth/mfa/recovery-codes', '/api/auth/mfa/{id}']) {
    const body = bodyOf(path);
    for (const proof of [{ password: 'x' }, { code: '123456' }, { credential: CREDENTIAL }] as Reauthentication[])
      t.true(body.safeParse(proof).success);
    for (const wrong of [undefined, {}, { password: '' }, { password: 'x', code: '123456' }, { password: null }])
      t.false(body.safeParse(wrong).success);
  }
});
