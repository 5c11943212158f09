import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openBackup } from '@sheaf/backup';
import { documentKey, previewKey } from '@sheaf/storage';
import test from 'ava';
import { requireOtherFileSystem } from '../../fixtures/other-file-system.ts';
import { makeTestAcross } from '../../support/conditional-test.ts';
import { fullOnly } from '../../support/full-run.ts';
import { hashOf, openBackedUpLibrary, WORD, writeOver } from './library.ts';

const fileIn = (entry: string, bytes: string): string => join(entry, documentKey(hashOf(bytes)).replace('documents/', 'files/'));
const previewIn = (entry: string, bytes: string): string => join(entry, previewKey(hashOf(bytes)));

const isSame = async (one: string, other: string): Promise<boolean> => {
  const [a, b] = await Promise.all([stat(one), stat(other)]);
  return a.ino === b.ino && a.dev === b.dev;
};

test('the second backup links what the first one has and copies what is new, and stays whole without the first', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('a letter', { mimeType: WORD, preview: '%PDF-letter' });
  const first = await library.backup();
  await library.add('a note');
  const second = await library.backup();
  t.like(second.files, { linked: 1, copied: 1, copiedBytes: 6 });
  t.true(await isSame(fileIn(first.path, 'a letter'), fileIn(second.path, 'a letter')));
  t.true(await isSame(previewIn(first.path, 'a letter'), previewIn(second.path, 'a letter')));
  await rm(first.path, { recursive: true });
  await using backup = await openBackup(second.path);
  t.deepEqual(await backup.verifyChecksums(), []);
  t.is(backup.manifest.previews.count, 1);
});

fullOnly(test)('a preview that was made anew is copied anew', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('a letter', { mimeType: WORD, preview: '%PDF-letter' });
  await library.backup();
  await library.storage.replace(previewKey(hashOf('a letter')), Buffer.from('%PDF-another rendition'));
  const { path } = await library.backup();
  await using backup = await openBackup(path);
  t.deepEqual(await backup.verifyChecksums(), []);
  t.is(backup.manifest.previews.bytes, 22);
});

fullOnly(test)('a full backup reads every file again, and so heals a damaged copy of the one before', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('a letter');
  const first = await library.backup();
  await writeOver(fileIn(first.path, 'a letter'), 'a lettuc'); // of the same length
  const linked = await library.backup();
  await using second = await openBackup(linked.path);
  t.is((await second.verifyChecksums()).length, 1, 'what is linked is believed');
  const full = await library.backup({ isFull: true });
  t.like(full.files, { linked: 0, copied: 1 });
  await using third = await openBackup(full.path);
  t.deepEqual(await third.verifyChecksums(), []);
});

fullOnly(test)('a copy of another length in the backup before is no copy', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('a letter');
  const first = await library.backup();
  await writeOver(fileIn(first.path, 'a letter'), 'cut');
  t.like((await library.backup()).files, { linked: 0, copied: 1 });
});

const testAcross = makeTestAcross();

fullOnly(testAcross)('on another disk than the backup before its files are copied and their hashes compared', async (t) => {
  await using other = await requireOtherFileSystem();
  await using library = await openBackedUpLibrary();
  await library.add('a letter');
  await library.add('a note');
  const first = await library.backup();
  await writeOver(fileIn(first.path, 'a note'), 'a nose');
  const { files, path } = await library.backup({ folder: join(other.path, 'backups'), otherFolders: [library.backups] });
  t.like(files, { linked: 0, resumed: 1, copied: 1 });
  await using backup = await openBackup(path);
  t.deepEqual(await backup.verifyChecksums(), []);
});

test('what an interrupted backup left is taken over where its hash is right, and removed', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('a letter');
  await library.add('a note');
  await library.add('a list');
  const left = join(library.backups, '.incomplete-sheaf-20260101T000000Z-abcdef');
  await writeOver(fileIn(left, 'a letter'), 'a letter');
  await writeOver(fileIn(left, 'a note'), 'a no');
  await writeOver(fileIn(left, 'a list'), 'a fist');
  const { files, path } = await library.backup();
  t.like(files, { resumed: 1, copied: 2 });
  await using backup = await openBackup(path);
  t.deepEqual(await backup.verifyChecksums(), []);
  t.is((await readdir(library.backups)).length, 1);
});

fullOnly(test)('as many whole backups stay as are to be kept, the newest, and what was half removed goes', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('a letter');
  const [first, , third] = [await library.backup(), await library.backup({ isArchive: true }), await library.backup()];
  const names = (await readdir(library.backups)).toSorted();
  t.is(names.length, 3);
  await writeFile(join(library.backups, 'notes.txt'), 'not ours');
  await writeOver(join(library.backups, '.removed-sheaf-20260101T000000Z-abcdef', 'files.list'), '');
  // Names tell the time in seconds, so those of one second are in no order of time.
  const { removed, path } = await library.backup({ keep: 2 });
  const left = await readdir(library.backups);
  t.is(removed.length, 2);
  t.is(left.length, 3);
  t.true(left.includes('notes.txt'));
  for (const name of removed) t.false(left.includes(name));
  t.truthy(first && third && path);
});

fullOnly(test)('a backup without a file that nobody has any more removes no older one', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.backup();
  const { sha256 } = await library.add('a letter');
  await library.storage.delete(documentKey(sha256));
  const { removed, manifest } = await library.backup({ keep: 1 });
  t.is(manifest.files.missing.length, 1);
  t.deepEqual(removed, []);
});

test('the bytes in a backup are those of the storage at the time it was made', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('a letter');
  const { path } = await library.backup();
  await writeOver(library.storage.pathOf(documentKey(hashOf('a letter'))), 'spoiled!');
  await using backup = await openBackup(path);
  t.is(await text(backup.file(hashOf('a letter'))), 'a letter');
});
