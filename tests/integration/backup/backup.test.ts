import { execFileSync } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openBackup } from '@sheaf/backup';
import test from 'ava';
import { collect } from '../../support/collect.ts';
import { hashOf, openBackedUpLibrary, WORD } from './library.ts';

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

test('a backup holds every table, every original and every preview, and says what they are', async (t) => {
  await using library = await openBackedUpLibrary();
  const letter = await library.add('a letter', { mimeType: WORD, preview: '%PDF-letter' });
  await library.add('a note');
  const { path, manifest, files } = await library.backup();
  t.like(manifest, { service_version: '1.2.3', format: 1, files: { count: 2, bytes: 14, missing: [] }, previews: { count: 1, bytes: 11 } });
  t.like(files, { copied: 2, linked: 0, copiedBytes: 14 });

  await using backup = await openBackup(path);
  t.deepEqual(await backup.verifyChecksums(), []);
  const listed = (await collect(backup.listFiles())).map(({ sha256 }) => sha256);
  t.deepEqual(listed, [hashOf('a letter'), hashOf('a note')].toSorted());
  t.is(await text(backup.file(hashOf('a note'))), 'a note');
  const [preview] = await collect(backup.listPreviews());
  t.is(preview?.documentSha256, letter.sha256);
  t.is(preview && (await text(backup.preview(preview))), '%PDF-letter');

  const { rows } = await library.database.pool.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  const { tables, omitted } = manifest.database;
  t.deepEqual([...tables, ...omitted].map(({ name }) => name).toSorted(), rows.map(({ name }) => name).toSorted());
  const documents = tables.find(({ name }) => name === 'documents');
  t.is(documents?.rows, 2);
  t.false(documents?.columns.includes('title_key'), 'what the database derives by itself is not kept');
  const lines = (await text(backup.table('documents'))).trimEnd().split('\n');
  t.is(lines.length, 2);
  t.is(lines[0]?.split('\t').length, documents?.columns.length);
  t.true(manifest.database.sequences.some(({ name }) => name === 'events_seq_seq'));
});

test('a backup is for its owner alone', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('a note');
  const { path } = await library.backup();
  for (const folder of [library.backups, path, join(path, 'database'), join(path, 'files')]) t.is(await modeOf(folder), 0o700, folder);
  const sha256 = hashOf('a note');
  for (const name of [
    'manifest.json',
    'files.list',
    'database/users.copy.gz',
    `files/${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`,
  ])
    t.is(await modeOf(join(path, name)), 0o600, name);
});

test('the files of a backup can be checked with the tools of the system', async (t) => {
  await using library = await openBackedUpLibrary();
  const { path } = await library.backup();
  t.notThrows(() => execFileSync('sha256sum', ['--check', '--status', 'manifest.json.sha256'], { cwd: path }));
  const packed = await readFile(join(path, 'database/users.copy.gz'));
  t.regex(execFileSync('gzip', ['-dc'], { input: packed, encoding: 'utf8' }), new RegExp(library.owner.username));
  t.deepEqual((await readdir(library.backups)).length, 1, 'nothing is left beside it');
});

test('an archive holds the same as a directory, the manifest last', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('a letter', { mimeType: WORD, preview: '%PDF-letter' });
  await library.add(Buffer.alloc(700_000, 'x'));
  const directory = await library.backup();
  const archive = await library.backup({ isArchive: true });
  t.true(archive.path.endsWith('.tar'));
  t.is(await modeOf(archive.path), 0o600);
  const names = execFileSync('tar', ['-tf', archive.path], { encoding: 'utf8' }).trimEnd().split('\n');
  t.deepEqual(names.slice(-2), ['manifest.json', 'manifest.json.sha256']);
  t.deepEqual(
    (await readdir(library.backups)).toSorted(),
    [directory.path, archive.path].map((path) => path.slice(library.backups.length + 1)).toSorted(),
  );

  const folder = await (async () => {
    await using backup = await openBackup(archive.path);
    t.deepEqual(await backup.verifyChecksums(), []);
    t.deepEqual(backup.manifest.database, directory.manifest.database);
    t.deepEqual(backup.manifest.files, directory.manifest.files);
    t.is((await stat(backup.folder)).isDirectory(), true);
    return backup.folder;
  })();
  await t.throwsAsync(stat(folder), { code: 'ENOENT' }, 'what it was unpacked to is gone');
});
