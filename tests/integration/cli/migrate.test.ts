// bin/migrate as people call it: started as a program where that matters.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { migrateDown, readMigrations } from '@sheaf/db/migrations';
import { CODE_CACHE_ENVIRONMENT, givenDocument, givenUser, makeServiceFolder, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { Client } from 'pg';
import { type EndedCommand, runCommandHere } from '../../support/command-in-process.ts';
import { fullOnly } from '../../support/full-run.ts';
import { waitFor } from '../../support/wait-for.ts';

const MIGRATE = join(import.meta.dirname, '../../../bin/migrate');

interface Context {
  readonly database: TestDatabase;
  readonly env: NodeJS.ProcessEnv;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

const test = anyTest as TestFn<Context>;

test.beforeEach(async (t) => {
  const [database, folder] = [await openTestDatabase(), await makeServiceFolder()];
  t.context = {
    database,
    env: { PATH: '/usr/bin:/bin', ...CODE_CACHE_ENVIRONMENT, DATA_PATH: folder.path, DATABASE_URL: database.url.reveal() },
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const migrate = ({ env }: Context, ...args: string[]): Promise<EndedCommand> => runCommandHere({ program: 'migrate.ts', args, env });

const start = ({ env }: Context, ...args: string[]): Promise<{ status: unknown; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    execFile(MIGRATE, args, { encoding: 'utf8', timeout: 120_000, env }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : error.code, stdout, stderr }),
    );
  });

const versionsIn = async ({ database }: Context): Promise<number[]> =>
  (await database.pool.query<{ version: number }>('select version from migrations order by version')).rows.map(({ version }) => version);

const tellVersions = (output: string, word: string): number[] =>
  [...output.matchAll(new RegExp(`^${word}\\s+(\\d{4}) `, 'gm'))].map(([, version]) => Number(version));

test('down takes the newest migration back, down --to all that are newer, and up applies them again; status tells', async (t) => {
  const all = (await readMigrations()).map(({ version }) => version);
  t.deepEqual(tellVersions((await start(t.context, 'status')).stdout, 'applied'), all);
  t.deepEqual(tellVersions((await migrate(t.context, 'down')).stdout, 'reverted'), all.slice(-1));
  t.deepEqual(await versionsIn(t.context), all.slice(0, -1));
  t.deepEqual(tellVersions((await migrate(t.context, 'down', '--to', '5')).stdout, 'reverted'), all.slice(5, -1).toReversed());
  t.deepEqual(await versionsIn(t.context), all.slice(0, 5));
  const { stdout } = await migrate(t.context, 'status');
  t.deepEqual([tellVersions(stdout, 'applied'), tellVersions(stdout, 'missing')], [all.slice(0, 5), all.slice(5)]);
  t.deepEqual(tellVersions((await migrate(t.context, 'down', '--to', '0')).stdout, 'reverted'), all.slice(0, 5).toReversed());
  t.deepEqual(tellVersions((await migrate(t.context, 'up')).stdout, 'applied'), all);
  t.deepEqual(await versionsIn(t.context), all);
});

test('up names documents without facts and those with facts of an earlier version, with the command that finds them', async (t) => {
  const { db } = t.context.database;
  const ownerId = (await givenUser(db)).id;
  for (const factsFoundAt of [null, new Date(), new Date()]) await givenDocument(db, { ownerId, status: 'completed', factsFoundAt });
  await migrate(t.context, 'down');
  const { stdout } = await migrate(t.context, 'up');
  t.regex(stdout, /^next {5}1 documents have no dates, amounts and senders yet; .*: bin\/sheaf facts$/m);
  t.regex(stdout, /^next {5}2 documents have dates, amounts and senders of an earlier version; .*: bin\/sheaf facts$/m);
});

fullOnly(test)('a schema that a newer Sheaf made is shown, and refused by up and down', async (t) => {
  const before = await versionsIn(t.context);
  await t.context.database.pool.query(`insert into migrations values (9999, 'later', 'hash')`);
  t.regex((await migrate(t.context, 'status')).stdout, /^unknown {2}9999 later$/m);
  for (const args of [['up'], ['down'], ['down', '--to', '0']]) {
    const { status, stderr } = await migrate(t.context, ...args);
    t.is(status, 78, 'no second try changes it');
    t.regex(stderr, /unknown migration 9999 \(later\)/);
  }
  t.deepEqual(await versionsIn(t.context), [...before, 9999]);
});

fullOnly(test)('up --log tells everything in lines of the log, of LOG_FORMAT and from LOG_LEVEL on', async (t) => {
  const up = async (variables: Record<string, string>) => {
    await migrate(t.context, 'down');
    const { stdout, stderr } = await start({ ...t.context, env: { ...t.context.env, ...variables } }, 'up', '--log');
    t.is(stderr, '');
    return stdout;
  };
  const newest = (await readMigrations()).at(-1);
  const entries = (text: string): Record<string, unknown>[] =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const [line, ...more] = entries(await up({ LOG_FORMAT: 'json' }));
  t.like(line, { level: 30, process: 'migrate', msg: 'migration applied', version: newest?.version, name: newest?.name });
  t.deepEqual(more, []);
  t.regex(await up({ LOG_FORMAT: 'text' }), /INFO.*migration applied/);
  t.is(await up({ LOG_FORMAT: 'json', LOG_LEVEL: 'warn' }), '');
  await t.context.database.pool.query(`insert into migrations values (9999, 'later', 'hash')`);
  const [failure] = entries(await up({ LOG_FORMAT: 'json' }));
  t.like(failure, { level: 60, process: 'migrate', code: 'migration_unknown' });
});

test('wrong usage ends with 2, help with 0', async (t) => {
  for (const args of [[], ['sideways'], ['up', '--to', '3'], ['down', '--to', 'x'], ['up', 'down'], ['up', '--dance'], ['status', '--log']])
    t.is((await migrate(t.context, ...args)).status, 2, args.join(' '));
  t.regex((await migrate(t.context, '--help')).stdout, /^usage: migrate /);
});

test('killed in the middle of a migration it leaves the schema as it was, and the next run goes on', async (t) => {
  const { database, env } = t.context;
  const known = await readMigrations();
  const client = new Client({ connectionString: database.url.reveal() });
  await client.connect();
  try {
    await migrateDown(client, known, 8);
    // holds 0009 up when it has made its first tables
    await client.query('begin; lock table documents in access share mode');
    const child = spawn(MIGRATE, ['up'], { env, stdio: 'ignore' });
    await waitFor(async () => (await waitingForLocks(database)) === 1, {
      description: 'the migration to wait for the table',
      limitMs: 30_000,
    });
    child.kill('SIGKILL');
    await once(child, 'exit');
    await client.query('commit');
    await waitFor(async () => (await sessionsOf(database, 'sheaf migrate')) === 0, { description: 'its session to end', limitMs: 30_000 });
    t.deepEqual(await versionsIn(t.context), [1, 2, 3, 4, 5, 6, 7, 8]);
    const { rows } = await client.query<{ there: boolean }>(`select to_regclass('sources') is not null as there`);
    t.false(rows[0]?.there);
    t.is((await migrate(t.context, 'up')).status, 0);
    t.is((await versionsIn(t.context)).length, known.length);
  } finally {
    await client.end();
  }
});

test('a version above that of the database is refused, as there is nothing to take back', async (t) => {
  t.is((await migrate(t.context, 'up')).status, 0);
  const refused = await migrate(t.context, 'down', '--to', '999');
  t.is(refused.status, 2);
  t.regex(refused.stderr, /The database has schema version \d+; --to requires a lower version/);
});

fullOnly(test)('down is refused while processes of the service run, and not for those that are gone without a word', async (t) => {
  const beat = (secondsAgo: number): Promise<unknown> =>
    t.context.database.pool.query(
      `insert into processes (id, name, pid, host, version, config_hash, status, memory_bytes, started_at, seen_at)
        values (gen_random_uuid(), 'watcher', 1, 'host', '1', 'hash', 'healthy', 1, now(), now() - $1 * interval '1 second')`,
      [secondsAgo],
    );
  const all = await versionsIn(t.context);
  await beat(60);
  t.is((await migrate(t.context, 'down')).status, 0);
  t.is((await migrate(t.context, 'up')).status, 0);
  await beat(-100); // one that beats on, however long the command takes to start
  const refused = await migrate(t.context, 'down');
  t.is(refused.status, 69);
  t.regex(refused.stderr, /The service is running: watcher with PID \d+ on /);
  t.deepEqual(await versionsIn(t.context), all);
  t.is((await migrate(t.context, 'status')).status, 0, 'to look is always allowed');
});

const waitingForLocks = async ({ pool }: TestDatabase): Promise<number> =>
  (
    await pool.query(
      `select from pg_locks join pg_database on pg_database.oid = database where datname = current_database() and not granted and locktype = 'relation'`,
    )
  ).rowCount ?? 0;

const sessionsOf = async ({ pool }: TestDatabase, name: string): Promise<number> =>
  (await pool.query(`select from pg_stat_activity where datname = current_database() and application_name = $1`, [name])).rowCount ?? 0;

test('down below the first version is refused while there is anything to lose, unless it is forced', async (t) => {
  const user = await givenUser(t.context.database.db);
  const refused = await migrate(t.context, 'down', '--to', '0');
  t.is(refused.status, 1);
  t.regex(refused.stderr, /0 documents and 1 user;.*backup.*--force/);
  const { rows } = await t.context.database.pool.query('select id from users');
  t.deepEqual(rows, [{ id: user.id }]);
  t.is((await migrate(t.context, 'up', '--force')).status, 2);
  t.is((await migrate(t.context, 'down', '--to', '0', '--force')).status, 0);
});

const elsewhere = (context: Context, change: (url: URL) => void): Context => {
  const url = new URL(context.database.url.reveal());
  change(url);
  return { ...context, env: { ...context.env, DATABASE_URL: url.href } };
};

test('a database that refuses us, or is not there, is told with what to do and no password', async (t) => {
  const wrongPassword = await migrate(
    elsewhere(t.context, (url) => (url.password = 'open-sesame')),
    'status',
  );
  t.is(wrongPassword.status, 78);
  t.regex(
    wrongPassword.stderr,
    /^migrate: The database at 127\.0\.0\.1:\d+ rejected the connection \(password .*\); correct the user and password: DATABASE_URL/,
  );
  const noDatabase = await migrate(
    elsewhere(t.context, (url) => (url.pathname = '/nowhere')),
    'up',
  );
  t.is(noDatabase.status, 78);
  t.regex(noDatabase.stderr, /"nowhere" does not exist\); create the database \(createdb\), or correct its name: DATABASE_URL/);
  const away = await migrate(
    elsewhere(t.context, (url) => (url.port = '1')),
    'up',
  );
  t.is(away.status, 1);
  t.regex(
    away.stderr,
    /^migrate: The database at 127\.0\.0\.1:1 is not reachable \(connect ECONNREFUSED .*\); start it, or correct DATABASE_URL/,
  );
  for (const { stderr } of [wrongPassword, noDatabase, away]) t.false(stderr.includes('open-sesame') || stderr.includes('    at '), stderr);
});

fullOnly(test)('at the start of the service a database that comes up later is waited for', async (t) => {
  const { hostname, port: realPort } = new URL(t.context.database.url.reveal());
  const server = createServer((socket) => {
    const real = connect(Number(realPort), hostname);
    for (const [one, other] of [
      [socket, real],
      [real, socket],
    ] as const)
      one.on('error', () => other.destroy()).pipe(other);
  });
  t.teardown(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));

  const { env } = elsewhere(t.context, (url) => (url.port = String(port)));
  const child = spawn(MIGRATE, ['up', '--log'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill());
  const ended = once(child, 'exit');
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await waitFor(() => output.includes(`waiting for the database at 127.0.0.1:${port}`), { description: 'the wait', limitMs: 20_000 });
  t.is(child.exitCode, null);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  t.deepEqual(await ended, [0, null], output);
});
