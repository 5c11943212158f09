// bin/sheaf restore as people call it, once as a program.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ReplicaLock } from '@sheaf/db';
import { silentLogger } from '@sheaf/process';
import { documentKey, LocalStorage } from '@sheaf/storage';
import { CODE_CACHE_ENVIRONMENT, givenDocument, givenUser, makeServiceFolder, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { Client } from 'pg';
import { z } from 'zod';
import { type EndedCommand, runSheafHere } from '../../support/command-in-process.ts';
import { fillDatabase } from '../../support/filled-database.ts';
import { fullOnly } from '../../support/full-run.ts';

const SHEAF = join(import.meta.dirname, '../../../bin/sheaf');

/** A configured service that does not run. */
interface Instance {
  readonly database: TestDatabase;
  readonly env: Readonly<Record<string, string>>;
  readonly uploads: string;
  readonly data: string;
}

interface Context {
  readonly resources: AsyncDisposableStack;
  readonly source: Instance;
  readonly target: Instance;
}

const test = anyTest as TestFn<Context>;

const openInstance = async (resources: AsyncDisposableStack): Promise<Instance> => {
  const database = resources.use(await openTestDatabase());
  const folder = resources.use(await makeServiceFolder());
  const [data, uploads] = [join(folder.path, 'data'), join(folder.path, 'uploads')];
  return { database, data, uploads, env: { DATA_PATH: data, UPLOAD_PATH: uploads, DATABASE_URL: database.url.reveal() } };
};

test.beforeEach(async (t) => {
  const resources = new AsyncDisposableStack();
  t.context = { resources, source: await openInstance(resources), target: await openInstance(resources) };
});
test.afterEach.always((t) => t.context.resources.disposeAsync());

const sheaf = (args: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = '/'): Promise<EndedCommand> =>
  runSheafHere(args, { PATH: '/usr/bin:/bin', ...env }, cwd);

const start = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = '/',
): Promise<{ status: unknown; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const options = { encoding: 'utf8', timeout: 120_000, cwd, env: { PATH: '/usr/bin:/bin', ...CODE_CACHE_ENVIRONMENT, ...env } } as const;
    execFile(SHEAF, args, options, (error, stdout, stderr) => resolve({ status: error === null ? 0 : error.code, stdout, stderr }));
  });

const CONTENT = 'the bytes of a document';
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');

const fill = async ({ database, uploads }: Instance): Promise<void> => {
  const client = new Client({ connectionString: database.url.reveal() });
  await client.connect();
  await fillDatabase(client);
  await client.query('delete from documents');
  await client.query('delete from trashed_documents');
  await client.end();
  const storage = new LocalStorage({ path: uploads, thumbnailPath: join(uploads, 'thumbnails') });
  const { path } = await storage.put(documentKey(SHA256), Buffer.from(CONTENT));
  const owner = await givenUser(database.db);
  await givenDocument(database.db, {
    ownerId: owner.id,
    sha256: SHA256,
    sizeBytes: CONTENT.length,
    filePath: path,
    mimeType: 'text/plain',
  });
};

const makeBackup = async ({ env }: Instance, ...args: string[]): Promise<string> => {
  const { status, stdout, stderr } = await sheaf(['backup', ...args], env);
  if (status !== 0) throw new Error(`the backup ended with ${status}: ${stderr}`);
  return stdout.trim().split('\n').at(-1) ?? '';
};

const readSecrets = async ({ data }: Instance) =>
  z.record(z.string(), z.string()).parse(JSON.parse(await readFile(join(data, 'secrets.json'), 'utf8')));

const documentsIn = async ({ database }: Instance): Promise<unknown[]> =>
  (await database.pool.query('select sha256, file_path from documents')).rows;

test('wrong usage ends with 2, help with 0', async (t) => {
  for (const args of [[], ['one', 'two'], ['one', '--dance'], ['']]) {
    const { status, stdout, stderr } = await sheaf(['restore', ...args]);
    t.is(status, 2, args.join(' '));
    t.is(stdout, '');
    t.regex(stderr, /^usage: sheaf restore/m);
  }
  const { status, stdout } = await sheaf(['restore', '--help']);
  t.is(status, 0);
  t.regex(stdout, /^usage: sheaf restore/);
});

test('a wrong configuration ends with 78, what is no backup with 1', async (t) => {
  const { target } = t.context;
  t.is((await sheaf(['restore', '/nowhere'], { ...target.env, SERVER_PORT: 'many' })).status, 78);
  const { status, stderr } = await sheaf(['restore', '/nowhere'], target.env);
  t.is(status, 1);
  t.regex(stderr, /^sheaf restore: \/nowhere is not a readable backup/);
});

test('a backup with its secrets becomes another instance; a relative path is that of the caller', async (t) => {
  const { source, target } = t.context;
  await fill(source);
  const path = await makeBackup(source, '--with-secrets');
  t.is((await sheaf(['backup', 'list'], target.env)).status, 0); // has secrets of its own now
  const before = await readSecrets(target);
  const theirs = await readSecrets(source);
  const { status, stdout, stderr } = await start(['restore', basename(path)], target.env, dirname(path));
  t.is(status, 0, stderr);
  t.deepEqual(await documentsIn(target), [{ sha256: SHA256, file_path: join(target.uploads, documentKey(SHA256)) }]);
  t.is(await readFile(join(target.uploads, documentKey(SHA256)), 'utf8'), CONTENT);
  t.deepEqual(await readSecrets(target), { ...theirs, database_password: before['database_password'] });
  const kept = (await readdir(target.data)).filter((name) => name.startsWith('secrets.json.before-restore-'));
  t.is(kept.length, 1);
  t.deepEqual(JSON.parse(await readFile(join(target.data, kept[0]!), 'utf8')), before);
  for (const name of ['secrets.json', kept[0]!]) t.is((await stat(join(target.data, name))).mode & 0o777, 0o600, name);
  t.regex(stderr, /^files: 1 .*: 1 stored, 0 already present, 0 damaged/m);
  t.regex(stderr, /^done in [\d.]+ s, [\d.]+ MB\/s$/m);
  t.regex(stdout, /all users must sign in again/);
  t.true(stdout.includes(`  UPLOAD_PATH changed from ${JSON.stringify(source.uploads)} to ${JSON.stringify(target.uploads)}\n`));
  for (const secret of [...Object.values(theirs), ...Object.values(before), target.database.url.reveal()])
    t.false((stdout + stderr).includes(secret));
});

fullOnly(test)('a backup without secrets says what cannot be opened, and leaves those that are here', async (t) => {
  const { source, target } = t.context;
  await fill(source);
  const path = await makeBackup(source);
  await sheaf(['backup', 'list'], target.env);
  const before = await readSecrets(target);
  const { status, stdout } = await sheaf(['restore', path], target.env);
  t.is(status, 0);
  t.regex(stdout, /1 second factors and the passwords of 1 sources require the original key.*APP_SECRET_KEY/);
  t.deepEqual(await readSecrets(target), before);
});

fullOnly(test)(
  'users that are here are told with 1 and stay, and --force replaces them; a damaged backup changes nothing even so',
  async (t) => {
    const { source, target } = t.context;
    await fill(source);
    const path = await makeBackup(source);
    await givenUser(target.database.db);
    const refused = await sheaf(['restore', path], target.env);
    t.is(refused.status, 1);
    t.regex(refused.stderr, /already has 1 users.*--force/);
    await writeFile(join(path, 'files.list'), 'x');
    const damaged = await sheaf(['restore', path, '--force'], target.env);
    t.is(damaged.status, 1);
    t.regex(damaged.stderr, /backup is damaged:\n.*files\.list/);
    t.deepEqual(await documentsIn(target), []);
    await writeFile(join(path, 'files.list'), `${SHA256} ${CONTENT.length}\n`);
    t.is((await sheaf(['restore', path, '--force'], target.env)).status, 0);
    t.is((await documentsIn(target)).length, 1);
  },
);

test('while the service runs it ends with 69', async (t) => {
  const { source, target } = t.context;
  const path = await makeBackup(source);
  const lock = new ReplicaLock({ url: target.database.url, processName: 'api', log: silentLogger(), onLost: () => {} });
  await lock.start();
  const { status, stderr } = await sheaf(['restore', path], target.env);
  await lock.stop();
  t.is(status, 69);
  t.regex(stderr, /already runs as api on this database\. Stop Sheaf and restore again/);
});
