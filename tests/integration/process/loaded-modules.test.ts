import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CODE_CACHE_ENVIRONMENT } from '@sheaf/testkit';
import test from 'ava';
import { oneIn } from '../../support/full-run.ts';

const APPS = join(import.meta.dirname, '../../../apps');
const PROGRAMS = ['api', 'ocr-worker', 'watcher', 'sync', 'supervisor'];
/** What an `import` of node:http brings along, some 6 MB in each process; `@sheaf/process/node-http` does without. */
const UNUSED = ['internal/deps/undici/undici', 'http2'];

const execute = promisify(execFile);

/** The modules of Node that a program loads before it does anything. */
const loadedBy = async (program: string): Promise<string[]> => {
  const script = `await import(${JSON.stringify(join(APPS, program, 'src/compose.ts'))}); console.log(JSON.stringify(process.moduleLoadList));`;
  const { stdout } = await execute(process.execPath, ['--input-type=module', '--eval', script], {
    env: { PATH: process.env['PATH'], ...CODE_CACHE_ENVIRONMENT },
    maxBuffer: 16 * 1024 ** 2,
  });
  return (JSON.parse(stdout) as string[]).map((name) => name.replace('NativeModule ', ''));
};

test('no process loads parts of Node that it does not use', async (t) => {
  for (const program of oneIn(2, PROGRAMS)) {
    const loaded = await loadedBy(program);
    t.true(loaded.includes('http'), program);
    t.deepEqual(
      UNUSED.filter((name) => loaded.includes(name)),
      [],
      program,
    );
  }
});
