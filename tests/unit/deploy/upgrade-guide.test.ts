import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';

const ROOT = join(import.meta.dirname, '../../..');
const run = promisify(execFile);
const guide = readFileSync(join(ROOT, 'docs/operate/upgrade.md'), 'utf8');

/** The commands of a numbered step below a heading. */
const stepOf = (heading: string, step: number): string =>
  new RegExp(`## ${heading}\\n[^]*?# ${step}\\. .*\\n([^]*?)(?=# ${step + 1}\\. )`).exec(guide)?.[1] ?? '';

const SUPERVISOR = 'apps/supervisor/src/main.ts';

/** What a supervisor looks like in the list of processes. */
const givenSupervisor = async (folder: string) => {
  await mkdir(join(folder, 'apps/supervisor/src'), { recursive: true });
  await writeFile(join(folder, SUPERVISOR), `process.stdout.write('up'); setInterval(() => {}, 1_000);`);
  const supervisor = spawn('node', ['--max-semi-space-size=1', SUPERVISOR], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(supervisor.stdout, 'data');
  return supervisor;
};

test('the guide stops the service of its folder, and not another one of this machine', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-two-'));
  const [ours, other] = [await givenSupervisor(join(folder.path, 'ours')), await givenSupervisor(join(folder.path, 'other'))];
  t.teardown(() => [ours, other].map((child) => child.kill('SIGKILL')));
  // the status is that of the last comparison
  await run('/bin/sh', ['-c', stepOf('npm', 1)], { cwd: join(folder.path, 'ours') }).catch(() => {});
  await waitFor(() => ours.signalCode === 'SIGTERM', { description: 'ours to be stopped', limitMs: 20_000 });
  t.is(other.exitCode ?? other.signalCode, null);
});

test('the links and programs of the guide exist', (t) => {
  for (const [, link = ''] of guide.matchAll(/\]\(([^)#]+)[^)]*\)/g)) t.true(existsSync(join(ROOT, 'docs/operate', link)), link);
  const programs = [...guide.matchAll(/(?<![\w/-])(?:bin|deploy)\/[\w/-]+/g)].map(([path]) => path);
  t.true(programs.includes('bin/migrate'));
  for (const program of programs) t.true(existsSync(join(ROOT, program)), program);
});
