// bin/migrate_to_s3 as people call it, against an S3 service on loopback: started as a program where that matters, and once for all flags.

import { execFile, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig, storagePlaces } from '@sheaf/config';
import { type Db, ReplicaLock } from '@sheaf/db';
import { silentLogger, uuidv7 } from '@sheaf/process';
import { recordHeartbeat } from '@sheaf/program';
import { documentKey, LocalStorage, previewKey } from '@sheaf/storage';
import { CODE_CACHE_ENVIRONMENT, givenDocument, givenUser, makeServiceFolder, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { sql } from 'drizzle-orm';
import { type EndedCommand, runCommandHere } from '../../support/command-in-process.ts';
import { type FaultProxy, faults, openFaultProxy } from '../../support/fault-proxy.ts';
import { fullOnly } from '../../support/full-run.ts';
import { openS3Server, type S3Server } from '../../support/s3-server.ts';
import { waitFor } from '../../support/wait-for.ts';

const TOOL = join(import.meta.dirname, '../../../bin/migrate_to_s3');

interface Bench {
  readonly database: TestDatabase;
  readonly db: Db;
  readonly folder: string;
  readonly proxy: FaultProxy;
  readonly local: LocalStorage;
  readonly environment: Readonly<Record<string, string>>;
  readonly dispose: () => Promise<void>;
}

const test = anyTest as TestFn<Bench>;

let s3: S3Server;
test.before(async () => {
  s3 = await openS3Server();
});
test.after.always(() => s3[Symbol.asyncDispose]());

test.beforeEach(async (t) => {
  const resources = new AsyncDisposableStack();
  const database = resources.use(await openTestDatabase());
  const { path: folder } = resources.use(await makeServiceFolder());
  resources.defer(() => s3.clear('archive'));
  const proxy = resources.use(await openFaultProxy(s3.url));
  const environment = {
    PATH: '/usr/bin:/bin',
    ...CODE_CACHE_ENVIRONMENT,
    DATABASE_URL: database.url.reveal(),
    DATABASE_ACQUIRE_TIMEOUT: '60',
    DATA_PATH: join(folder, 'data'),
    UPLOAD_PATH: join(folder, 'uploads'),
    WATCH_FOLDER: join(folder, 'watch'),
    S3_BUCKET_NAME: s3.bucket,
    S3_ACCESS_KEY_ID: 'S3RVER',
    S3_SECRET_ACCESS_KEY: 'S3RVER',
    S3_ENDPOINT_URL: proxy.url,
    S3_PREFIX: 'archive',
  };
  const local = new LocalStorage({ path: join(folder, 'uploads'), thumbnailPath: join(folder, 'uploads/thumbnails') });
  t.context = { database, db: database.db, folder, proxy, local, environment, dispose: () => resources.disposeAsync() };
});
test.afterEach.always((t) => t.context.dispose());

const run = (
  { environment }: Bench,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<EndedCommand> => runCommandHere({ program: 'migrate-to-s3.ts', args, env: { ...environment, ...env } });

const start = ({ environment }: Bench, args: readonly string[]): Promise<EndedCommand> =>
  new Promise((resolve) => {
    const child = execFile(TOOL, args, { env: environment, timeout: 120_000 }, (_error, stdout, stderr) =>
      resolve({ status: child.exitCode ?? -1, stdout, stderr }),
    );
  });

/** The values of a summary by their names. */
const summaryOf = ({ stdout }: EndedCommand): Record<string, string> =>
  Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, 16).trim(), line.slice(16)]),
  );

const givenFiles = async ({ db, local }: Bench, count: number, size = 5_000) => {
  const owner = await givenUser(db);
  const files = [];
  for (let i = 0; i < count; i += 1) {
    const bytes = randomBytes(size);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const { path: filePath } = await local.put(documentKey(sha256), bytes);
    const { id } = await givenDocument(db, { ownerId: owner.id, sha256, filePath, sizeBytes: bytes.length });
    files.push({ id, bytes, sha256, key: documentKey(sha256), filePath });
  }
  return files;
};

const pathsIn = async (db: Db): Promise<string[]> =>
  (await db.execute<{ file_path: string }>(sql`select file_path from documents order by file_path`)).rows.map((row) => row.file_path);

const isFetch = (request: { method?: string | undefined; url?: string | undefined }): boolean =>
  request.method === 'GET' && (request.url ?? '').includes('/archive/documents/');

// One after the other: a command has the whole process, and some are programs of their own.
test.serial('each variable that is missing has its own line', async (t) => {
  const refused = await run(t.context, [], { S3_ACCESS_KEY_ID: undefined, S3_SECRET_ACCESS_KEY: undefined });
  t.is(refused.status, 78);
  t.regex(refused.stderr, /^migrate_to_s3: S3_ACCESS_KEY_ID is required .*\nS3_SECRET_ACCESS_KEY is required .*\n$/);
});

test.serial('--help prints the usage; every flag of it is known, and any other is wrong usage', async (t) => {
  const help = await run(t.context, ['--help']);
  t.is(help.status, 0);
  t.regex(help.stdout, /^usage: migrate_to_s3/);
  const wrong = [
    ['--dance'],
    ['now'],
    ['--batch-size', '0'],
    ['--batch-size', 'many'],
    ['--parallel-uploads', '65'],
    ['--sample-size', '-1'],
    ['--direction', 'sideways'],
    ['--direction'],
  ];
  for (const args of wrong) {
    const { status, stdout, stderr } = await run(t.context, args);
    t.is(status, 2, args.join(' '));
    t.is(stdout, '');
    t.regex(stderr, /^migrate_to_s3: .*\n\nusage: migrate_to_s3/);
  }
});

test.serial('without a bucket in the configuration it ends with 78 and names what is missing', async (t) => {
  const none = { S3_BUCKET_NAME: undefined, S3_ACCESS_KEY_ID: undefined, S3_SECRET_ACCESS_KEY: undefined, S3_PREFIX: undefined };
  const { status, stderr } = await run(t.context, [], none);
  t.is(status, 78);
  for (const name of ['S3_BUCKET_NAME', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']) t.true(stderr.includes(`${name} is required`), stderr);
  t.is((await run(t.context, [], { BATCH_SIZE: 'many' })).status, 78);
});

test.serial('a database with another schema is refused with what to do', async (t) => {
  await using database = await openTestDatabase({ empty: true });
  const { status, stderr } = await run(t.context, [], { DATABASE_URL: database.url.reveal() });
  t.is(status, 1);
  t.regex(stderr, /bin\/migrate up/);
});

test.serial('documents move to the bucket, where their paths begin with s3://, and back, byte by byte', async (t) => {
  const { db, local, proxy } = t.context;
  const files = await givenFiles(t.context, 7);
  const [withPreview] = files;
  await local.put(previewKey(withPreview?.sha256 ?? ''), Buffer.from('a preview'));

  const there = await start(t.context, ['--batch-size', '2', '--parallel-uploads', '3', '--verbose']);
  t.is(there.status, 0, there.stderr);
  t.like(summaryOf(there), { moved: '7', documents: '7', missing: '0', damaged: '0', failed: '0', bytes: '35000' });
  t.is([...there.stderr.matchAll(/^moved {4}[0-9a-f]{64} /gm)].length, 7);
  t.regex(there.stderr, /set STORAGE_TYPE=s3, restart the service, and run this again/);
  t.deepEqual(await pathsIn(db), files.map(({ key }) => `s3://documents/archive/${key}`).toSorted());
  for (const { filePath } of files) await t.throwsAsync(readFile(filePath), { code: 'ENOENT' });
  t.true(proxy.seen.some(({ method, url }) => method === 'PUT' && url.includes(`/archive/${previewKey(withPreview?.sha256 ?? '')}`)));

  const back = await run(t.context, ['--direction', 's3-to-local']);
  t.is(back.status, 0, back.stderr);
  t.like(summaryOf(back), { moved: '7', failed: '0' });
  t.false(back.stderr.includes('moved '), 'lines for files only when asked for');
  t.deepEqual(await pathsIn(db), files.map(({ filePath }) => filePath).toSorted());
  for (const { filePath, bytes } of files) t.deepEqual(await readFile(filePath), bytes);
  t.is((await local.stat(previewKey(withPreview?.sha256 ?? '')))?.sizeBytes, 9);
});

test.serial('--dry-run tells what would happen, and changes nothing at all', async (t) => {
  const { db, local, proxy } = t.context;
  const files = await givenFiles(t.context, 4);
  const [gone] = files;
  await local.delete(gone?.key ?? '');
  const before = await pathsIn(db);
  const dry = await run(t.context, ['--dry-run', '--verbose']);
  t.is(dry.status, 1, 'something would be left');
  t.like(summaryOf(dry), { to_move: '3', already_there: '0', missing: '1', damaged: '0', bytes: '15000', target: 'reachable' });
  t.true(dry.stderr.includes(`missing  ${gone?.sha256}: document ${gone?.id}: will not be moved`));
  t.deepEqual(await pathsIn(db), before);
  t.deepEqual(
    proxy.seen.filter(({ method }) => method !== 'GET' && method !== 'HEAD'),
    [],
  );
  for (const { filePath } of files.slice(1)) await t.notThrowsAsync(readFile(filePath));
  const away = await run(t.context, ['--dry-run'], { S3_BUCKET_NAME: 'nowhere' });
  t.is(away.status, 1);
  t.regex(summaryOf(away)['target'] ?? '', /^not available: /);
});

test.serial('a bucket that does not exist is told before anything is moved', async (t) => {
  await givenFiles(t.context, 1);
  const before = await pathsIn(t.context.db);
  const { status, stdout, stderr } = await run(t.context, ['--enable-rollback'], { S3_BUCKET_NAME: 'nowhere' });
  t.is(status, 1);
  t.is(stdout, '');
  t.regex(stderr, /^migrate_to_s3: .*nowhere/);
  t.deepEqual(await pathsIn(t.context.db), before);
});

fullOnly(test.serial)('two at once: the second one ends with 69', async (t) => {
  const { database } = t.context;
  const lock = new ReplicaLock({ url: database.url, processName: 'migrate_to_s3', log: silentLogger(), onLost: () => {} });
  await lock.start();
  try {
    const { status, stderr } = await run(t.context, []);
    t.is(status, 69);
    t.regex(stderr, /already runs as migrate_to_s3/);
    t.is((await run(t.context, ['--dry-run'])).status, 0, 'looking is allowed');
  } finally {
    await lock.stop();
  }
});

const givenProcess = async ({ db }: Bench, storages: readonly string[] | undefined): Promise<void> => {
  const now = new Date();
  const heardOf = new Date(now.getTime() + 300_000); // however long the tool takes to start
  await recordHeartbeat(
    db,
    {
      id: uuidv7(),
      name: 'ocr-worker',
      pid: 4_242,
      host: 'here',
      version: '1.0.0',
      configHash: 'x',
      probePort: null,
      holdsLock: false,
      status: 'healthy',
      components: {},
      facts: storages === undefined ? {} : { storages },
      memoryBytes: 1,
      startedAt: now,
    },
    heardOf,
  );
};

test.serial('while a process runs that does not know the bucket, nothing is moved, and the remedy is told', async (t) => {
  const { db, environment } = t.context;
  await givenFiles(t.context, 2);
  const before = await pathsIn(db);
  const { WATCH_FOLDER: _, ...others } = environment;
  const places = storagePlaces(loadConfig({ environment: { ...others, WATCH_FOLDER: join(t.context.folder, 'watch') } }).config.storage);
  await givenProcess(t.context, places);
  for (const known of [undefined, [], places.slice(0, 1)]) {
    await givenProcess(t.context, known);
    const { status, stdout, stderr } = await run(t.context, []);
    t.is(status, 1);
    t.is(stdout, '');
    t.regex(stderr, /ocr-worker \(process 4242 on here\).*Restart the service/);
    t.deepEqual(await pathsIn(db), before);
    const dry = await run(t.context, ['--dry-run']);
    t.is(dry.status, 0, 'to look is allowed');
    t.regex(dry.stderr, /cannot start now: .*ocr-worker/);
    t.like(summaryOf(dry), { to_move: '2' });
    await db.execute(sql`delete from processes where not coalesce(facts -> 'storages' ? ${places[1]}, false)`);
  }
  t.is((await run(t.context, [])).status, 0);
  t.is((await pathsIn(db)).filter((path) => path.startsWith('s3://')).length, 2);
});

test.serial('a process that was heard of long ago holds nothing up', async (t) => {
  await givenProcess(t.context, undefined);
  await t.context.db.execute(sql`update processes set seen_at = now() - interval '1 minute'`);
  await givenFiles(t.context, 1);
  t.is((await run(t.context, [])).status, 0);
});

fullOnly(test.serial)('asked to stop by SIGTERM it ends with 1 and a summary; the next run moves the rest', async (t) => {
  const { db, environment } = t.context;
  await givenFiles(t.context, 40);
  const child = spawn(TOOL, ['--verbose', '--parallel-uploads', '1'], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  await waitFor(() => stderr.includes('moved '), { description: 'the first file to have moved', limitMs: 60_000 });
  child.kill('SIGTERM');
  await waitFor(() => child.exitCode !== null, { description: 'it to end', limitMs: 60_000 });
  t.is(child.exitCode, 1, stderr);
  const moved = Number(summaryOf({ status: 1, stdout, stderr })['moved']);
  t.true(moved > 0 && moved < 40, `${moved}`);
  t.is((await pathsIn(db)).filter((path) => path.startsWith('s3://')).length, moved);
  t.is((await run(t.context, [])).status, 0);
  t.is((await pathsIn(db)).filter((path) => path.startsWith('s3://')).length, 40);
});

fullOnly(test.serial)('an S3 service that stumbles now and then holds nothing up', async (t) => {
  const { db, proxy } = t.context;
  await givenFiles(t.context, 5);
  const isPut = (request: { method?: string | undefined }): boolean => request.method === 'PUT';
  proxy.inject({ fault: faults.answer(500), when: isPut, times: 2 });
  proxy.inject({ fault: faults.answer(503), when: isFetch, times: 1 });
  const ended = await run(t.context, []);
  t.is(ended.status, 0, ended.stderr);
  t.is((await pathsIn(db)).filter((path) => path.startsWith('s3://')).length, 5);
});

fullOnly(test.serial)(
  'an S3 service that goes away in the middle stops the run; with --enable-rollback every document is at its old copy again',
  async (t) => {
    const { db, proxy } = t.context;
    const files = await givenFiles(t.context, 6);
    let puts = 0;
    const isAway = (request: { method?: string | undefined; url?: string | undefined }): boolean => {
      if (request.method === 'PUT' && (request.url ?? '').includes('/documents/archive/documents/')) puts += 1;
      return puts > 3;
    };
    proxy.inject({ fault: faults.answer(503), when: isAway });
    const ended = await run(t.context, ['--enable-rollback', '--parallel-uploads', '1']);
    t.is(ended.status, 1);
    t.regex(ended.stderr, /stopped: /);
    t.true(Number(summaryOf(ended)['rolled_back']) > 0, ended.stdout);
    t.deepEqual(await pathsIn(db), files.map(({ filePath }) => filePath).toSorted());
    for (const { filePath, bytes } of files) t.deepEqual(await readFile(filePath), bytes);
    proxy.heal();
    const again = await run(t.context, ['--enable-rollback', '--verify']);
    t.is(again.status, 0, again.stderr);
    t.like(summaryOf(again), { moved: '6', verified: '6', mismatched: '0', old_removed: '6' });
  },
);

test.serial('bytes that come back from the bucket with another hash never count as moved', async (t) => {
  const { db, proxy } = t.context;
  const [file] = await givenFiles(t.context, 1);
  proxy.inject({ fault: faults.replaceBody(randomBytes(5_000)), when: isFetch });
  const ended = await run(t.context, []);
  t.is(ended.status, 1);
  t.like(summaryOf(ended), { moved: '0', failed: '1' });
  t.deepEqual(await pathsIn(db), [file?.filePath]);
  t.deepEqual(await readFile(file?.filePath ?? ''), file?.bytes);
});

fullOnly(test.serial)('--verify finds what is missing or changed in the bucket; --sample-size looks at so many only', async (t) => {
  const files = await givenFiles(t.context, 6);
  t.is((await run(t.context, [])).status, 0);
  const sampled = await run(t.context, ['--sample-size', '2']);
  t.is(sampled.status, 0);
  t.like(summaryOf(sampled), { moved: '0', verified: '2' });
  const [lost, changed] = files;
  await s3.remove(`archive/${lost?.key}`);
  await s3.put(`archive/${changed?.key}`, randomBytes(5_000));
  const verified = await run(t.context, ['--verify']);
  t.is(verified.status, 1);
  t.like(summaryOf(verified), { verified: '4', mismatched: '2' });
  t.true(verified.stderr.includes(`wrong    ${lost?.sha256}: document ${lost?.id}: at s3://`));
  t.regex(verified.stderr, new RegExp(`wrong    ${changed?.sha256}: .*: damaged`));
});

test.serial('a damaged and a missing file end it with 1, and are told by their documents', async (t) => {
  const { db, local } = t.context;
  const [bad, gone, ...good] = await givenFiles(t.context, 4);
  await local.delete(gone?.key ?? '');
  await local.replace(bad?.key ?? '', randomBytes(5_000));
  const ended = await run(t.context, []);
  t.is(ended.status, 1);
  t.like(summaryOf(ended), { moved: String(good.length), missing: '1', damaged: '1', failed: '0' });
  t.true(ended.stderr.includes(`damaged  ${bad?.sha256}: document ${bad?.id}: `));
  t.true(ended.stderr.includes(`missing  ${gone?.sha256}: document ${gone?.id}: `));
  t.is((await pathsIn(db)).filter((path) => path.startsWith('s3://')).length, 2);
});

fullOnly(test.serial)('where STORAGE_TYPE is the target already, there is nothing more to tell', async (t) => {
  await givenFiles(t.context, 1);
  const { status, stderr } = await run(t.context, [], { STORAGE_TYPE: 's3' });
  t.is(status, 0, stderr);
  t.is(stderr, '');
});

test.serial('a folder that is empty because its disk is not mounted loses no row', async (t) => {
  const { db, folder } = t.context;
  await givenFiles(t.context, 3);
  const before = await pathsIn(db);
  await rm(join(folder, 'uploads'), { recursive: true });
  const { status, stderr } = await run(t.context, []);
  t.is(status, 1);
  t.regex(stderr, /is missing/);
  t.deepEqual(await pathsIn(db), before);
});

test.serial('a database that cannot be reached is told', async (t) => {
  const { status, stderr } = await run(t.context, [], { DATABASE_URL: 'postgresql://127.0.0.1:1/nowhere' });
  t.is(status, 1);
  t.regex(stderr, /^migrate_to_s3: .*ECONNREFUSED/);
});

const isUpload = (request: { method?: string | undefined; url?: string | undefined }): boolean =>
  request.method === 'PUT' && (request.url ?? '').includes('/archive/documents/');

fullOnly(test.serial)('PARALLEL_UPLOADS: so many files are on their way at the same time', async (t) => {
  const { proxy } = t.context;
  const mostWith = async (parallel: number): Promise<number> => {
    await givenFiles(t.context, parallel * 2);
    let [now, most] = [0, 0];
    proxy.heal();
    proxy.inject({
      when: isUpload,
      fault: async (exchange) => {
        now += 1;
        most = Math.max(most, now);
        await waitFor(() => most >= parallel, { description: `${parallel} uploads at once`, limitMs: 20_000 });
        await faults.pass()(exchange);
        now -= 1;
      },
    });
    const ended = await run(t.context, [], { PARALLEL_UPLOADS: String(parallel) });
    t.is(ended.status, 0, ended.stderr);
    return most;
  };
  t.is(await mostWith(1), 1);
  t.is(await mostWith(4), 4);
});

fullOnly(test.serial)('BATCH_SIZE: after so many documents it looks again whether it may go on', async (t) => {
  const { db, proxy } = t.context;
  const movedWith = async (BATCH_SIZE: string): Promise<number> => {
    await db.execute(sql`delete from processes`);
    proxy.heal();
    // a process that would not find them starts while the first one is on its way
    proxy.inject({
      when: isUpload,
      fault: async (exchange) => {
        await givenProcess(t.context, undefined);
        await faults.pass()(exchange);
      },
    });
    const before = await pathsIn(db);
    await run(t.context, [], { BATCH_SIZE, PARALLEL_UPLOADS: '1' });
    const isThere = (path: string): boolean => path.startsWith('s3://');
    return (await pathsIn(db)).filter(isThere).length - before.filter(isThere).length;
  };
  await givenFiles(t.context, 8);
  const moved = await movedWith('2');
  t.true(moved >= 2 && moved <= 4, `${moved} were moved`); // the next one is fetched while one is moved
  t.is(await movedWith('100'), 8 - moved);
});
