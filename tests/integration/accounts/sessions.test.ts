// Every store of sessions keeps the same promises; and how long sessions last, how many there are, and what ends them.
import { createHash, randomBytes } from 'node:crypto';
import { DatabaseSessionStore, type OpenSession, RedisSessionStore, type SessionStore } from '@sheaf/accounts';
import { Secret } from '@sheaf/contract';
import { constant, silentLogger, uuidv7 } from '@sheaf/process';
import { openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import {
  BY_COOKIE,
  CLIENT,
  DAY,
  givenAccount,
  givenIdentity,
  HOUR,
  MINUTE,
  settingsOf,
  signedIn,
  TestClock,
} from '../../support/given-identity.ts';
import { text } from '../../support/messages.ts';
import { type RedisServer, startRedis, whyNoRedis } from '../../support/redis-server.ts';
import { waitFor } from '../../support/wait-for.ts';

interface Context {
  readonly database: TestDatabase;
  readonly redis: RedisServer | undefined;
}

const test = anyTest as TestFn<Context>;
let database: TestDatabase;
let redis: RedisServer | undefined;
const missing = whyNoRedis();
if (missing !== undefined) process.stdout.write(`tests of sessions in a key-value store are skipped: ${missing}\n`);

test.before(async () => {
  database = await openTestDatabase();
  redis = missing === undefined ? await startRedis() : undefined;
});
test.beforeEach((t) => {
  t.context = { database, redis };
});
test.after.always(async () => {
  await redis?.[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const STORES = {
  database: async ({ database: { db } }: Context) => ({ store: new DatabaseSessionStore(db) as SessionStore, close: async () => {} }),
  redis: async (context: Context) => {
    const store = new RedisSessionStore(new Secret(context.redis?.url ?? ''), silentLogger());
    await store.start();
    return { store: store as SessionStore, close: () => store.stop() };
  },
};

const newSession = (userId: string, now: Date, changes: Partial<OpenSession> = {}): OpenSession => ({
  id: uuidv7(),
  userId,
  expiresAt: new Date(now.getTime() + DAY),
  address: '192.0.2.1',
  userAgent: 'a browser',
  method: 'local',
  isRemembered: false,
  now,
  cookieHash: createHash('sha256').update(randomBytes(8)).digest('hex'),
  idleExpiresAt: new Date(now.getTime() + HOUR),
  ...changes,
});

for (const [name, open] of Object.entries(STORES)) {
  const run = name === 'redis' && missing !== undefined ? test.skip : test;

  run(`${name}: a session is found by its cookie and by its id with its user, as it was opened`, async (t) => {
    const { store, close } = await open(t.context);
    const user = await givenAccount(t.context.database.db);
    const now = new Date();
    const session = newSession(user.id, now);
    const made = await store.create(session);
    t.is(made.kind, 'cookie');
    for (const key of [{ cookieHash: session.cookieHash ?? '' }, { id: session.id, userId: user.id }]) {
      const found = await store.find(key, now);
      t.like(found, {
        id: session.id,
        userId: user.id,
        method: 'local',
        address: '192.0.2.1',
        userAgent: 'a browser',
        isRemembered: false,
      });
      t.is(found?.expiresAt.getTime(), session.expiresAt.getTime());
      t.is(found?.idleExpiresAt?.getTime(), session.idleExpiresAt?.getTime());
    }
    t.is(await store.find({ cookieHash: 'f'.repeat(64) }, now), undefined);
    t.is(await store.find({ id: session.id, userId: uuidv7() }, now), undefined, 'a token of somebody else does not find it');
    await close();
  });

  run(`${name}: a session is over when it expires, when it was idle for too long, and when it was ended`, async (t) => {
    const { store, close } = await open(t.context);
    const user = await givenAccount(t.context.database.db);
    const now = new Date();
    const session = newSession(user.id, now);
    const facts = await store.create(session);
    const key = { cookieHash: session.cookieHash ?? '' };
    const after = (ms: number): Date => new Date(now.getTime() + ms);
    t.is(await store.find(key, after(HOUR)), undefined, 'idle');
    await store.touch(facts, after(MINUTE), after(2 * DAY));
    t.truthy(await store.find(key, after(2 * HOUR)), 'it was used');
    t.is(await store.find(key, after(DAY)), undefined, 'at its end, however much it is used');
    t.true(await store.end(user.id, session.id, now));
    t.false(await store.end(user.id, session.id, now), 'it ends once');
    t.is(await store.find(key, now), undefined);
    await store.touch(facts, now, after(HOUR));
    t.is(await store.find(key, now), undefined, 'a late touch does not bring it back');
    await close();
  });

  run(`${name}: the sessions of a user are listed newest first, and all but one can be ended`, async (t) => {
    const { store, close } = await open(t.context);
    const user = await givenAccount(t.context.database.db);
    const other = await givenAccount(t.context.database.db);
    const now = new Date();
    const sessions = [0, 1, 2].map((n) => newSession(user.id, new Date(now.getTime() + n)));
    for (const session of sessions) await store.create(session);
    const theirs = newSession(other.id, now);
    await store.create(theirs);
    const later = new Date(now.getTime() + 10);
    t.deepEqual(
      (await store.list(user.id, later)).map(({ id }) => id),
      sessions.map(({ id }) => id).toReversed(),
    );
    t.false(await store.end(user.id, theirs.id, later), 'nobody ends the session of somebody else');
    const kept = sessions[1]?.id ?? '';
    t.is((await store.endAll(user.id, later, kept)).length, 2);
    t.deepEqual(
      (await store.list(user.id, later)).map(({ id }) => id),
      [kept],
    );
    t.is((await store.list(other.id, later)).length, 1);
    await close();
  });
}

const settings = settingsOf();

test('a browser session lasts as long as it is used, and no longer than its life', async (t) => {
  const { identity, clock } = givenIdentity(t.context.database.db);
  const { cookie } = await signedIn(identity, await givenAccount(t.context.database.db), BY_COOKIE);
  const isIn = async () => (await identity.authenticate({ cookie: cookie?.value })) !== undefined;
  for (let hours = 0; hours < 23; hours += 0.75) {
    t.true(await isIn(), `after ${hours} hours`);
    clock.pass(0.75 * HOUR);
  }
  clock.pass(1.1 * HOUR);
  t.false(await isIn(), 'at the end of its life');
});

test('a browser session without a request for SESSION_TIMEOUT is over, unless it is to be remembered', async (t) => {
  const { identity, clock } = givenIdentity(t.context.database.db);
  const user = await givenAccount(t.context.database.db);
  const plain = await signedIn(identity, user, BY_COOKIE);
  const remembered = await signedIn(identity, user, { cookie: true, rememberMe: true });
  t.is(plain.cookie?.expiresAt, undefined, 'the browser forgets it when it is closed');
  t.is(remembered.cookie?.expiresAt?.getTime(), clock.now().getTime() + 30 * DAY);
  clock.pass(HOUR + 1);
  t.is(await identity.authenticate({ cookie: plain.cookie?.value }), undefined);
  clock.pass(28 * DAY);
  t.truthy(await identity.authenticate({ cookie: remembered.cookie?.value }));
  clock.pass(2 * DAY);
  t.is(await identity.authenticate({ cookie: remembered.cookie?.value }), undefined);
});

test('one session more than SESSION_MAX_CONCURRENT ends the oldest, also when many sign in at once', async (t) => {
  const { identity, clock } = givenIdentity(t.context.database.db, { sessions: { ...settings.sessions, maxConcurrent: constant(2) } });
  const user = await givenAccount(t.context.database.db);
  const first = await signedIn(identity, user);
  t.truthy(await identity.authenticate({ authorization: first.authorization }));
  clock.pass(1_000);
  const second = await signedIn(identity, user, BY_COOKIE);
  clock.pass(1_000);
  await signedIn(identity, user);
  t.is(await identity.authenticate({ authorization: first.authorization }), undefined);
  t.truthy(await identity.authenticate({ cookie: second.cookie?.value }));
  clock.pass(1_000);
  await Promise.all(Array.from({ length: 6 }, () => signedIn(identity, user)));
  t.is((await identity.sessions.list(user.id)).length, 2);
});

test('the value of the cookie is new at each sign-in and is not kept', async (t) => {
  const { db, pool } = t.context.database;
  const { identity } = givenIdentity(db);
  const user = await givenAccount(db);
  const [one, two] = [await signedIn(identity, user, BY_COOKIE), await signedIn(identity, user, BY_COOKIE)];
  t.not(one.cookie?.value, two.cookie?.value);
  t.not(one.csrf_token, two.csrf_token);
  const { rows } = await pool.query('select * from sessions where user_id = $1', [user.id]);
  t.is(rows.length, 2);
  t.false(JSON.stringify(rows).includes(one.cookie?.value ?? ''));
});

(missing === undefined ? test : test.skip)(
  'in a key-value store: cookies work, limits hold, sign-out ends both cookie and token',
  async (t) => {
    const { db } = t.context.database;
    const changes = { sessions: { ...settings.sessions, maxConcurrent: constant(2), storeUrl: new Secret(t.context.redis?.url ?? '') } };
    const { identity, clock } = givenIdentity(db, changes);
    for (const component of identity.components()) if (component.name === 'session-store') await component.start();
    const user = await givenAccount(db);
    const oldest = await signedIn(identity, user);
    clock.pass(1_000);
    const one = await signedIn(identity, user, BY_COOKIE);
    clock.pass(1_000);
    const two = await signedIn(identity, user, BY_COOKIE);
    t.is(await identity.authenticate({ authorization: oldest.authorization }), undefined, 'tokens and cookies count together');
    const principal = await identity.authenticate({ cookie: one.cookie?.value });
    t.is(principal?.via, 'cookie');
    t.truthy(await identity.authenticate({ authorization: one.authorization }));
    if (principal !== undefined) await identity.sessions.signOut(principal, CLIENT);
    t.is(await identity.authenticate({ cookie: one.cookie?.value }), undefined);
    t.is(await identity.authenticate({ authorization: one.authorization }), undefined);
    t.truthy(await identity.authenticate({ cookie: two.cookie?.value }));
    const { rows } = await t.context.database.pool.query(`select action from audit_log where actor_id = $1 order by id`, [user.id]);
    t.deepEqual(
      rows.map(({ action }: { action: string }) => action),
      ['sign_in', 'sign_in', 'sign_in', 'session.revoked', 'sign_out'],
    );
    for (const component of identity.components()) if (component.name === 'session-store') await component.stop();
  },
);

(missing === undefined ? test : test.skip)('sessions of a key-value store that end in one process end in the others at once', async (t) => {
  const { db, url } = t.context.database;
  const changes = { sessions: { ...settings.sessions, storeUrl: new Secret(t.context.redis?.url ?? '') } };
  const [here, there] = [givenIdentity(db, changes).identity, givenIdentity(db, changes, { databaseUrl: url }).identity];
  const components = [here, there]
    .flatMap((identity) => identity.components())
    .filter(({ name }) => ['session-store', 'listener'].includes(name));
  for (const component of components) await component.start();
  let connected = false;
  there.onChange(() => (connected = true));
  await waitFor(() => connected, { description: 'the listener to be connected', limitMs: 20_000 });
  const user = await givenAccount(db);
  const isKnownThere = async (cookie: string | undefined): Promise<boolean> => (await there.authenticate({ cookie })) !== undefined;
  const ends = {
    'signing out': async (cookie: string | undefined) => {
      const principal = await here.authenticate({ cookie });
      if (principal !== undefined) await here.sessions.signOut(principal, CLIENT);
    },
    'the end of all': async () => {
      await db.transaction((tx) => here.sessions.endAll(tx, user.id));
    },
  };
  for (const [what, end] of Object.entries(ends)) {
    const { cookie } = await signedIn(here, user, BY_COOKIE);
    t.true(await isKnownThere(cookie?.value));
    await end(cookie?.value);
    await waitFor(async () => !(await isKnownThere(cookie?.value)), { description: what, limitMs: 20_000 });
  }
  for (const component of components) await component.stop();
});

(missing === undefined ? test.serial : test.serial.skip)(
  'while the key-value store is away, cookies are answered 503 and tokens go on; then it works again',
  async (t) => {
    await using own = await startRedis();
    const { db } = t.context.database;
    const { identity } = givenIdentity(db, { sessions: { ...settings.sessions, storeUrl: new Secret(own.url) } });
    const store = identity.components().find(({ name }) => name === 'session-store');
    await store?.start();
    const user = await givenAccount(db);
    const token = await signedIn(identity, user);
    const browser = await signedIn(identity, user, BY_COOKIE);
    await own.stop();
    await t.throwsAsync(identity.authenticate({ cookie: browser.cookie?.value }), { message: text('errors.session_store_away') });
    t.truthy(await identity.authenticate({ authorization: token.authorization }));
    t.is(store?.health?.().status, 'warning');
    await own.start();
    const again = async () => signedIn(identity, user, BY_COOKIE).catch(() => undefined);
    const { waitFor } = await import('@sheaf/process');
    t.truthy(await waitFor(again, { description: 'the store to be connected again', limitMs: 20_000 }));
    await store?.stop();
  },
);

test('an ended session is deleted after a day, and nothing else', async (t) => {
  const own = await openTestDatabase();
  const { identity } = givenIdentity(own.db, {}, { clock: new TestClock() });
  const user = await givenAccount(own.db);
  await signedIn(identity, user);
  await own.pool.query(
    `insert into sessions (id, user_id, expires_at, revoked_at) values
    ('019a0000-0000-7000-8000-000000000001', $1, now() + interval '1 day', now() - interval '25 hours'),
    ('019a0000-0000-7000-8000-000000000002', $1, now() - interval '25 hours', null),
    ('019a0000-0000-7000-8000-000000000003', $1, now() - interval '1 hour', null)`,
    [user.id],
  );
  const cleanup = identity.components().find(({ name }) => name === 'session-cleanup');
  await cleanup?.start();
  await cleanup?.stop();
  t.is((await own.pool.query('select id from sessions')).rows.length, 2);
  await own[Symbol.asyncDispose]();
});
