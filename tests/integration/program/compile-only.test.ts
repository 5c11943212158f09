import { execFile } from 'node:child_process';
import { mkdtempDisposable, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { COMPILE_ONLY } from '@sheaf/vocabulary/exit-codes';
import test from 'ava';
import { oneIn } from '../../support/full-run.ts';

const ROOT = join(import.meta.dirname, '../../..');

for (const app of oneIn(2, ['supervisor', 'sync']))
  test(`the ${app} that is only to compile its sources leaves them compiled, and ends before it reads a configuration`, async (t) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-compile-'));
    const cache = join(folder.path, 'cache');
    const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: cache, DATABASE_URL: 'no address' };
    await promisify(execFile)(process.execPath, [join(ROOT, `apps/${app}/src/main.ts`), COMPILE_ONLY], { env });
    t.true((await readdir(cache, { recursive: true })).length > 100);
  });
