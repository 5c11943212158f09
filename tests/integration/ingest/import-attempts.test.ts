import type { AttemptedFile } from '@sheaf/ingest';
import { ImportAttempts } from '@sheaf/ingest';
import { silentLogger } from '@sheaf/process';
import { givenUser, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { waitFor } from '../../support/wait-for.ts';

interface Context {
  readonly database: TestDatabase;
  readonly ownerId: string;
}

const test = anyTest as TestFn<Context>;

test.beforeEach(async (t) => {
  const database = await openTestDatabase();
  t.context = { database, ownerId: (await givenUser(database.db, { role: 'editor' })).id };
});
test.afterEach.always((t) => t.context.database[Symbol.asyncDispose]());

/** As a process has them that has just begun. */
const begun = ({ database: { db } }: Context): ImportAttempts => new ImportAttempts({ db, kind: 'watched', log: silentLogger() });

const file = ({ ownerId }: Context, path: string, sizeBytes = 3): AttemptedFile => ({
  route: 'watch',
  path,
  ownerId,
  version: { etag: undefined, sizeBytes, modifiedAt: new Date(1_000) },
});

const rows = async ({ database: { pool } }: Context): Promise<unknown[]> =>
  (await pool.query('select path, crashes, started_at is not null as started from import_attempts order by path')).rows;

const always = (): boolean => true;

/** As a process does it: a suspect by itself, everything else beside the others. */
const run = <T>(attempts: ImportAttempts, of: AttemptedFile, work: () => Promise<T>, isOutcome: () => boolean = always): Promise<T> =>
  attempts.isSuspect(of) ? attempts.runAlone(of, work, isOutcome) : attempts.runAttempted([of], work);

const never = new Promise<never>(() => {});

/** Begins to import files together, and dies with that. */
const crash = async (context: Context, paths: readonly string[]): Promise<void> => {
  const attempts = begun(context);
  const inspected: string[] = [];
  await attempts.recover();
  for (const path of paths)
    void run(attempts, file(context, path), () => {
      inspected.push(path);
      return never;
    });
  await waitFor(async () => inspected.length === paths.length, { description: 'all to be inspected', limitMs: 10_000 });
};

test('the attempt is on record before the file is inspected, and gone when there is an outcome', async (t) => {
  const attempts = begun(t.context);
  const during = await run(attempts, file(t.context, 'a'), () => rows(t.context));
  t.deepEqual(during, [{ path: 'a', crashes: 0, started: true }]);
  await attempts.stop();
  t.deepEqual(await rows(t.context), []);
});

test('an attempt that fails or is broken off without a crash leaves nothing', async (t) => {
  const attempts = begun(t.context);
  const error = new Error('broken off');
  await t.throwsAsync(
    run(attempts, file(t.context, 'a'), () => Promise.reject(error)),
    { is: error },
  );
  await attempts.stop();
  t.deepEqual(await rows(t.context), []);
});

test('a file that was under way alone at two crashes is quarantined; before that it is a suspect', async (t) => {
  await crash(t.context, ['a']);
  const second = begun(t.context);
  await second.recover();
  t.true(second.isSuspect(file(t.context, 'a')));
  t.deepEqual(await rows(t.context), [{ path: 'a', crashes: 1, started: false }]);
  await crash(t.context, ['a']);
  const third = begun(t.context);
  await third.recover();
  t.false(third.isSuspect(file(t.context, 'a')));
  t.deepEqual(await rows(t.context), []);
  const { pool } = t.context.database;
  const ledger = await pool.query('select state, reason_code, reason_details, size_bytes::int as size, owner_id from ingest_ledger');
  t.deepEqual(ledger.rows, [
    { state: 'failed', reason_code: 'quarantined', reason_details: { crashes: 2 }, size: 3, owner_id: t.context.ownerId },
  ]);
  const told = await pool.query("select data->>'state' as state from events where type = 'ingest'");
  t.deepEqual(told.rows, [{ state: 'failed' }]);
});

test('files that were under way together are suspects, none is blamed, and the innocent are cleared', async (t) => {
  await crash(t.context, ['a', 'b', 'c']);
  const attempts = begun(t.context);
  await attempts.recover();
  t.deepEqual(
    await rows(t.context),
    ['a', 'b', 'c'].map((path) => ({ path, crashes: 0, started: false })),
  );
  await run(attempts, file(t.context, 'a'), () => Promise.resolve());
  t.false(attempts.isSuspect(file(t.context, 'a')));
  await attempts.stop();
  t.deepEqual(
    await rows(t.context),
    ['b', 'c'].map((path) => ({ path, crashes: 0, started: false })),
  );
});

test('a suspect is inspected alone: others end before it, and wait until it has ended', async (t) => {
  await crash(t.context, ['suspect 1', 'suspect 2']);
  const attempts = begun(t.context);
  await attempts.recover();
  let running = 0;
  const most = new Map<string, number>();
  const work = (path: string) => async (): Promise<void> => {
    running += 1;
    most.set(path, running);
    await rows(t.context);
    most.set(path, Math.max(running, most.get(path) ?? 0));
    running -= 1;
  };
  const paths = ['a', 'b', 'suspect 1', 'c', 'suspect 2', 'd'];
  await Promise.all(paths.map((path) => run(attempts, file(t.context, path), work(path))));
  t.is(most.get('suspect 1'), 1);
  t.is(most.get('suspect 2'), 1);
  t.true((most.get('a') ?? 0) > 1 || (most.get('b') ?? 0) > 1, 'others run beside each other');
});

test('a file that changed since is no suspect any more, and its crashes are forgotten', async (t) => {
  await crash(t.context, ['a']);
  const attempts = begun(t.context);
  await attempts.recover();
  t.false(attempts.isSuspect(file(t.context, 'a', 4)));
  const during = await run(attempts, file(t.context, 'a', 4), () => rows(t.context));
  t.deepEqual(during, [{ path: 'a', crashes: 0, started: true }]);
});

test('a suspect that was not inspected to the end remains one', async (t) => {
  await crash(t.context, ['a']);
  const attempts = begun(t.context);
  await attempts.recover();
  await run(
    attempts,
    file(t.context, 'a'),
    () => Promise.resolve(),
    () => false,
  );
  await t.throwsAsync(run(attempts, file(t.context, 'a'), () => Promise.reject(new Error('queue full'))));
  await attempts.stop();
  t.true(attempts.isSuspect(file(t.context, 'a')));
  t.deepEqual(await rows(t.context), [{ path: 'a', crashes: 1, started: false }]);
});

test('a file whose outcome was recorded before the crash is no suspect', async (t) => {
  await crash(t.context, ['done', 'poison']);
  await t.context.database.pool.query(
    "insert into ingest_ledger (id, route, path, state) values (gen_random_uuid(), 'watch', 'done', 'ingested'), (gen_random_uuid(), 'user_watch', 'poison', 'ingested')",
  );
  await begun(t.context).recover();
  t.deepEqual(await rows(t.context), [{ path: 'poison', crashes: 1, started: false }]);
});

test('attempts of the other kind of process stay as they are', async (t) => {
  await crash(t.context, ['a']);
  await new ImportAttempts({ db: t.context.database.db, kind: 'source', log: silentLogger() }).recover();
  t.deepEqual(await rows(t.context), [{ path: 'a', crashes: 0, started: true }]);
});

test('a thousand files at once are recorded with few statements', async (t) => {
  const attempts = begun(t.context);
  await attempts.recover();
  const { pool } = t.context.database;
  const countCommits = async (): Promise<number> => {
    const { rows: found } = await pool.query<{ id: string }>('select pg_current_xact_id()::text as id');
    return Number(found[0]?.id);
  };
  const before = await countCommits();
  await Promise.all(Array.from({ length: 1_000 }, (_, n) => run(attempts, file(t.context, `f${n}`), () => Promise.resolve())));
  await attempts.stop();
  t.true((await countCommits()) - before < 100);
  t.deepEqual(await rows(t.context), []);
});
