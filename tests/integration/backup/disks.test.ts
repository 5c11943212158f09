import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtempDisposable, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBackup } from '@sheaf/backup';
import { AppError } from '@sheaf/contract';
import test from 'ava';
import { canMount, mountSmallDisk } from '../../fixtures/small-disk.ts';
import { openBackedUpLibrary } from './library.ts';

for (const isArchive of [false, true])
  test(`a full disk is told in words and leaves nothing behind (${isArchive ? 'archive' : 'directory'})`, async (t) => {
    if (!canMount()) {
      t.pass('skipped: this user may not mount a disk of memory');
      return;
    }
    await using library = await openBackedUpLibrary();
    for (let i = 0; i < 8; i += 1) await library.add(randomBytes(300_000));
    await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-full-'));
    await using _disk = await mountSmallDisk(join(folder.path, 'disk'));
    const backups = join(folder.path, 'disk/backups');
    const error = await t.throwsAsync(library.backup({ folder: backups, isArchive }), { instanceOf: AppError });
    t.regex(error.message, /is full/);
    t.deepEqual(await readdir(backups), []);
  });

test('a full disk keeps the backups that are there', async (t) => {
  if (!canMount()) {
    t.pass('skipped: this user may not mount a disk of memory');
    return;
  }
  await using library = await openBackedUpLibrary();
  await library.add(randomBytes(300_000));
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-full-'));
  await using _disk = await mountSmallDisk(join(folder.path, 'disk'));
  const first = await library.backup({ folder: join(folder.path, 'disk') });
  await library.add(randomBytes(900_000));
  await t.throwsAsync(library.backup({ folder: join(folder.path, 'disk'), keep: 1 }), { code: 'SERVICE_UNAVAILABLE' });
  await using backup = await openBackup(first.path);
  t.deepEqual(await backup.verifyChecksums(), []);
});

test('a folder that cannot be written or is none is told in words', async (t) => {
  await using library = await openBackedUpLibrary();
  await writeFile(join(library.folder, 'file'), '');
  const inTheWay = await t.throwsAsync(library.backup({ folder: join(library.folder, 'file/backups') }), { instanceOf: AppError });
  t.regex(inTheWay.message, /is not a folder/);
  const itself = await t.throwsAsync(library.backup({ folder: join(library.folder, 'file') }), { instanceOf: AppError });
  t.regex(itself.message, /is not a folder; move the file/);
  await t.throwsAsync(library.backup({ folder: '/proc/backups' }), undefined, 'where nobody can make folders');
  if (process.getuid?.() === 0) return; // nothing is read-only for root
  const locked = join(library.folder, 'locked');
  await mkdir(locked);
  await chmod(locked, 0o500);
  const error = await t.throwsAsync(library.backup({ folder: join(locked, 'backups') }), { instanceOf: AppError });
  t.regex(error.message, /is not writable/);
});
