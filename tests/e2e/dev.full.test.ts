import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtempDisposable, readdir, readFile, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient, CODE_CACHE_ENVIRONMENT } from '@sheaf/testkit';
import test from 'ava';
import { waitFor } from '../support/wait-for.ts';

const ROOT = join(import.meta.dirname, '../..');
const LISTENS = /Sheaf listens on (http:\S+)/g;
const LIMIT_MS = 120_000;

/** How many processes have `text` in their environment or command line: all that a program has started, however it started them. */
const countProcessesWith = async (text: string): Promise<number> => {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  // of those that are gone meanwhile, or of others, nothing can be read
  const read = (id: string, file: string) => readFile(`/proc/${id}/${file}`, 'utf8').catch(() => '');
  const texts = await Promise.all(ids.map(async (id) => `${await read(id, 'environ')}${await read(id, 'cmdline')}`));
  return texts.filter((found) => found.includes(text)).length;
};

test('npm run dev starts the service again when a source changes, serves the web client, and leaves nothing behind', async (t) => {
  t.timeout(3 * LIMIT_MS);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-dev-'));
  await chmod(folder.path, 0o755);
  const path = (name: string): string => join(folder.path, name);
  const child = spawn(join(ROOT, 'bin/dev'), [], {
    detached: true, // a process group, as a terminal makes one
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'] ?? '',
      ...CODE_CACHE_ENVIRONMENT,
      DATA_PATH: path('data'),
      UPLOAD_PATH: path('uploads'),
      WATCH_FOLDER: path('watch'),
      USER_WATCH_BASE_DIR: path('user_watch'),
      PROCESSED_FILES_DIR: path('processed'),
      SERVER_ADDRESS: '127.0.0.1:0',
      PROBE_PORT_BASE: '0',
      EMBEDDED_POSTGRES_PORT: '0',
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  const says = (pattern: RegExp, times = 1) =>
    waitFor(
      () => {
        if (child.exitCode !== null) throw new Error(`bin/dev ended with ${child.exitCode}:\n${output}`);
        return [...output.matchAll(pattern)][times - 1];
      },
      { description: () => `bin/dev to say ${pattern}; it said:\n${output}`, limitMs: LIMIT_MS },
    );
  // Ctrl-C in a terminal reaches every process of the group at once
  const interrupt = () => process.kill(-(child.pid ?? 0), 'SIGINT');
  t.teardown(() => child.exitCode ?? interrupt());

  const [, url = ''] = await says(LISTENS);
  t.is((await new ApiClient(url).get('/health')).status, 200);
  const [, client = ''] = await says(/Local:\s+(http:\S+)/g);
  t.regex(await (await fetch(client)).text(), /\/@vite\/client/);

  const now = new Date();
  await utimes(join(ROOT, 'apps/api/src/main.ts'), now, now);
  const [, again = ''] = await says(LISTENS, 2);
  t.is((await new ApiClient(again).get('/health')).status, 200);
  t.notRegex(output, /unknown message/, 'what Node tells about imports stays out of the log');

  t.true((await countProcessesWith(folder.path)) > 0);
  interrupt();
  if (child.exitCode === null) await once(child, 'exit');
  await waitFor(async () => (await countProcessesWith(folder.path)) === 0, { description: 'every process to be gone', limitMs: 30_000 });
});
