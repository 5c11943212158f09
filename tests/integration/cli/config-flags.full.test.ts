// Configuration on the command line and in service.yml reaches every process, and is told once.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CODE_CACHE_ENVIRONMENT, openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Says how it was called, and then that it is ready. */
const CHILD = `process.stdout.write(JSON.stringify(process.argv.slice(2)) + '\\n');
process.on('SIGTERM', () => process.exit(0));
const server = require('node:http').createServer((_, response) => response.end('{}'));
server.listen(0, '127.0.0.1', () =>
  process.send({ type: 'ready', probe_host: '127.0.0.1', probe_port: server.address().port, notices: [] }));
`;

test('flags and the file count for every process that start starts, and what is to be said of them is said once', async (t) => {
  await using database = await openTestDatabase({ empty: true });
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-flags-'));
  const at = (name: string): string => join(folder.path, name);
  await writeFile(at('child.cjs'), CHILD);
  await writeFile(at('Procfile'), `child: node ${at('child.cjs')}\nwatcher: node ${ROOT}/apps/watcher/src/main.ts\n`);
  await writeFile(
    at('mine.yml'),
    `database:\n  url: \${DATABASE}\nstorage:\n  storage_path: ${at('uploads')}\nwatch: {folder: ${at('watch')}}\n`,
  );
  const args = ['start', '--procfile', at('Procfile'), '--config-file', 'mine.yml', '--log-format=json', '--process-instance', '5'];
  const service = spawn(join(ROOT, 'bin/sheaf'), args, {
    cwd: folder.path,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      ...CODE_CACHE_ENVIRONMENT,
      DATABASE: database.url.reveal(),
      DATA_PATH: at('data'),
      PROBE_PORT_BASE: '0',
      LOG_FORMAT: 'text',
    },
  });
  t.teardown(() => service.kill('SIGKILL'));
  let output = '';
  for (const stream of [service.stdout, service.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  await waitFor(() => output.includes('Sheaf is running') || service.exitCode !== null, {
    description: () => `the start; so far ${output}`,
    limitMs: 30_000,
  });
  t.is(service.exitCode, null, output);
  t.true(output.includes('["--config-file=mine.yml","--log-format=json"]'), output);
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  const said = lines.filter((line) => line.includes('is the former name of UPLOAD_PATH'));
  t.is(said.length, 1, output);
  t.regex(said[0] ?? '', /"process":"supervisor"|"name":"supervisor"/);
  t.true(
    lines.some((line) => /"(process|name)":"watcher"/.test(line)),
    'the watcher logs as the flag says, and has its own number',
  );
  t.true(
    lines.some((line) => line.includes('"process":"migrate"') && line.includes('migration applied')),
    'the migration logs as the flag says',
  );
  t.notRegex(output, /^applied /m);
  const { rows } = await database.pool.query<{ name: string }>('select name from processes');
  t.deepEqual(
    rows.map(({ name }) => name),
    ['watcher'],
    'the migration and the watcher found the database that the file names',
  );
  service.kill('SIGTERM');
  t.deepEqual(await once(service, 'exit'), [0, null]);
});

test('a process started alone takes flags too, and refuses those it does not know', (t) => {
  const start = (...args: string[]) =>
    spawnSync(process.execPath, ['apps/watcher/src/main.ts', ...args], { cwd: ROOT, encoding: 'utf8', timeout: 120_000, env: {} });
  const unknown = start('--sever-port', '9000');
  t.is(unknown.status, 2);
  t.regex(unknown.stderr, /^unknown option --sever-port; did you mean "--server-port"\?/);
  t.is(start('word').status, 2);
  const wrong = start('--ocr-dpi', 'many', '--config-file', '/nowhere.yml');
  t.is(wrong.status, 78);
  t.regex(wrong.stderr, /^configuration: \/nowhere\.yml cannot be read/);
  t.regex(wrong.stderr, /configuration: --ocr-dpi \(OCR_DPI\) must be a whole number/);
});
