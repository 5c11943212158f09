// When connections end by themselves: credentials, rights, silence, slowness, the stop of the service.

import { hashPassword } from '@sheaf/accounts';
import { createUser } from '@sheaf/accounts/users';
import { recordEvents } from '@sheaf/events';
import { ApiClient } from '@sheaf/testkit';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { EventClient, openEventClient, SocketIoClient } from '../../support/event-client.ts';
import { fullOnly, oneIn } from '../../support/full-run.ts';
import { bearer, givenPerson, type Person } from '../../support/person.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = testWithApi({ SESSION_COOKIE_NAME: 'paper' });

const ENDS: Readonly<Record<string, (person: Person, api: RunningApi) => Promise<unknown>>> = {
  'he signs out': ({ client }) => client.post('/api/auth/logout', {}),
  'he is disabled': ({ id }, { admin }) => admin.send('PUT', `/api/users/${id}`, { disabled: true }),
  'he is deleted': ({ id }, { admin }) => admin.delete(`/api/users/${id}`),
  'another process ends his session': ({ id }, { database }) =>
    database.pool.query('update sessions set revoked_at = now() where user_id = $1', [id]),
};

for (const [what, end] of oneIn(2, Object.entries(ENDS)))
  test(`a connection is closed with 4401 within a second when ${what}, whatever it speaks`, async (t) => {
    const person = await givenPerson(t.context, 'viewer');
    await using client = await openEventClient(t.context.anyone.url, person.token);
    using other = new SocketIoClient(t.context.anyone.url, { token: person.token });
    await other.subscribe();
    await end(person, t.context);
    t.is((await client.whenClosed()).code, 4401);
    await other.whenDisconnected();
  });

test('a connection by key is closed when the key is revoked, one by cookie when the browser is signed out; others stay', async (t) => {
  const person = await givenPerson(t.context, 'admin');
  const { url } = t.context.anyone;
  const key = await person.makeKey(['*']);
  const { cookie, csrf } = await person.openBrowser();
  await using stays = await openEventClient(url, person.token, ['alert']);
  await using byKey = new EventClient(url, key.headers);
  await byKey.message('auth_ok');
  await person.client.delete(`/api/keys/${key.id}`);
  t.is((await byKey.whenClosed()).code, 4401);
  await using byCookie = new EventClient(url, { cookie, origin: url });
  await byCookie.message('auth_ok');
  const out = await t.context.anyone.request('/api/auth/logout', { method: 'POST', headers: { cookie, 'x-csrf-token': csrf } });
  t.is(out.status, 200);
  t.is((await byCookie.whenClosed()).code, 4401);
  await stays.subscribe(['alert']);
  t.is(stays.closed, undefined);
});

fullOnly(test)('a key ends a connection at its time', async (t) => {
  const person = await givenPerson(t.context, 'admin');
  const key = await person.makeKey(['documents.read']);
  await t.context.database.pool.query(`update api_keys set expires_at = now() + interval '6 seconds' where id = $1`, [key.id]);
  await using client = new EventClient(t.context.anyone.url, key.headers);
  const greeting = await client.message('auth_ok');
  t.is((await client.whenClosed()).code, 4401);
  t.true(Date.now() >= Date.parse(String(greeting['expires_at'])));
});

test('rights that are taken away hold at once, and those that are given', async (t) => {
  const person = await givenPerson(t.context, 'admin');
  const { database, admin, anyone } = t.context;
  await using client = await openEventClient(anyone.url, person.token, ['alert']);
  const alert = (component: string): Promise<unknown> =>
    database.db.transaction((tx) =>
      recordEvents(tx, [{ event: { type: 'alert', level: 'info', component, message: 'm', problems: [] }, ownerId: null }]),
    );
  await alert('first');
  await client.eventsUntil(({ component }) => component === 'first');
  t.is((await admin.send('PUT', `/api/users/${person.id}`, { role: 'viewer' })).status, 200);
  await alert('hidden');
  t.is((await admin.send('PUT', `/api/users/${person.id}`, { role: 'admin' })).status, 200);
  await alert('last');
  const heard = await client.eventsUntil(({ component }) => component === 'last');
  t.deepEqual(
    heard.map(({ component }) => component).filter((component) => component !== 'hidden'),
    ['first', 'last'],
  );
});

const PASSWORD = 'correct horse battery';

interface QuickApi extends AsyncDisposable {
  readonly url: string;
  /** Of a user of its own. */
  readonly token: string;
  readonly userId: string;
}

let made = 0;

/** An api with short times, on the database of the other one. */
const startQuickly = async ({ database }: RunningApi, limits: Parameters<typeof startApiWithPermissions>[3]): Promise<QuickApi> => {
  made += 1;
  const username = `quick-${made}`;
  const email = `${username}@example.org`;
  const user = await createUser(database.db, {
    username,
    email,
    role: 'viewer',
    passwordHash: await hashPassword(PASSWORD),
    emailVerifiedAt: new Date(),
  });
  const api = await startApiWithPermissions(database, {}, [], limits);
  const { body } = await new ApiClient(api.url).post('/api/auth/login', { username, password: PASSWORD });
  return { ...api, token: String(body['token']), userId: user.id };
};

fullOnly(test)('who does not say who he is in time is closed with 4401, and only so many may wait', async (t) => {
  await using api = await startQuickly(t.context, { authMs: 4_000, unknownPerAddress: 2 });
  await using silent = await new EventClient(api.url).opened();
  await using second = await new EventClient(api.url).opened();
  await using third = new EventClient(api.url);
  t.is((await third.whenClosed()).code, 4429);
  t.is((await silent.whenClosed()).code, 4401);
  t.is((await second.whenClosed()).code, 4401);
  await using known = new EventClient(api.url, bearer(api.token));
  t.truthy(await known.message('auth_ok'), 'then there is room again');
});

test('who does not answer for two intervals is cut off, who answers stays', async (t) => {
  await using api = await startQuickly(t.context, { pingMs: 2_000 });
  await using answers = await openEventClient(api.url, api.token, ['alert']);
  await using mute = new EventClient(api.url);
  mute.socket.removeAllListeners('ping');
  (mute.socket as unknown as { _autoPong: boolean })._autoPong = false;
  await mute.auth(api.token);
  t.is((await mute.whenClosed()).code, 1006);
  await answers.subscribe(['alert']);
  t.is(answers.closed, undefined);
});

test('who does not read is dropped when 1 MiB waits for them, and finds everything again', async (t) => {
  t.timeout(3 * 120_000);
  const { url } = t.context.anyone;
  const person = await givenPerson(t.context, 'viewer');
  await using reads = await openEventClient(url, person.token, ['notification']);
  await using slow = await openEventClient(url, person.token, ['notification']);
  using io = new SocketIoClient(url, { token: person.token });
  await io.subscribe(['notification']);
  slow.socket.pause();
  (io.socket.io.engine as unknown as { transport: { ws: { pause: () => void } } }).transport.ws.pause();
  const message = 'm'.repeat(10_000);
  const metric = async (): Promise<string[]> =>
    [...(await (await t.context.anyone.request('/metrics')).text()).matchAll(/^sheaf_event_slow_readers_total\{.*\} (\d+)$/gm)].map(
      ([, value]) => value ?? '',
    );
  let told = 0;
  const tellMore = async (): Promise<void> => {
    const events = Array.from({ length: 50 }, () => {
      told += 1;
      return { event: { type: 'notification', id: `${told}`, kind: 'security', title: 't', message } as const, ownerId: person.id };
    });
    await t.context.database.db.transaction((tx) => recordEvents(tx, events));
    await reads.eventsUntil(({ id }) => id === `${told}`);
  };
  await waitFor(
    async () => {
      await tellMore();
      return (await metric()).every((count) => count === '1');
    },
    { description: 'both to be dropped', limitMs: 60_000, everyMs: 5 },
  );
  await tellMore();
  t.true(told * message.length < 64 * 1024 * 1024, `${told} events`);
  slow.socket.resume();
  t.like(await slow.whenClosed(), { code: 4408 });
  t.is(reads.closed, undefined);
  await using again = await openEventClient(url, person.token, ['notification'], slow.sequence.at(-1) ?? 0);
  await again.eventsUntil(({ id }) => id === `${told}`);
  t.deepEqual([...slow.sequence, ...again.sequence], reads.sequence);
});

fullOnly(test)('a client that reads nothing and asks again and again for what was is dropped too', async (t) => {
  await using api = await startQuickly(t.context, {});
  const event = { type: 'notification', id: 'n', kind: 'security', title: 't', message: 'm'.repeat(10_000) } as const;
  await t.context.database.db.transaction((tx) =>
    recordEvents(
      tx,
      Array.from({ length: 200 }, () => ({ event, ownerId: api.userId })),
    ),
  );
  await using asks = await openEventClient(api.url, api.token, ['notification'], 0);
  await waitFor(() => asks.events.length >= 200, { description: 'the events', limitMs: 20_000 });
  asks.socket.pause();
  let asked = 0;
  await waitFor(
    () => {
      asks.say({ type: 'subscribe', events: ['notification'], last_seq: 0 });
      asked += 1;
      return asked === 40;
    },
    { description: 'it to have asked', limitMs: 20_000, everyMs: 50 },
  );
  asks.socket.resume();
  t.like(await asks.whenClosed(), { code: 4408 });
  t.true(asks.events.length < 40 * 200, 'it was not told again each time');
});

test('at the stop of the service clients are told that it goes away, and it does not wait for them', async (t) => {
  const api = await startQuickly(t.context, {});
  await using client = await openEventClient(api.url, api.token);
  await using deaf = await openEventClient(api.url, api.token);
  using io = new SocketIoClient(api.url, { token: api.token });
  await io.message('auth_ok');
  deaf.socket.pause();
  const startedMs = performance.now();
  await api[Symbol.asyncDispose]();
  t.true(performance.now() - startedMs < 6_000);
  t.is((await client.whenClosed()).code, 1001);
  t.truthy(await io.whenDisconnected());
});
