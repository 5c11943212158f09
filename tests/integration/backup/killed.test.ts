import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listEntries, openBackup } from '@sheaf/backup';
import test from 'ava';
import { oneIn } from '../../support/full-run.ts';
import { type BackedUpLibrary, openBackedUpLibrary, WORD } from './library.ts';

const run = promisify(execFile);
const SCRIPT = join(import.meta.dirname, '../../fixtures/backup/killed-backup.ts');

const backupDyingAt = async ({ database, folder, backups }: BackedUpLibrary, point: string, form: string): Promise<string> => {
  const { stdout } = await run(process.execPath, [
    SCRIPT,
    database.url.reveal(),
    join(folder, 'uploads'),
    backups,
    point,
    form.toUpperCase(),
  ]);
  return stdout;
};

const POINTS = [
  'before database',
  'database 1',
  'database 9',
  'before files',
  'files 1',
  'files 20',
  'before previews',
  'previews 1',
  'before finishing',
];

const POINTS_OF_ARCHIVES = ['database 9', 'files 20', 'before finishing'];

for (const form of ['directory', 'archive'])
  for (const point of form === 'archive' ? oneIn(3, POINTS_OF_ARCHIVES) : oneIn(7, POINTS))
    test(`killed at "${point}", a backup (${form}) leaves no entry, and the next one is whole and tidies up`, async (t) => {
      await using library = await openBackedUpLibrary();
      for (let i = 0; i < 30; i += 1) await library.add(`note ${i}`);
      await library.add('a letter', { mimeType: WORD, preview: '%PDF-letter' });
      const before = await library.backup();
      await library.add('a new note');
      t.like(await t.throwsAsync(backupDyingAt(library, point, form.toUpperCase())), { signal: 'SIGKILL' });
      t.deepEqual(
        (await listEntries(library.backups)).map(({ path }) => path),
        [before.path],
        'what was there is as it was, and there is nothing else of that name',
      );
      const { path } = await library.backup({ isArchive: form === 'archive', keep: 1 });
      await using backup = await openBackup(path);
      t.deepEqual(await backup.verifyChecksums(), []);
      t.is(backup.manifest.files.count, 32);
      t.is((await readdir(library.backups)).filter((name) => !name.startsWith('.unpacked-')).length, 1);
    });
