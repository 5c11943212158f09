import { mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { claimDirectory, ensureDirectory, settleDirectory } from '@sheaf/watch';
import test from 'ava';
import { openDirectoryBench, rowOnly } from './fixture.ts';

const firstId = async ({ database }: { database: { pool: { query: (sql: string) => Promise<{ rows: { id: string }[] }> } } }) =>
  (await database.pool.query('select id from watch_directories order by id')).rows[0]?.id ?? '';

test('a directory that bears the name of a user is their from the first scan on; one that bears no such name is nobody’s', async (t) => {
  await using bench = await openDirectoryBench();
  await bench.user('ann');
  for (const name of ['ann', 'Ann2', 'stranger', '.hidden', 'ANN']) await mkdir(join(bench.base, name), { recursive: true });
  t.deepEqual(await bench.roots(), ['ann/ of ann']);
  t.deepEqual(await bench.rows(), ['ann of ann']);
  t.deepEqual(await bench.onDisk(), ['.hidden', 'ANN', 'Ann2', 'ann', 'stranger']);
});

test('the base folder is made when it is absent, and made again', async (t) => {
  await using bench = await openDirectoryBench();
  t.deepEqual(await bench.roots(), []);
  const ann = await bench.user('ann');
  await ensureDirectory(bench.deps, ann.id, bench.by);
  await rm(bench.base, { recursive: true });
  t.deepEqual(await bench.roots(), []);
  await mkdir(join(bench.base, 'ann'));
  t.deepEqual(await bench.roots(), ['ann/ of ann']);
});

test('links and files in the place of directories are no roots', async (t) => {
  await using bench = await openDirectoryBench();
  const [ann, bob] = [await bench.user('ann'), await bench.user('bob')];
  await bench.user('cyd');
  for (const user of [ann, bob]) await ensureDirectory(bench.deps, user.id, bench.by);
  await mkdir(join(bench.base, '../elsewhere'));
  await rm(join(bench.base, 'ann'), { recursive: true });
  await symlink(join(bench.base, '../elsewhere'), join(bench.base, 'ann'));
  await symlink(join(bench.base, '../elsewhere'), join(bench.base, 'cyd'));
  await rm(join(bench.base, 'bob'), { recursive: true });
  await bench.put('bob');
  t.deepEqual(await bench.roots(), []);
  t.deepEqual(await bench.rows(), ['ann of ann', 'bob of bob'], 'the link cyd is not adopted');
});

test('a base folder that is a link is used as what it leads to', async (t) => {
  await using bench = await openDirectoryBench();
  const ann = await bench.user('ann');
  await mkdir(join(bench.base, '../real'));
  await symlink(join(bench.base, '../real'), bench.base);
  const { path } = await ensureDirectory(bench.deps, ann.id, bench.by);
  t.true(path.endsWith('/real/ann'), path);
  t.deepEqual(await bench.roots(), ['ann/ of ann']);
});

test('what a disabled user has waits, in words', async (t) => {
  await using bench = await openDirectoryBench();
  const ann = await bench.user('ann');
  await ensureDirectory(bench.deps, ann.id, bench.by);
  await bench.database.pool.query('update users set disabled_at = now() where id = $1', [ann.id]);
  t.deepEqual(await bench.roots(), ['ann/ of owner_disabled']);
});

test('a renamed user keeps their directory under their new name, and the ledger knows its files by it', async (t) => {
  await using bench = await openDirectoryBench();
  const ann = await bench.user('ann');
  await ensureDirectory(bench.deps, ann.id, bench.by);
  await bench.put('ann/deep/a.txt');
  await bench.note('ann/deep/a.txt', ann);
  await bench.note('annex/a.txt', ann);
  await rowOnly(bench).rename(ann.id, 'anna');
  t.deepEqual(await bench.roots(), ['anna/ of anna']);
  t.deepEqual(await bench.onDisk(), ['anna']);
  t.deepEqual(await bench.ledger(), ['anna/deep/a.txt', 'annex/a.txt']);
  t.deepEqual(await bench.audits(), ['watch_directory.created', 'watch_directory.renamed']);
});

test('a rename that was cut short after the disk and before the table is finished', async (t) => {
  await using bench = await openDirectoryBench();
  const ann = await bench.user('ann');
  await ensureDirectory(bench.deps, ann.id, bench.by);
  await bench.note('ann/a.txt', ann);
  await rowOnly(bench).rename(ann.id, 'anna');
  await rename(join(bench.base, 'ann'), join(bench.base, 'anna'));
  t.deepEqual(await bench.roots(), ['anna/ of anna']);
  t.deepEqual(await bench.rows(), ['anna of anna']);
  t.deepEqual(await bench.ledger(), ['anna/a.txt']);
});

test('what somebody else has put under the new name is not touched, and the directory is read under its old one', async (t) => {
  await using bench = await openDirectoryBench();
  const ann = await bench.user('ann');
  await ensureDirectory(bench.deps, ann.id, bench.by);
  await mkdir(join(bench.base, 'anna'));
  await rowOnly(bench).rename(ann.id, 'anna');
  t.deepEqual(await bench.roots(), ['ann/ of anna'], 'an empty one may be meant for something');
  await bench.put('anna/not-hers.txt');
  t.deepEqual(await bench.roots(), ['ann/ of anna']);
  t.deepEqual(await bench.onDisk(), ['ann', 'anna']);
  await rename(join(bench.base, 'anna'), join(bench.base, 'away'));
  t.deepEqual(await bench.roots(), ['anna/ of anna']);
});

test('users who swap their names swap their directories', async (t) => {
  await using bench = await openDirectoryBench();
  const { rename: renameRow } = rowOnly(bench);
  const [ann, bob, cyd] = [await bench.user('ann'), await bench.user('bob'), await bench.user('cyd')];
  for (const user of [ann, bob, cyd]) {
    await ensureDirectory(bench.deps, user.id, bench.by);
    await bench.put(`${user.username}/of-${user.username}.txt`);
    await bench.note(`${user.username}/of-${user.username}.txt`, user);
  }
  await renameRow(ann.id, 'free');
  await renameRow(cyd.id, 'ann');
  await renameRow(bob.id, 'cyd');
  await renameRow(ann.id, 'bob');
  t.deepEqual(await bench.roots(), ['ann/ of ann', 'bob/ of bob', 'cyd/ of cyd']);
  t.deepEqual(await readdir(join(bench.base, 'ann')), ['of-cyd.txt']);
  t.deepEqual(await readdir(join(bench.base, 'bob')), ['of-ann.txt']);
  t.deepEqual(await readdir(join(bench.base, 'cyd')), ['of-bob.txt']);
  t.deepEqual(await bench.ledger(), ['ann/of-cyd.txt', 'bob/of-ann.txt', 'cyd/of-bob.txt']);
});

test('the directory of a deleted user is kept where nothing is read, and their successor of the same name gets a fresh one', async (t) => {
  await using bench = await openDirectoryBench();
  const ann = await bench.user('ann');
  const heir = await bench.user('heir');
  await ensureDirectory(bench.deps, ann.id, bench.by);
  await bench.put('ann/secret.txt', 'of the first ann');
  await bench.note('ann/secret.txt', heir);
  await rowOnly(bench).remove(ann.id);
  const second = await bench.user('ann');
  const { isNew } = await ensureDirectory(bench.deps, second.id, bench.by);
  t.true(isNew);
  t.deepEqual(await readdir(join(bench.base, 'ann')), []);
  t.deepEqual(await bench.roots(), ['ann/ of ann']);
  const [kept = ''] = await readdir(join(bench.base, '.deleted'));
  t.regex(kept, /^ann-20260504-[0-9a-f]{8}$/);
  t.is(await readFile(join(bench.base, '.deleted', kept, 'secret.txt'), 'utf8'), 'of the first ann');
  t.deepEqual(await bench.ledger(), [`.deleted/${kept}/secret.txt`], 'the second ann’s secret.txt is another file');
});

test('an empty directory of a deleted user goes', async (t) => {
  await using bench = await openDirectoryBench();
  const ann = await bench.user('ann');
  await ensureDirectory(bench.deps, ann.id, bench.by);
  await rowOnly(bench).remove(ann.id);
  t.deepEqual(await bench.roots(), []);
  t.deepEqual(await bench.onDisk(), []);
  t.deepEqual(await bench.rows(), []);
});

test('setting aside that was cut short after the disk and before the table is finished, and a new directory of the name is not touched', async (t) => {
  await using bench = await openDirectoryBench();
  const ann = await bench.user('ann');
  await ensureDirectory(bench.deps, ann.id, bench.by);
  await bench.put('ann/a.txt');
  await bench.note('ann/a.txt', await bench.user('heir'));
  const id = await firstId(bench);
  await rowOnly(bench).remove(ann.id);
  const kept = `ann-20260503-${id.slice(-8)}`;
  await mkdir(join(bench.base, '.deleted'));
  await rename(join(bench.base, 'ann'), join(bench.base, '.deleted', kept));
  t.deepEqual(await bench.roots(), []);
  t.deepEqual(await bench.rows(), []);
  t.deepEqual(await bench.ledger(), [`.deleted/${kept}/a.txt`]);
});

test('a directory that was not noted yet follows its user too', async (t) => {
  await using bench = await openDirectoryBench();
  const [ann, bob] = [await bench.user('ann'), await bench.user('bob')];
  await bench.put('ann/a.txt');
  await bench.put('bob/b.txt');
  const claim = async (user: typeof ann, change: string) => {
    const id = await bench.deps.db.transaction((tx) => claimDirectory(tx, bench.deps, user));
    await bench.database.pool.query(change, [user.id]);
    await settleDirectory(bench.deps, id ?? '', bench.by);
  };
  await claim(ann, `update users set username = 'anna' where id = $1`);
  await claim(bob, 'delete from users where id = $1');
  t.deepEqual(await bench.onDisk(), ['.deleted', 'anna']);
  t.deepEqual(await bench.roots(), ['anna/ of anna']);
});

test('a file in the place of the folder of what is set aside holds up nobody else', async (t) => {
  await using bench = await openDirectoryBench();
  const [ann, bob] = [await bench.user('ann'), await bench.user('bob')];
  for (const user of [ann, bob]) await ensureDirectory(bench.deps, user.id, bench.by);
  await bench.put('ann/a.txt');
  await bench.put('.deleted', 'in the way');
  await rowOnly(bench).remove(ann.id);
  t.deepEqual(await bench.roots(), ['bob/ of bob']);
  t.deepEqual(await bench.onDisk(), ['.deleted', 'ann', 'bob']);
  await rm(join(bench.base, '.deleted'));
  t.deepEqual(await bench.roots(), ['bob/ of bob']);
  t.deepEqual(await bench.onDisk(), ['.deleted', 'bob']);
});
