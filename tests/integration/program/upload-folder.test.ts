import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeProblem } from '@sheaf/contract/operations';
import { processes } from '@sheaf/db/schema';
import { FatalError, silentLogger, systemClock } from '@sheaf/process';
import { makeUploadFolderCheck } from '@sheaf/program/testing';
import { givenDocument, givenUser, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import test, { type ExecutionContext } from 'ava';

const MARK = '.sheaf-folder-id';

const givenFolder = async (t: ExecutionContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-folder-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

const check = ({ db }: TestDatabase, path: string) => makeUploadFolderCheck({ db, path, clock: systemClock, log: silentLogger() }).start();

const runOn = async ({ db }: TestDatabase, host: string, seenAt: Date = new Date()): Promise<void> => {
  await db.insert(processes).values({
    id: crypto.randomUUID(),
    name: 'api',
    pid: 1,
    host,
    version: '1',
    configHash: '',
    status: 'healthy',
    memoryBytes: 1,
    startedAt: seenAt,
    seenAt,
  });
};

test('a second host is refused with a folder of its own, and starts with the one that is shared', async (t) => {
  await using database = await openTestDatabase();
  const [shared, own] = [await givenFolder(t), await givenFolder(t)];
  await check(database, shared);
  await runOn(database, 'first-host');
  const error = await t.throwsAsync(check(database, own), { instanceOf: FatalError });
  t.is(error?.exitCode, 78);
  t.deepEqual(error?.problem, makeProblem('upload_folder_not_shared', { path: own, host: 'first-host' }));
  await check(database, shared);
  await t.throwsAsync(readFile(join(own, MARK)), undefined, 'a folder that was refused is not marked');
});

test('the folder may be another one while no other host runs: it was moved, or came from a backup', async (t) => {
  await using database = await openTestDatabase();
  const [before, after] = [await givenFolder(t), await givenFolder(t)];
  await check(database, before);
  await runOn(database, 'gone-host', new Date(Date.now() - 60_000));
  await check(database, after);
  t.is(await readFile(join(after, MARK), 'utf8'), await readFile(join(before, MARK), 'utf8'));
});

test('a folder of an older version, with documents of this database, is marked beside another host', async (t) => {
  await using database = await openTestDatabase();
  const [first, folder] = [await givenFolder(t), await givenFolder(t)];
  await check(database, first);
  await runOn(database, 'first-host');
  const filePath = join(folder, 'document');
  await writeFile(filePath, 'bytes');
  await givenDocument(database.db, { ownerId: (await givenUser(database.db)).id, filePath });
  await check(database, folder);
  t.is(await readFile(join(folder, MARK), 'utf8'), await readFile(join(first, MARK), 'utf8'));
});
