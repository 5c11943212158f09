// Passkeys, made and used by a real browser.
import type { WebauthnAssertion } from '@sheaf/contract/identity';
import type { User } from '@sheaf/db/schema';
import { givenUser, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { whyNoBrowser } from '../../support/chromium.ts';
import { HERE, LOCALHOST, type MfaBench, openMfa } from '../../support/second-factors.ts';
import { VirtualAuthenticator } from '../../support/virtual-authenticator.ts';

const missing = whyNoBrowser();
// one browser with one key: a test must not find the key of another one
const withBrowser = missing === undefined ? test.serial : test.skip;
if (missing !== undefined) process.stdout.write(`passkey tests skipped: ${missing}\n`);

let database: TestDatabase;
let key: VirtualAuthenticator;
test.before(async () => {
  if (missing !== undefined) return;
  [database, key] = await Promise.all([openTestDatabase(), VirtualAuthenticator.open()]);
});
test.after.always(async () => {
  if (missing !== undefined) return;
  await Promise.all([database[Symbol.asyncDispose](), key[Symbol.asyncDispose]()]);
});

const givenPasskeyUser = async ({ mfa }: MfaBench): Promise<User> => {
  const user = await givenUser(database.db);
  await mfa.finishWebauthnRegistration(user, await key.create(await mfa.startWebauthnRegistration(user)), HERE, 'Blue key');
  return user;
};

/** The user's passkey, used for a challenge made just now. */
const sign = async ({ mfa }: MfaBench, user: User): Promise<WebauthnAssertion> => await key.get(await mfa.webauthnLoginOptions(user));

const reclothed = (text: string, change: (data: Record<string, unknown>) => void): string => {
  const data = JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>;
  change(data);
  return Buffer.from(JSON.stringify(data)).toString('base64url');
};

withBrowser('a passkey that was registered signs its owner in', async (t) => {
  const bench = openMfa(database.db);
  const user = await givenUser(database.db);
  const options = await bench.mfa.startWebauthnRegistration(user);
  t.like(options, { attestation: 'none', rp: { id: 'localhost', name: 'Sheaf' }, excludeCredentials: [] });
  t.like(options.authenticatorSelection, { userVerification: 'preferred' });
  const { device, recoveryCodes } = await bench.mfa.finishWebauthnRegistration(user, await key.create(options), HERE, 'Blue key');
  t.like(device, { kind: 'webauthn', name: 'Blue key', transports: ['usb'] });
  t.is(recoveryCodes.length, 10);
  t.true(await bench.mfa.hasEnabledDevice(user.id));
  t.is(await bench.mfa.verify(user, { credential: await sign(bench, user) }, HERE), 'webauthn');
  t.is(await bench.mfa.verify(user, { credential: await sign(bench, user) }, HERE), 'webauthn');
  t.deepEqual(
    bench.audit.map(({ action }) => action),
    ['mfa.enabled'],
  );
  const [stored] = await bench.mfa.listDevices(user);
  t.true((stored?.signCount ?? 0) >= 2);
});

withBrowser('an answer works once', async (t) => {
  const bench = openMfa(database.db);
  const user = await givenPasskeyUser(bench);
  const credential = await sign(bench, user);
  const answers = await Promise.all([1, 2, 3].map(() => bench.mfa.verify(user, { credential }, HERE)));
  t.deepEqual(answers.filter((answer) => answer === 'webauthn').length, 1);
  t.is(await bench.mfa.verify(user, { credential }, HERE), undefined);
});

withBrowser('an answer to a challenge of another user, of another purpose, of nobody or too old is refused', async (t) => {
  const bench = openMfa(database.db);
  const ann = await givenPasskeyUser(bench);
  const bob = await givenPasskeyUser(bench);
  const verify = async (options: object) => await bench.mfa.verify(ann, { credential: await key.get(options) }, HERE);
  const options = await bench.mfa.webauthnLoginOptions(ann);
  const { challenge: ofBob } = await bench.mfa.webauthnLoginOptions(bob);
  t.is(await verify({ ...options, challenge: ofBob }), undefined);
  const { challenge: toRegister } = await bench.mfa.startWebauthnRegistration(ann);
  t.is(await verify({ ...options, challenge: toRegister }), undefined);
  t.is(await verify({ ...options, challenge: Buffer.alloc(32, 7).toString('base64url') }), undefined);
  bench.clock.move(301);
  t.is(await verify(options), undefined);
  t.is(await bench.mfa.verify(ann, { credential: await sign(bench, bob) }, HERE), undefined);
});

withBrowser('an answer from another origin is refused, whatever it says', async (t) => {
  const bench = openMfa(database.db);
  const user = await givenPasskeyUser(bench);
  for (const origins of [['https://docs.example.org'], [`${key.origin}1`], ['http://localhost']]) {
    const elsewhere = openMfa(database.db, { webauthn: { ...LOCALHOST, origins } });
    t.is(await elsewhere.mfa.verify(user, { credential: await sign(elsewhere, user) }, HERE), undefined, origins[0]);
  }
  const named = openMfa(database.db, { webauthn: { ...LOCALHOST, origins: [key.origin] } });
  t.is(await named.mfa.verify(user, { credential: await sign(named, user) }, HERE), 'webauthn');
  const lied = await sign(bench, user);
  const clientDataJSON = reclothed(lied.response.clientDataJSON, (data) => (data['origin'] = 'http://localhost:1'));
  t.is(await bench.mfa.verify(user, { credential: { ...lied, response: { ...lied.response, clientDataJSON } } }, HERE), undefined);
});

withBrowser('an answer that was altered is refused', async (t) => {
  const bench = openMfa(database.db);
  const user = await givenPasskeyUser(bench);
  const flip = (text: string): string => {
    const bytes = Buffer.from(text, 'base64url');
    const last = bytes.length - 1;
    bytes[last] = (bytes[last] ?? 0) ^ 1;
    return bytes.toString('base64url');
  };
  for (const part of ['signature', 'authenticatorData'] as const) {
    const answer = await sign(bench, user);
    const response = { ...answer.response, [part]: flip(answer.response[part]) };
    t.is(await bench.mfa.verify(user, { credential: { ...answer, response } }, HERE), undefined, part);
  }
  for (const clientDataJSON of ['e30', 'AAAA', Buffer.from('"x"').toString('base64url')]) {
    const answer = await sign(bench, user);
    t.is(await bench.mfa.verify(user, { credential: { ...answer, response: { ...answer.response, clientDataJSON } } }, HERE), undefined);
  }
  const framed = await sign(bench, user);
  const clientDataJSON = reclothed(framed.response.clientDataJSON, (data) => (data['crossOrigin'] = true));
  t.is(await bench.mfa.verify(user, { credential: { ...framed, response: { ...framed.response, clientDataJSON } } }, HERE), undefined);
});

withBrowser('a copy of a key is noticed by its counter', async (t) => {
  const bench = openMfa(database.db);
  const user = await givenPasskeyUser(bench);
  await key.key.setSignCount(40);
  t.is(await bench.mfa.verify(user, { credential: await sign(bench, user) }, HERE), 'webauthn');
  await key.key.setSignCount(3);
  t.is(await bench.mfa.verify(user, { credential: await sign(bench, user) }, HERE), undefined);
  t.like(bench.audit.at(-1), { action: 'mfa.clone_suspected', outcome: 'failure' });
  await key.key.setSignCount(100);
  t.is(await bench.mfa.verify(user, { credential: await sign(bench, user) }, HERE), 'webauthn');
});

withBrowser('one key is registered once, for one user', async (t) => {
  const bench = openMfa(database.db);
  const user = await givenPasskeyUser(bench);
  const again = await bench.mfa.startWebauthnRegistration(user);
  t.is(again.excludeCredentials?.length, 1);
  await t.throwsAsync(key.create(again), { message: /InvalidStateError|already registered|excludeCredentials/ });
  const registration = await key.create(await bench.mfa.startWebauthnRegistration(await givenUser(database.db)));
  // a registration made for one user does nothing for another one, and nothing twice
  await t.throwsAsync(bench.mfa.finishWebauthnRegistration(user, registration, HERE), { code: 'WEBAUTHN_REFUSED' });
  const fresh = await key.create(
    await bench.mfa.startWebauthnRegistration(user).then((options) => ({ ...options, excludeCredentials: [] })),
  );
  await bench.mfa.finishWebauthnRegistration(user, fresh, HERE);
  await t.throwsAsync(bench.mfa.finishWebauthnRegistration(user, fresh, HERE), { code: 'WEBAUTHN_REFUSED' });
});

withBrowser('with WEBAUTHN_REQUIRE_ATTESTATION=direct a key that says nothing of its maker is refused', async (t) => {
  const strict = openMfa(database.db, { webauthn: { ...LOCALHOST, attestation: 'direct' } });
  const user = await givenUser(database.db);
  const options = await strict.mfa.startWebauthnRegistration(user);
  t.is(options.attestation, 'direct');
  const silent = await key.create({ ...options, attestation: 'none' });
  await t.throwsAsync(strict.mfa.finishWebauthnRegistration(user, silent, HERE), { code: 'WEBAUTHN_REFUSED' });
  const indirect = openMfa(database.db, { webauthn: { ...LOCALHOST, attestation: 'indirect' } });
  const taken = await key.create({ ...(await indirect.mfa.startWebauthnRegistration(user)), attestation: 'none' });
  t.truthy(await indirect.mfa.finishWebauthnRegistration(user, taken, HERE));
});

withBrowser('with attestation a key that says who made it is taken', async (t) => {
  const strict = openMfa(database.db, { webauthn: { ...LOCALHOST, attestation: 'direct' } });
  const user = await givenUser(database.db);
  const registration = await key.create(await strict.mfa.startWebauthnRegistration(user));
  t.like((await strict.mfa.finishWebauthnRegistration(user, registration, HERE)).device, { kind: 'webauthn' });
});

withBrowser('a user without a passkey gets no challenge', async (t) => {
  const { mfa } = openMfa(database.db);
  await t.throwsAsync(mfa.webauthnLoginOptions(await givenUser(database.db)), { code: 'MFA_DEVICE_NOT_FOUND' });
});
