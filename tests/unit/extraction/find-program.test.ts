import { mkdtempDisposable, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '@sheaf/extraction/testing';
import test from 'ava';

test.serial('a program is found once it is there, on the path as it is now', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-find-'));
  const path = join(folder.path, 'sheaf-program');
  const before = process.env['PATH'];
  t.teardown(() => {
    process.env['PATH'] = before;
  });
  process.env['PATH'] = `relative:${folder.path}:${before}`;
  t.is(await findProgram('sheaf-program'), undefined);
  await writeFile(path, '', { mode: 0o600 });
  t.is(await findProgram('sheaf-program'), undefined, 'it cannot be started');
  await rm(path);
  await writeFile(path, '', { mode: 0o700 });
  t.is(await findProgram('sheaf-program'), path);
  process.env['PATH'] = before;
  t.is(await findProgram('sheaf-program'), undefined);
});
