import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeLayers, ExchangeFolder, runTool, startTool, type ToolAccess, toolLayers, writeLauncher } from '@sheaf/sandbox';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';

const layers = toolLayers();
const sandboxed = layers.filesystem === 'bubblewrap' ? test : test.skip;
if (layers.filesystem !== 'bubblewrap') process.stderr.write(`skipped: bubblewrap is not to be had here (${describeLayers(layers)})\n`);

const folder = await mkdtemp(join(tmpdir(), 'sheaf-sandbox-'));
test.after.always(() => rm(folder, { recursive: true, force: true }));
let folders = 0;
const openExchange = (): Promise<ExchangeFolder> => ExchangeFolder.open(join(folder, `exchange-${(folders += 1)}`));

const sh = async (script: string, exchange: ExchangeFolder, access: ToolAccess = {}): Promise<string> => {
  const signal = new AbortController().signal;
  const run = await runTool({
    file: '/bin/sh',
    args: ['-c', `(${script}) 2>&1; true`],
    cwd: exchange.path,
    access,
    timeoutMs: 20_000,
    signal,
  });
  return run.kind === 'done' ? run.stdout.toString() : JSON.stringify(run);
};

sandboxed('a program sees its scratch folder and the system, and no file of anybody', async (t) => {
  const secret = join(folder, 'secret');
  await writeFile(secret, 'of somebody else', { mode: 0o644 });
  const exchange = await openExchange();
  t.regex(await sh(`cat ${secret}`, exchange), /No such file/);
  t.regex(await sh('cat /etc/passwd', exchange), /^parser:x:\d+:\d+::\/:\/usr\/sbin\/nologin\n$/);
  t.regex(await sh('cat /etc/hostname', exchange), /No such file/);
  t.regex(await sh(`cat /proc/${process.pid}/environ`, exchange), /No such file/);
  t.is(await sh(`ls ${process.cwd()}`, exchange).then((text) => text.includes('cannot access')), true);
  t.is(await sh(`cat ${secret}`, exchange, { readOnly: [secret] }), 'of somebody else');
  t.regex(await sh(`echo no > ${secret}`, exchange, { readOnly: [secret] }), /(Read-only|Permission denied)/);
  t.is(await readFile(secret, 'utf8'), 'of somebody else');
});

sandboxed('a program writes into its scratch folder and nowhere else', async (t) => {
  const exchange = await openExchange();
  t.is(await sh('echo yes > here; cat here', exchange), 'yes\n');
  for (const place of ['/', '/usr/bin', '/etc', '/dev/shm', '/proc'])
    t.regex(await sh(`touch ${place}/made`, exchange), /(Read-only|Permission denied|No such file)/, place);
  t.false(existsSync('/usr/bin/made'));
});

sandboxed('a program reaches no network, not even that of this machine', async (t) => {
  const asked: string[] = [];
  const server = createServer((socket) => {
    asked.push('asked');
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const connect = `const s = require('net').connect(${port}, '127.0.0.1'); s.on('connect', () => console.log('connected')); s.on('error', (e) => console.log(e.code));`;
  const exchange = await openExchange();
  const run = await runTool({
    file: process.execPath,
    args: ['-e', connect],
    cwd: exchange.path,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
  });
  t.regex(run.kind === 'done' ? run.stdout.toString() : JSON.stringify(run), /EAFNOSUPPORT|ENETUNREACH|ECONNREFUSED/);
  t.deepEqual(asked, []);
  await new Promise((resolve) => server.close(resolve));
});

sandboxed('a program has no rights to gain and no system calls that attack the kernel', async (t) => {
  const exchange = await openExchange();
  const status = await sh('cat /proc/self/status', exchange);
  t.regex(status, /CapEff:\s+0+\n/);
  t.regex(status, /CapBnd:\s+0+\n/);
  t.regex(status, /NoNewPrivs:\s+1/);
  t.regex(status, /Seccomp:\s+2/);
  t.regex(await sh('unshare --user true', exchange), /Operation not permitted/);
  t.regex(await sh('unshare --user --fork true', exchange), /Operation not permitted/);
  t.regex(await sh('mount -t tmpfs none /tmp', exchange), /(permission denied|must be superuser|not permitted)/i);
  t.regex(await sh('setarch -R true', exchange), /not permitted/);
});

sandboxed('a program sees no processes but its own', async (t) => {
  const exchange = await openExchange();
  const pids = (await sh('ls /proc', exchange)).split('\n').filter((name) => /^\d+$/.test(name));
  t.true(pids.length < 10, pids.join());
});

(process.getuid?.() === 0 ? sandboxed : test.skip)('where the service runs as root, a program runs as another user', async (t) => {
  const exchange = await openExchange();
  t.not((await sh('id -u', exchange)).trim(), '0');
  const original = join(folder, 'only-copy');
  await writeFile(original, 'mine', { mode: 0o600 });
  const shown = await exchange.show(original);
  t.not(shown, original);
  t.is(await sh(`cat ${shown}; echo spoilt > ${shown}`, exchange, { readOnly: [shown] }), 'mine');
  t.is(await readFile(original, 'utf8'), 'mine');
});

sandboxed('what comes out of a sandbox is an ordinary file, whatever the program made of its name', async (t) => {
  const exchange = await openExchange();
  const secret = join(folder, 'not-for-parsers');
  await writeFile(secret, 'secret');
  const [link, pipe, directory, good] = [exchange.outputPath(), exchange.outputPath(), exchange.outputPath(), exchange.outputPath()];
  await sh(`ln -s ${secret} ${link}; mkfifo ${pipe}; mkdir ${directory}; touch ${directory}/x; echo fine > ${good}`, exchange);
  for (const path of [link, pipe, directory, exchange.outputPath()]) {
    const to = join(folder, 'taken');
    t.false(await exchange.take(path, to));
    t.false(existsSync(to));
  }
  const to = join(folder, 'taken-good');
  t.true(await exchange.take(good, to));
  t.is(await readFile(to, 'utf8'), 'fine\n');
  t.is(await readFile(secret, 'utf8'), 'secret');
});

test('nothing that goes into an exchange folder follows or replaces what a program has put there', async (t) => {
  const exchange = await openExchange();
  const from = join(folder, 'picture');
  await writeFile(from, 'pixels');
  const paths = [await exchange.give(from, '.png'), await exchange.lend(from), await exchange.give(from, '.png')];
  t.is(new Set(paths).size, 3);
  for (const path of paths) t.is(await readFile(path, 'utf8'), 'pixels');
  await symlink(from, join(exchange.path, 'profile'));
  await t.throwsAsync(exchange.prepare('profile/settings', 'x'));
  t.is(await readFile(from, 'utf8'), 'pixels');
  await exchange.dispose();
  t.true((await stat(from)).isFile());
});

sandboxed('a program and all it has started end with the process, and with the call that stops it', async (t) => {
  const exchange = await openExchange();
  const tool = startTool({ file: '/bin/sh', args: ['-c', 'sleep 600 & echo started; wait'], cwd: exchange.path });
  await tool.stdout.take(1).toArray();
  const family = descendants(tool.pid ?? 0);
  t.true(family.length >= 2, family.join());
  await tool.stop({ force: true });
  await t.notThrowsAsync(waitFor(() => family.every((pid) => !isAlive(pid)), { description: 'the family to end', limitMs: 20_000 }));
});

const descendants = (pid: number): number[] => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
};
const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ');

sandboxed('a launcher puts its program into the same sandbox', async (t) => {
  const exchange = await openExchange();
  const launcher = join(folder, 'launcher');
  await writeLauncher(launcher, { file: '/bin/cat', args: ['/etc/hostname'], cwd: exchange.path });
  const { spawnSync } = await import('node:child_process');
  const { status, stderr } = spawnSync(launcher);
  t.not(status, 0);
  t.regex(stderr.toString(), /No such file/);
});
