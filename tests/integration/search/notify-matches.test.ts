import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import { savePages } from '@sheaf/documents/pages';
import { constant, silentLogger } from '@sheaf/process';
import { markCompleted } from '@sheaf/queue';
import { indexDocument } from '@sheaf/search';
import {
  createSavedSearch,
  deleteSavedSearch,
  notifyMatches,
  type SavedSearchFields,
  updateSavedSearch,
} from '@sheaf/search/saved-searches';
import { givenDocument, givenUser, principalOf, type TestDatabase } from '@sheaf/testkit';
import { makeSavedSearchMatches } from '@sheaf/watcher/testing';
import { CONFIGURED_ROLES } from '../../support/built-in-roles.ts';
import { TOLD_HERE } from '../../support/notification-policies.ts';
import { testWithOwnDatabase } from '../../support/test-database.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = testWithOwnDatabase();

const DEFAULTS: SavedSearchFields = {
  name: 'oaks',
  query: 'oak',
  filters: {},
  sort: 'score',
  order: 'desc',
  columns: [],
  isShared: false,
  viewRules: null,
  notify: true,
};

const given = (db: Db, user: User, fields: Partial<SavedSearchFields> = {}): Promise<string> =>
  createSavedSearch(db, { principal: principalOf(user), address: undefined }, { ...DEFAULTS, ...fields }, {});

const completeOnce = (db: Db, id: string): Promise<void> =>
  db.transaction(async (tx) => {
    await markCompleted(tx, id, {
      pageCount: 1,
      confidence: 1,
      excerpt: '',
      language: undefined,
      missingLanguage: undefined,
      needsAttention: false,
    });
    await indexDocument(tx, id);
  });

/** A document that is completed as a worker does it. */
const completed = async (db: Db, owner: User, title: string, text = ''): Promise<string> => {
  const { id } = await givenDocument(db, { ownerId: owner.id, title, status: 'processing' });
  await savePages(db, id, [{ page: 1, content: text, confidence: 1, origin: 'text' }]);
  await completeOnce(db, id);
  return id;
};

const audience = { policy: TOLD_HERE, roles: CONFIGURED_ROLES };
const pass = (db: Db): Promise<boolean> => notifyMatches({ db, audience, log: silentLogger() });

interface Row {
  readonly user_id: string;
  readonly title: string;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const notificationsOf = async ({ pool }: TestDatabase): Promise<Row[]> =>
  (await pool.query<Row>("select user_id, title, message, data from notifications where type = 'saved_search_match' order by created_at"))
    .rows;
const candidatesOf = async ({ pool }: TestDatabase): Promise<number> =>
  (await pool.query('select from saved_search_candidates')).rowCount ?? 0;

test('the owner is notified once of what a search finds when it is completed, with an event', async (t) => {
  const { db, pool } = t.context;
  const owner = await givenUser(db);
  const before = await completed(db, owner, 'Oak from before');
  const id = await given(db, owner);
  const title = await completed(db, owner, 'Oak in the title');
  const text = await completed(db, owner, 'In the text', 'three oaks of the garden');
  await completed(db, owner, 'Birch');
  t.false(await pass(db));
  const told = await notificationsOf(t.context);
  t.like(told, [{ user_id: owner.id, title: '2 new documents: oaks', message: 'Most recent: In the text' }]);
  t.deepEqual(told[0]?.data, { saved_search_id: id, name: 'oaks', title: 'In the text', count: 2, document_ids: [title, text] });
  const events = await pool.query("select owner_id from events where type = 'notification'");
  t.deepEqual(events.rows, [{ owner_id: owner.id }]);
  await pass(db);
  for (const again of [before, title, text]) {
    await pool.query("update documents set status = 'pending' where id = $1", [again]);
    await completeOnce(db, again);
  }
  await pass(db);
  t.deepEqual(await notificationsOf(t.context), told, 'OCR that runs again is no new document');
  t.is(await candidatesOf(t.context), 0);
});

test('nobody is notified of what they may not read, of searches of others, or while they are disabled', async (t) => {
  const { db, pool } = t.context;
  await pool.query(`insert into roles (name, permissions) values ('clerk', '{search.query,documents.read.own}'), ('blind', '{search.query}'),
    ('mute', '{documents.read}')`);
  const [all, clerk, blind, mute, gone] = await Promise.all([1, 2, 3, 4, 5].map(() => givenUser(db)));
  if (!all || !clerk || !blind || !mute || !gone) throw new Error('five users');
  await given(db, all, { isShared: true });
  for (const user of [clerk, blind, mute, gone]) await given(db, user);
  for (const [role, user] of [
    ['clerk', clerk],
    ['blind', blind],
    ['mute', mute],
  ] as const)
    await pool.query('update users set role = $2 where id = $1', [user.id, role]);
  await pool.query('update users set disabled_at = now() where id = $1', [gone.id]);
  const others = await completed(db, all, 'Oak of all');
  const mine = await completed(db, clerk, 'Oak of the clerk');
  await pass(db);
  const told = await notificationsOf(t.context);
  const idsOf = (user: User): unknown => told.find((row) => row.user_id === user.id)?.data['document_ids'];
  t.deepEqual([idsOf(all), idsOf(clerk)], [[others, mine], [mine]]);
  t.is(told.length, 2);
});

test('a search without notifications, one that is deleted meanwhile, and a deleted document are left out', async (t) => {
  const { db, pool } = t.context;
  const owner = await givenUser(db, { role: 'admin' });
  const actor = { principal: principalOf(owner), address: undefined };
  await given(db, owner, { notify: false });
  await completed(db, owner, 'Oak');
  t.is(await candidatesOf(t.context), 0, 'nobody waits for it');
  const id = await given(db, owner);
  await completed(db, owner, 'Oak again');
  const late = await given(db, owner, { name: 'late' });
  await deleteSavedSearch(db, actor, id);
  await pass(db);
  t.deepEqual(await notificationsOf(t.context), [], 'the late one was saved after that');
  const going = await completed(db, owner, 'Oak that goes');
  await pool.query('delete from documents where id = $1', [going]);
  await pass(db);
  await updateSavedSearch(db, actor, late, { notify: false }, {});
  await completed(db, owner, 'Oak');
  await pass(db);
  t.deepEqual(await notificationsOf(t.context), []);
});

test('later matches are added to an unread notification of the same search, which names a bounded number', async (t) => {
  const { db, pool } = t.context;
  const owner = await givenUser(db);
  await given(db, owner);
  await given(db, owner, { name: 'gardens', query: 'garden' });
  const plant = (from: number): Promise<unknown> =>
    Promise.all(Array.from({ length: 60 }, (_, n) => completed(db, owner, `Oak ${from + n}`)));
  await plant(0);
  await pass(db);
  await plant(60);
  const last = await completed(db, owner, 'Oak garden');
  await pass(db);
  const told = await notificationsOf(t.context);
  t.deepEqual(new Set(told.map(({ title }) => title)), new Set(['121 new documents: oaks', '1 new document: gardens']));
  const oaks = told.find(({ data }) => data['name'] === 'oaks');
  t.is(oaks?.message, 'Most recent: Oak garden');
  const named = oaks?.data['document_ids'] as readonly string[] | undefined;
  t.is(named?.length, 100);
  t.is(named?.at(-1), last);
  t.is((await pool.query("select from events where type = 'notification'")).rowCount, 3, 'each addition is an event of its own');
  await pool.query('update notifications set read_at = now()');
  await completed(db, owner, 'Oak after that');
  await pass(db);
  t.true((await notificationsOf(t.context)).some(({ title }) => title === '1 new document: oaks'));
});

test('whatever ends a pass, nothing is lost and nothing is told twice', async (t) => {
  const { db, pool } = t.context;
  const owner = await givenUser(db);
  await given(db, owner);
  const ids = [await completed(db, owner, 'Oak 1'), await completed(db, owner, 'Oak 2')];
  const transactions = await countTransactions(db);
  const all = transactions.length;
  t.true(all > 0);
  // the connection dies in each transaction, just before its end
  for (let at = 0; at < all; at += 1) {
    let begun = -1;
    const dying = Object.create(db, {
      transaction: {
        value: (work: (tx: Db) => Promise<unknown>) =>
          db.transaction(async (tx) => {
            begun += 1;
            const result = await work(tx);
            if (begun === at) await tx.execute('select pg_terminate_backend(pg_backend_pid())');
            return result;
          }),
      },
    }) as Db;
    await t.throwsAsync(pass(dying), undefined, String(at));
    t.is((await notificationsOf(t.context)).length, 0, String(at));
    t.is(await candidatesOf(t.context), 2, String(at));
  }
  await pass(db);
  await pass(db);
  t.like(await notificationsOf(t.context), [{ title: '2 new documents: oaks' }]);
  t.deepEqual((await notificationsOf(t.context))[0]?.data['document_ids'], ids);
  t.is((await pool.query("select from events where type = 'notification'")).rowCount, 1);
});

/** The transactions that a pass makes, none of which is committed. */
const countTransactions = async (db: Db): Promise<readonly number[]> => {
  const begun: number[] = [];
  const undo = new Error('undone');
  const undoing = Object.create(db, {
    transaction: {
      value: async (work: (tx: Db) => Promise<unknown>) => {
        begun.push(begun.length);
        let result: unknown;
        await db
          .transaction(async (tx) => {
            result = await work(tx);
            throw undo;
          })
          .catch((error: unknown) => {
            if (error !== undo) throw error;
          });
        return result;
      },
    },
  }) as Db;
  await pass(undoing);
  return begun;
};

test('a document whose completion is not committed yet when a pass runs is reported in the next one', async (t) => {
  const { db } = t.context;
  const owner = await givenUser(db);
  await given(db, owner);
  const { id } = await givenDocument(db, { ownerId: owner.id, title: 'Slow oak', status: 'processing' });
  const gate = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const slow = db.transaction(async (tx) => {
    await markCompleted(tx, id, {
      pageCount: 0,
      confidence: null,
      excerpt: '',
      language: undefined,
      missingLanguage: undefined,
      needsAttention: false,
    });
    await indexDocument(tx, id);
    written.resolve();
    await gate.promise;
  });
  await written.promise;
  await completed(db, owner, 'Quick oak');
  await pass(db);
  t.like(await notificationsOf(t.context), [{ title: '1 new document: oaks', message: 'Quick oak' }]);
  gate.resolve();
  await slow;
  await pass(db);
  t.like(await notificationsOf(t.context), [{ title: '2 new documents: oaks', message: 'Most recent: Slow oak' }]);
});

test('a search that this version does not understand, and one that takes too long, keep nobody else waiting', async (t) => {
  const { db, pool } = t.context;
  const owner = await givenUser(db);
  const id = await given(db, owner);
  await pool.query(`update saved_searches set filters = '{"invented_later": 1}' where id = $1`, [id]);
  const hostile = ['*a*', '('.repeat(2_000), '"', '-oak', 'label:"x', Array.from({ length: 64 }, (_, n) => `*e${n}*`).join(' OR ')];
  for (const query of hostile) await given(db, owner, { name: 'hostile', query });
  await given(db, owner, { name: 'plain' });
  await completed(db, owner, 'Oak');
  await pass(db);
  t.true((await notificationsOf(t.context)).some(({ title }) => title === '1 new document: plain'));
  t.is(await candidatesOf(t.context), 0);
});

test('the watcher looks for matches by itself', async (t) => {
  const { db } = t.context;
  const owner = await givenUser(db);
  await given(db, owner);
  await completed(db, owner, 'Oak');
  const component = makeSavedSearchMatches({ db, audience: constant(audience), log: silentLogger() });
  await component.start();
  try {
    await waitFor(async () => (await notificationsOf(t.context)).length === 1, { description: 'the notification', limitMs: 30_000 });
  } finally {
    await component.stop();
  }
  t.is(component.health?.().status, 'healthy');
});
