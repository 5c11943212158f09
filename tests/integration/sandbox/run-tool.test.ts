import { execFile, spawn } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtempDisposable, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ExchangeFolder, runTool, startTool, type ToolRun, writeLauncher } from '@sheaf/sandbox';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';

const run = promisify(execFile);
const MIB = 1024 * 1024;
const sh = (script: string, more: Partial<ToolRun> = {}): ToolRun => ({
  file: '/bin/sh',
  args: ['-c', script],
  cwd: '/tmp',
  timeoutMs: 10_000,
  signal: new AbortController().signal,
  ...more,
});

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ');
const processesWith = (word: string): readonly string[] =>
  readdirSync('/proc').filter((name) => /^\d+$/.test(name) && commandOf(name).split('\0').includes(word));

const commandOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return ''; // it has just ended
  }
};

const isGone = (pid: number): Promise<true> =>
  waitFor(() => !isAlive(pid), { description: `process ${pid} to end`, limitMs: 20_000 }).then(() => true);

test('a program gets a bare environment and its scratch folder as home', async (t) => {
  const run = await runTool(sh('env', { env: { EXTRA: 'yes' } }));
  const names =
    run.kind === 'done'
      ? run.stdout
          .toString()
          .split('\n')
          .map((line) => line.split('=')[0])
      : [];
  t.deepEqual(
    names.filter((name) => name !== '' && name !== 'PWD').toSorted((a = '', b = '') => a.localeCompare(b)),
    ['EXTRA', 'GLIBC_TUNABLES', 'HOME', 'LANG', 'PATH', 'TMPDIR'],
  );
});

test('how a program ends is a value', async (t) => {
  t.like(await runTool(sh('echo no >&2; exit 3')), { kind: 'failed', exitCode: 3, stderr: 'no\n' });
  t.is((await runTool({ ...sh(''), file: '/nowhere/program' })).kind, 'missing');
  t.is((await runTool(sh('yes', { maxOutputBytes: 1_000 }))).kind, 'output_too_large');
  t.is((await runTool(sh('sleep 60', { signal: AbortSignal.timeout(100) }))).kind, 'cancelled');
});

test('at its time limit a program ends with all it has started', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-tool-'));
  const exchange = await ExchangeFolder.open(join(folder.path, 'exchange'));
  // a number that no other process has on its command line: inside the sandbox process ids are others
  const seconds = `60.${process.pid}`;
  const isRunning = () => processesWith(seconds).length > 0;
  const started = runTool(sh(`sleep ${seconds} & touch started; wait`, { cwd: exchange.path, timeoutMs: 2_000 }));
  await waitFor(isRunning, { description: 'the child to start', limitMs: 10_000 });
  t.is((await started).kind, 'timeout');
  t.true(await waitFor(() => !isRunning(), { description: 'the child to end', limitMs: 20_000 }));
});

test('a program may use the memory and write the files it is given, and no more', async (t) => {
  const eat = (bytes: number) => runTool(sh(`dd if=/dev/zero of=/dev/null bs=${bytes} count=1`, { limits: { memoryBytes: 64 * MIB } }));
  t.is((await eat(16 * MIB)).kind, 'done');
  t.is((await eat(200 * MIB)).kind, 'failed');
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-tool-'));
  const exchange = await ExchangeFolder.open(join(folder.path, 'exchange'));
  const write = await runTool(sh('head -c 2000000 /dev/zero > big', { cwd: exchange.path, limits: { fileBytes: 1_000_000 } }));
  t.is(write.kind, 'failed');
  t.is(readFileSync(join(exchange.path, 'big')).length, 1_000_000);
});

test('a program that computes without end is ended by its limit of processor time', async (t) => {
  const run = await runTool(sh('while :; do :; done', { limits: { cpuSeconds: 1 } }));
  t.is(run.kind, 'failed', JSON.stringify(run));
});

test('a program that stays answers until it is stopped', async (t) => {
  const tool = startTool(sh('while read line; do echo "<$line>"; done'));
  tool.stdin.write('hello\n');
  const [chunk] = await tool.stdout.take(1).toArray();
  t.is(String(chunk), '<hello>\n');
  t.true(tool.isRunning);
  const { signal } = await tool.stop({ force: true });
  t.is(signal, 'SIGKILL');
  t.false(tool.isRunning);
});

test('no program outlives a parent that was killed', async (t) => {
  const program = `
    import { runTool, startTool } from '@sheaf/sandbox';
    const command = { file: '/bin/sleep', args: ['60'], cwd: '/tmp' };
    void runTool({ ...command, timeoutMs: 60_000, signal: new AbortController().signal });
    console.log(startTool(command).pid);
  `;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [first] = await parent.stdout.take(1).toArray();
  const children = readFileSync(`/proc/${parent.pid}/task/${parent.pid}/children`, 'utf8').trim().split(' ').map(Number);
  t.true(children.includes(Number(String(first))));
  t.is(children.length, 2);
  parent.kill('SIGKILL');
  for (const child of children) t.true(await isGone(child));
});

test('a launcher becomes its program under the same guard, whatever its arguments hold', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "sheaf it's-"));
  const path = join(folder.path, 'launcher');
  await writeLauncher(path, { file: '/usr/bin/printf', args: ['%s|'], cwd: folder.path });
  const { stdout } = await run(path, ['$(echo no)', "it's", 'a b']);
  t.is(stdout, "$(echo no)|it's|a b|");
  const other = join(folder.path, 'other');
  await writeLauncher(other, { file: '/usr/bin/env', args: [], cwd: folder.path });
  const { stdout: environment } = await run(other, [], { env: { SECRET: 'x' } });
  t.false(environment.includes('SECRET'));
});

test('what a launcher starts was written before, so that no program of another thread can have it open for writing', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-launcher-'));
  const path = join(folder.path, 'launcher');
  await writeLauncher(path, { file: '/bin/true', args: [], cwd: folder.path });
  const executables = (await readdir(folder.path)).filter((name) => (lstatSync(join(folder.path, name)).mode & 0o111) !== 0);
  t.deepEqual(executables, ['launcher']);
  t.true(lstatSync(path).isSymbolicLink());
});
