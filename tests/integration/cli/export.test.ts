import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { documentKey } from '@sheaf/storage';
import test from 'ava';
import { runSheafHere } from '../../support/command-in-process.ts';
import { openGivenLibrary } from '../paperless/given-library.ts';
import { readExport } from '../paperless/read-export.ts';

test('the library is exported from the command line, updated, and what is left out is named', async (t) => {
  await using library = await openGivenLibrary();
  const { folder, database } = library;
  const env = {
    PATH: process.env['PATH'],
    DATA_PATH: folder,
    UPLOAD_PATH: join(folder, 'uploads'),
    DATABASE_URL: database.url.reveal(),
  };
  const run = (...args: readonly string[]) => runSheafHere(['export', 'paperless', ...args], env, folder);
  await library.add('first file', { title: 'First', documentDate: '2024-02-29' }, ['about rent']);
  const second = await library.add('second file', { title: 'Second', documentDate: '2024-03-01' }, ['about tea']);

  const { status, stdout, stderr } = await run('out');
  t.is(status, 0, stderr);
  t.is(stdout, `${join(folder, 'out')}\n`);
  t.is(await readFile(join(folder, 'out/originals/2024-02-29 First.txt'), 'utf8'), 'first file');
  t.is((await run('out')).status, 1, 'the folder is not empty');

  await rm(join(folder, 'uploads', documentKey(second.sha256)));
  t.is((await run('out', '--incremental')).status, 0, 'the copy in the export is right');
  await writeFile(join(folder, 'out/originals/2024-03-01 Second.txt'), 'damaged');
  const damaged = await run('out', '--incremental');
  t.is(damaged.status, 1);
  t.true(damaged.stderr.includes(second.id));
  t.is((await readExport(join(folder, 'out'))).of('documents.document').length, 1);

  const zip = await run('rent.zip', '--zip', '--search', 'rent', '--name-format', '{title}');
  t.is(zip.status, 0, zip.stderr);
  t.deepEqual([...(await readExport(join(folder, 'rent.zip'))).files.keys()], ['originals/First.txt']);

  for (const args of [
    [],
    ['a', '--zip', '--incremental'],
    ['a', '--name-format', '{x}'],
    ['a', '--search', ' '],
    ['a', '--paperless-version', '1'],
  ])
    t.is((await run(...args)).status, 2, args.join(' '));
});
