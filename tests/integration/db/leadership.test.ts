import { isDatabaseUnavailable, Leadership } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { type FatalError, silentLogger } from '@sheaf/process';
import { openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';

interface Candidate {
  readonly leadership: Leadership;
  readonly standbys: string[];
  readonly lost: Error[];
}

const candidate = ({ url }: TestDatabase, processName = 'watcher'): Candidate => {
  const standbys: string[] = [];
  const lost: Error[] = [];
  const leadership = new Leadership({
    url,
    processName,
    log: silentLogger(),
    onStandby: ({ code }) => standbys.push(code),
    onLost: (error) => lost.push(error),
  });
  return { leadership, standbys, lost };
};

const termOf = async ({ pool }: TestDatabase): Promise<number> =>
  Number((await pool.query<{ term: string }>('select term from leaderships')).rows[0]?.term);

const endSession = ({ pool }: TestDatabase, name: string) =>
  pool.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and datname = current_database()', [name]);

test('one works and another stands by, until the first is released', async (t) => {
  await using database = await openTestDatabase();
  const first = candidate(database);
  const second = candidate(database);
  t.teardown(() => Promise.all([first.leadership.release(), second.leadership.release()]));
  await first.leadership.acquire();
  const taking = second.leadership.acquire();
  await waitFor(() => second.standbys.length > 0, { description: 'the second to stand by', limitMs: 20_000 });
  t.is(second.standbys[0], 'another_instance_runs');
  t.false(second.leadership.isHeld);
  await first.leadership.release();
  await taking;
  t.true(second.leadership.isHeld);
  t.is(await termOf(database), 2);
  t.is(second.standbys.length, 1);
});

test('processes of different kinds work beside each other', async (t) => {
  await using database = await openTestDatabase();
  const kinds = ['watcher', 'sync'].map((name) => candidate(database, name));
  t.teardown(() => Promise.all(kinds.map(({ leadership }) => leadership.release())));
  await Promise.all(kinds.map(({ leadership }) => leadership.acquire()));
  t.true(kinds.every(({ leadership }) => leadership.isHeld));
});

test('without the lock, statements and transactions fail as they do while the database is away', async (t) => {
  await using database = await openTestDatabase();
  const { leadership } = candidate(database);
  t.teardown(() => leadership.release());
  const { db } = leadership.fence(database);
  for (const work of [() => db.execute(sql`select 1`), () => db.transaction(async (tx) => tx.execute(sql`select 1`))]) {
    const error = await t.throwsAsync(async () => work());
    t.true(isDatabaseUnavailable(error));
  }
  await leadership.acquire();
  t.is((await db.execute(sql`select 1`)).rowCount, 1);
  t.is((await db.transaction(async (tx) => tx.execute(sql`select 1`))).rowCount, 1);
});

test('a leader that lost its session goes on where nobody has taken over', async (t) => {
  await using database = await openTestDatabase();
  const { leadership, lost } = candidate(database);
  t.teardown(() => leadership.release());
  await leadership.acquire();
  const { db } = leadership.fence(database);
  await endSession(database, 'sheaf watcher lock');
  await waitFor(
    async () => {
      try {
        return (await db.transaction(async (tx) => tx.execute(sql`select 1`))).rowCount === 1;
      } catch {
        return false; // for the moment
      }
    },
    { description: 'the fenced database to work again', limitMs: 20_000 },
  );
  t.deepEqual(lost, []);
  t.is(await termOf(database), 1);
});

test('a transaction of the term before is refused, whatever its process believes, and its process ends', async (t) => {
  await using database = await openTestDatabase();
  const old = candidate(database);
  t.teardown(() => old.leadership.release());
  await old.leadership.acquire();
  const { db } = old.leadership.fence(database);
  // a takeover that the old leader has not noticed yet
  await database.pool.query(`select take_leadership('watcher')`);
  const error = await t.throwsAsync(db.transaction(async (tx) => tx.execute(sql`create table written (a int)`)));
  t.like(error, { code: '57P03' }, 'what require_leadership raises');
  t.is((await database.pool.query(`select to_regclass('written') as there`)).rows[0].there, null);
  await endSession(database, 'sheaf watcher lock');
  await waitFor(() => old.lost.length > 0, { description: 'the old leader to notice', limitMs: 20_000 });
  t.is((old.lost[0] as FatalError | undefined)?.problem?.code, 'another_instance_took_over');
});

test('a term begins once the last transaction of the one before has ended; one that takes too long is ended', async (t) => {
  await using database = await openTestDatabase();
  const old = candidate(database);
  const next = candidate(database);
  t.teardown(() => Promise.all([old.leadership.release(), next.leadership.release()]));
  await old.leadership.acquire();
  const { db } = old.leadership.fence(database);
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const stuck = db.transaction(async (tx) => {
    await tx.execute(sql`create table written (a int)`);
    begun.resolve();
    await goOn.promise;
  });
  const refused = t.throwsAsync(stuck);
  await begun.promise;
  await old.leadership.release();
  await next.leadership.acquire();
  goOn.resolve();
  await refused;
  t.is((await database.pool.query(`select to_regclass('written') as there`)).rows[0].there, null);
});
