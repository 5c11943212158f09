import { chmod, mkdir, readdir, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { deleteUser } from '@sheaf/accounts/users';
import { claimDirectory, describeDirectory, directoryName, ensureDirectory, settleDirectory } from '@sheaf/watch';
import test from 'ava';
import { openDirectoryBench, rowOnly } from './fixture.ts';

const FAILED = { code: 'WATCH_DIRECTORY_FAILED' };

test('a directory name is 1 to 64 letters, digits, underscores and dashes, and nothing else', (t) => {
  for (const name of ['a', 'Z9_-', '-', '_', 'x'.repeat(64), 'con', 'NUL', '-rf', '007']) t.is(directoryName(name), name);
  const bad = [
    '',
    'x'.repeat(65),
    '..',
    '.',
    '.hidden',
    'a..b',
    'a/b',
    '/',
    'a\0',
    '\0',
    'a b',
    'a.b',
    'é',
    'ａ',
    'a\n',
    '\u202ea',
    '😀',
    '~a',
    'a\\b',
  ];
  for (const name of bad) t.throws(() => directoryName(name), FAILED, JSON.stringify(name));
});

test('a directory is made with its base, mode 755 and owned by the service, whatever the umask', async (t) => {
  await using bench = await openDirectoryBench();
  const names = ['x'.repeat(64), 'con', '-rf'];
  const before = process.umask(0o077);
  try {
    for (const name of names) {
      const user = await bench.user(name);
      t.like(await describeDirectory(bench.deps, user.id), { username: name, path: join(bench.base, name), exists: false });
      t.deepEqual(await ensureDirectory(bench.deps, user.id, bench.by), { path: join(bench.base, name), isNew: true });
      t.deepEqual(await ensureDirectory(bench.deps, user.id, bench.by), { path: join(bench.base, name), isNew: false });
      t.like(await describeDirectory(bench.deps, user.id), { path: join(bench.base, name), exists: true });
    }
  } finally {
    process.umask(before);
  }
  for (const name of names) {
    const { mode, uid } = await stat(join(bench.base, name));
    t.is(mode & 0o7777, 0o755, name);
    t.is(uid, process.geteuid?.() ?? -1);
  }
});

test('a directory that is there keeps the mode that somebody gave it', async (t) => {
  await using bench = await openDirectoryBench();
  const ann = await bench.user('ann');
  await mkdir(join(bench.base, 'ann'), { recursive: true });
  await chmod(join(bench.base, 'ann'), 0o2775);
  t.like(await ensureDirectory(bench.deps, ann.id, bench.by), { isNew: false });
  t.is((await stat(join(bench.base, 'ann'))).mode & 0o7777, 0o2775);
  t.deepEqual(await bench.rows(), ['ann of ann']);
});

test('a link in the place of the directory is neither followed nor replaced', async (t) => {
  await using bench = await openDirectoryBench();
  const ann = await bench.user('ann');
  await mkdir(join(bench.base, '../elsewhere'));
  await mkdir(bench.base);
  for (const target of ['../elsewhere', '../nowhere', '.']) {
    await symlink(target, join(bench.base, 'ann'));
    await t.throwsAsync(ensureDirectory(bench.deps, ann.id, bench.by), FAILED, target);
    t.like(await describeDirectory(bench.deps, ann.id), { path: null, exists: false });
    t.deepEqual(await bench.onDisk(), ['ann']);
    await rm(join(bench.base, 'ann'));
  }
  t.deepEqual(await readdir(join(bench.base, '..')), ['elsewhere', 'users']);
  t.deepEqual(await bench.rows(), [], 'nothing is noted of what could not be made');
});

test('a file in the place of the directory or of the base says so in words for people', async (t) => {
  await using bench = await openDirectoryBench();
  const ann = await bench.user('ann');
  await bench.put('ann');
  const ofDirectory = await t.throwsAsync(ensureDirectory(bench.deps, ann.id, bench.by), FAILED);
  t.regex(ofDirectory?.message ?? '', /not a folder is in the way/);
  await rm(bench.base, { recursive: true });
  await bench.put('../users');
  const ofBase = await t.throwsAsync(ensureDirectory(bench.deps, ann.id, bench.by), FAILED);
  for (const error of [ofDirectory, ofBase]) t.notRegex(error?.message ?? '', /E[A-Z]{4,}|\/tmp|errno/);
  await rm(bench.base);
  t.like(await ensureDirectory(bench.deps, ann.id, bench.by), { isNew: true });
});

test('two who make the same directory at once both find it made, once', async (t) => {
  await using bench = await openDirectoryBench();
  const ann = await bench.user('ann');
  const made = await Promise.all(Array.from({ length: 6 }, () => ensureDirectory(bench.deps, ann.id, bench.by)));
  t.is(made.filter(({ isNew }) => isNew).length, 1);
  t.deepEqual(await bench.rows(), ['ann of ann']);
  t.deepEqual(await bench.audits(), ['watch_directory.created']);
});

test('making a directory beside the deletion of its user leaves no directory that a later user of the name would get', async (t): Promise<void> => {
  await using bench = await openDirectoryBench();
  for (let round = 0; round < 8; round += 1) {
    const ann = await bench.user('ann');
    const remove = async (): Promise<void> => {
      const id = await bench.deps.db.transaction(async (tx) => {
        await tx.execute(`select 1 from users where id = '${ann.id}' for update`);
        const directory = await claimDirectory(tx, bench.deps, ann);
        await deleteUser(tx, ann.id);
        return directory;
      });
      if (id !== undefined) await settleDirectory(bench.deps, id, bench.by);
    };
    const [made, removed] = await Promise.allSettled([ensureDirectory(bench.deps, ann.id, bench.by), remove()]);
    t.is(removed.status, 'fulfilled', String((removed as PromiseRejectedResult).reason));
    if (made.status === 'rejected') t.like(made.reason, { code: 'USER_NOT_FOUND' });
    t.deepEqual(await bench.rows(), []);
    t.deepEqual(
      (await bench.onDisk()).filter((name) => !name.startsWith('.')),
      [],
    );
  }
});

test('making a directory beside a rename of its user ends with one directory under the new name', async (t) => {
  await using bench = await openDirectoryBench();
  for (let round = 0; round < 8; round += 1) {
    const user = await bench.user(`old-${round}`);
    const renameUser = async (): Promise<void> => {
      const id = await bench.deps.db.transaction(async (tx) => {
        await tx.execute(`select 1 from users where id = '${user.id}' for no key update`);
        const directory = await claimDirectory(tx, bench.deps, user);
        await tx.execute(`update users set username = 'new-${round}' where id = '${user.id}'`);
        return directory;
      });
      if (id !== undefined) await settleDirectory(bench.deps, id, bench.by);
    };
    await Promise.all([ensureDirectory(bench.deps, user.id, bench.by), renameUser()]);
    t.deepEqual(
      await bench.rows(),
      Array.from({ length: round + 1 }, (_, n) => `new-${n} of new-${n}`),
    );
    t.deepEqual(
      await bench.onDisk(),
      Array.from({ length: round + 1 }, (_, n) => `new-${n}`),
    );
  }
});

test('who gets the name of somebody whose directory could not follow yet gets their own as soon as it has', async (t) => {
  await using bench = await openDirectoryBench();
  const ann = await bench.user('ann');
  await ensureDirectory(bench.deps, ann.id, bench.by);
  await bench.put('ann/of-the-first.txt');
  await bench.put('anna/in-the-way.txt');
  await rowOnly(bench).rename(ann.id, 'anna');
  const second = await bench.user('ann');
  t.like(await describeDirectory(bench.deps, second.id), { path: null, exists: false });
  await t.throwsAsync(ensureDirectory(bench.deps, second.id, bench.by), FAILED);
  await rm(join(bench.base, 'anna'), { recursive: true });
  t.like(await ensureDirectory(bench.deps, second.id, bench.by), { isNew: true, path: join(bench.base, 'ann') });
  t.deepEqual(await bench.rows(), ['ann of ann', 'anna of anna']);
  t.deepEqual(await readdir(join(bench.base, 'anna')), ['of-the-first.txt']);
});
