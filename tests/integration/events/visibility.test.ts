// Who hears what: by the query of a replay and by the look at an event that comes, for everything that can be told.

import { canReceive, eventsFor } from '@sheaf/db';
import { ApiClient, givenUser, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import { EVENT_TYPES } from '@sheaf/vocabulary/events';
import type { Principal } from '@sheaf/vocabulary/permissions';
import anyTest, { type TestFn } from 'ava';
import { sql } from 'drizzle-orm';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { EventClient, openEventClient, SocketIoClient } from '../../support/event-client.ts';

const test = anyTest as TestFn<{ database: TestDatabase }>;

test.beforeEach(async (t) => {
  t.context = { database: await openTestDatabase() };
});
test.afterEach.always((t) => t.context.database[Symbol.asyncDispose]());

const ACTIONS = ['documents.read', 'documents.create', 'documents.share', 'sources.read', 'system.read'] as const;
const REACHES = ['none', 'own', 'all'] as const;

/** Every way to give permissions for some actions. */
const permissionSets = (actions: readonly string[]): string[][] => {
  const [action, ...others] = actions;
  if (action === undefined) return [[]];
  const rest = permissionSets(others);
  return REACHES.flatMap((reach) => rest.map((set) => (reach === 'none' ? set : [`${action}${reach === 'own' ? '.own' : ''}`, ...set])));
};

test('the query of a replay and the look at an event that comes agree on everything, and give away nothing of others without a right', async (t) => {
  const { db, pool } = t.context.database;
  const [me, other] = [(await givenUser(db)).id, (await givenUser(db)).id];
  for (const type of EVENT_TYPES)
    for (const owner of [me, other, null])
      await pool.query('insert into events (type, owner_id, data) values ($1, $2, $3)', [type, owner, { of: owner ?? 'nobody' }]);
  let compared = 0;
  for (const permissions of [...permissionSets(ACTIONS), ['*'], ['documents.*']])
    for (const via of ['token', 'key'] as const) {
      const principal: Principal = { userId: me, username: 'me', role: 'some', permissions, via };
      const hears = canReceive(principal);
      const { rows } = await db.execute<{ type: string; owner_id: string | null; is_heard: boolean | null }>(
        sql`select type, owner_id, ${eventsFor(principal)} as is_heard from events`,
      );
      for (const { type, owner_id, is_heard } of rows) {
        const inMemory = hears({ type: type as never, ownerId: owner_id });
        t.is(is_heard === true, inMemory, `${type} of ${owner_id === me ? 'mine' : owner_id} with ${permissions.join()} by ${via}`);
        if (owner_id === other && permissions.every((permission) => permission.endsWith('.own'))) t.false(inMemory);
        if (type.startsWith('notification') && owner_id !== me) t.false(inMemory);
        compared += 1;
      }
    }
  t.is(compared, (243 + 2) * 2 * EVENT_TYPES.length * 3);
});

const USERS = {
  ann: [
    'documents.read.own',
    'documents.create',
    'documents.delete.own',
    'documents.share.own',
    'sources.read.own',
    'users.update.own',
    'system.read.own',
  ],
  bob: ['documents.read.own', 'documents.create', 'documents.delete.own', 'documents.share.own', 'sources.read.own', 'users.update.own'],
  eve: ['*'],
} as const;

const DATA: Readonly<Record<string, object>> = {
  notification: { id: 'n', type: 'security', title: 't', message: 'm' },
  alert: { level: 'info', component: 'c', message: 'm' },
};

test('of each type of event two users hear their own alone, and an administrator what is not of users alone, live and replayed, whatever they speak', async (t) => {
  const { database } = t.context;
  await using api = await startApiWithPermissions(database, USERS);
  const anyone = new ApiClient(api.url);
  const eve = await anyone.register('eve');
  for (const username of ['ann', 'bob'])
    await eve.post('/api/auth/register', { username, email: `${username}@example.org`, password: 'correct horse battery', role: 'viewer' });
  const people = await Promise.all(
    (['ann', 'bob', 'eve'] as const).map(async (username) => {
      const { body } = await anyone.post('/api/auth/login', { username, password: 'correct horse battery' });
      const { body: me } = await new ApiClient(api.url, String(body['token'])).get('/api/auth/me');
      return { username, token: String(body['token']), id: String(me['id']) };
    }),
  );
  const live = await Promise.all(people.map(({ token }) => openEventClient(api.url, token)));
  const liveIo = await Promise.all(
    people.map(async ({ token }) => {
      const client = new SocketIoClient(api.url, { token });
      await client.subscribe();
      return client;
    }),
  );
  const types = EVENT_TYPES.filter((type) => type !== 'queue_status'); // it is no row
  for (const type of types)
    for (const owner of [...people.map(({ id }) => id), null])
      await database.pool.query('insert into events (type, owner_id, data) values ($1, $2, $3)', [
        type,
        owner,
        { ...DATA[type], whose: people.find(({ id }) => id === owner)?.username ?? 'nobody' },
      ]);
  await database.pool.query(`insert into events (type, owner_id, data) select 'notification', id, '{"whose":"end"}' from users`);
  const expected = (username: string): string[] =>
    types
      .flatMap((type) =>
        ['ann', 'bob', 'eve', 'nobody']
          .filter((whose) => whose === username || (username === 'eve' && !type.startsWith('notification')))
          .map((whose) => `${type} ${whose}`),
      )
      .toSorted();
  for (const [at, { username, token }] of people.entries()) {
    await using replayed = await new EventClient(api.url).opened();
    await replayed.auth(token);
    await replayed.subscribe([], 0);
    using replayedIo = new SocketIoClient(api.url, { token });
    await replayedIo.subscribe([], 0);
    for (const client of [live[at], liveIo[at], replayed, replayedIo]) {
      const heard = (await client?.eventsUntil(({ whose }) => whose === 'end')) ?? [];
      const told = heard
        .filter(({ whose }) => whose !== undefined && whose !== 'end')
        .map(({ type, whose }) => `${String(type)} ${String(whose)}`);
      t.deepEqual(told.toSorted(), expected(username), username);
    }
  }
  for (const client of live) await client[Symbol.asyncDispose]();
  for (const client of liveIo) client[Symbol.dispose]();
});

test('counts of the queue are told to each as far as they may read documents, where they have changed', async (t) => {
  const { database } = t.context;
  await using api = await startApiWithPermissions(database, USERS);
  const anyone = new ApiClient(api.url);
  const eve = await anyone.register('eve');
  for (const username of ['ann', 'bob'])
    await eve.post('/api/auth/register', { username, email: `${username}@example.org`, password: 'correct horse battery', role: 'viewer' });
  const [ann, bob, all] = await Promise.all(
    ['ann', 'bob', 'eve'].map(async (username) => {
      const { body } = await anyone.post('/api/auth/login', { username, password: 'correct horse battery' });
      const token = String(body['token']);
      return { client: new ApiClient(api.url, token), events: await openEventClient(api.url, token, ['queue_status']) };
    }),
  );
  if (ann === undefined || bob === undefined || all === undefined) throw new Error('nobody signed in');
  for (const n of [1, 2]) {
    const { status } = await ann.client.upload({ name: `${n}.txt`, bytes: new TextEncoder().encode(`of ann ${n}`) });
    t.is(status, 201);
  }
  t.like((await ann.events.eventsUntil(({ pending }) => pending === 2)).at(-1), { processing: 0, completed: 0, data: { pending: 2 } });
  await bob.client.upload({ name: 'b.txt', bytes: new TextEncoder().encode('of bob') });
  t.is((await all.events.eventsUntil(({ pending }) => pending === 3)).at(-1)?.['type'], 'queue_status');
  await bob.events.eventsUntil(({ pending }) => pending === 1);
  t.true(ann.events.events.every(({ pending }) => Number(pending) <= 2));
  t.true(bob.events.events.every(({ pending }) => Number(pending) <= 1));
  for (const { events } of [ann, bob, all]) await events[Symbol.asyncDispose]();
});
