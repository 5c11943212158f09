import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VARIABLES } from '@sheaf/config/testing';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import test from 'ava';
import { testWhere } from '../../support/conditional-test.ts';
import { graceSeconds, overallStopSeconds, procfileEntries } from '../../support/stop-time.ts';
import { commandOf, INSTALLED_AT, readUnits, type Unit, unitEnvironment } from '../../support/systemd-units.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDER = join(ROOT, 'deploy/systemd');
const ANALYZE = '/usr/bin/systemd-analyze';
const units = readUnits();
const services = [...units.values()].filter(({ name }) => name.endsWith('.service'));
const lasting = services.filter((unit) => unit.values('Service.Type')[0] !== 'oneshot');
const unit = (name: string): Unit => units.get(name) ?? { name, values: () => [] };
const perProcess = procfileEntries().map(({ name, command }) => ({
  command,
  unit: unit(name === 'ocr-worker' ? 'sheaf-ocr-worker@.service' : `sheaf-${name}.service`),
}));

test('the units start what the Procfile starts, with the same flags, each program there and executable', (t) => {
  t.deepEqual(
    [...units.keys()].toSorted(),
    [...perProcess.map((entry) => entry.unit.name), 'sheaf-migrate.service', 'sheaf.service', 'sheaf.target'].toSorted(),
  );
  for (const { command, unit: own } of perProcess)
    t.is(own.values('Service.ExecStart')[0], [`${INSTALLED_AT}/bin/sheaf-node`, ...command.slice(1)].join(' '), own.name);
  for (const service of services) {
    const [program = '', ...args] = commandOf(service, ROOT);
    t.notThrows(() => accessSync(program, constants.X_OK), `${service.name}: ${program}`);
    for (const path of args.filter((word) => word.endsWith('.ts'))) t.true(existsSync(join(ROOT, path)), `${service.name}: ${path}`);
    t.deepEqual(service.values('Service.WorkingDirectory'), [INSTALLED_AT]);
  }
});

test('a unit is started again when it fails, but not after an exit that no restart changes', (t) => {
  for (const service of lasting) {
    t.deepEqual(service.values('Service.Restart'), ['on-failure'], service.name);
    t.deepEqual(service.values('Service.RestartPreventExitStatus'), [`${EXIT.usage} ${EXIT.configuration}`], service.name);
    t.deepEqual(service.values('Service.OOMPolicy'), ['continue'], service.name);
  }
});

test('a unit that is stopped asks its first process alone, and gives it the time that it may take', (t) => {
  for (const service of lasting) {
    const least = service.name === 'sheaf.service' ? overallStopSeconds() : graceSeconds();
    t.deepEqual(service.values('Service.KillMode'), ['mixed'], service.name);
    t.true(Number(service.values('Service.TimeoutStopSec')[0]) > least, service.name);
  }
});

test('the units of the processes wait for the schema and belong to the target; the one unit and the target exclude each other', (t) => {
  for (const { unit: own } of perProcess) {
    t.deepEqual(own.values('Unit.Requires'), ['sheaf-migrate.service'], own.name);
    t.true(own.values('Unit.After')[0]?.split(' ').includes('sheaf-migrate.service'), own.name);
  }
  for (const own of [...perProcess.map((entry) => entry.unit), unit('sheaf-migrate.service')])
    t.deepEqual(own.values('Unit.PartOf'), ['sheaf.target'], own.name);
  const wanted = unit('sheaf.target').values('Unit.Wants').join(' ').split(' ');
  t.deepEqual(
    wanted,
    perProcess.map((entry) => entry.unit.name.replace('@', '@0')),
  );
  t.deepEqual(unit('sheaf.target').values('Unit.Conflicts'), ['sheaf.service']);
  t.deepEqual(unit('sheaf.service').values('Unit.Conflicts'), ['sheaf.target']);
});

test('the variables of the units are those of the service, and what they write to may be written', (t) => {
  const named = services.flatMap((service) => service.values('Service.Environment').map((pair) => pair.split('=')[0] ?? ''));
  const { NODE_COMPILE_CACHE: cache, ...own } = unitEnvironment();
  t.is(cache, `${own['DATA_PATH']}/code-cache`);
  for (const name of [...named, ...Object.keys(own)]) t.true(Object.hasOwn(VARIABLES, name), name);
  for (const service of services) {
    const writable = service.values('Service.ReadWritePaths')[0]?.replace('-', '') ?? '';
    t.is(`/var/lib/${service.values('Service.StateDirectory')[0]}`, writable, service.name);
    for (const [name, path] of Object.entries(own)) t.true(path.startsWith(`${writable}/`), name);
    t.deepEqual(service.values('Service.EnvironmentFile'), ['/etc/sheaf/sheaf.env'], service.name);
  }
});

test('the units are shut off as far as the reading of documents allows', (t) => {
  for (const service of services) {
    const is = (setting: string): string | undefined => service.values(`Service.${setting}`)[0];
    t.is(is('User'), 'sheaf');
    t.is(is('NoNewPrivileges'), 'yes');
    t.is(is('ProtectSystem'), 'strict');
    t.is(is('CapabilityBoundingSet'), '');
    t.is(is('PrivateTmp'), 'yes');
    t.is(is('DevicePolicy'), 'closed');
    t.is(is('KeyringMode'), 'private');
    t.is(is('MemoryDenyWriteExecute'), undefined, 'Node compiles what it runs');
  }
});

test('the units let bubblewrap make its sandbox: namespaces, mounts and a /proc of its own', (t) => {
  const needed = ['cgroup', 'ipc', 'mnt', 'net', 'pid', 'user', 'uts'];
  for (const service of services) {
    const is = (setting: string): string | undefined => service.values(`Service.${setting}`)[0];
    t.deepEqual(is('RestrictNamespaces')?.split(' ').toSorted(), needed, service.name);
    t.true(is('RestrictAddressFamilies')?.split(' ').includes('AF_NETLINK'), 'its loopback device is set up by netlink');
    for (const setting of ['ProtectKernelTunables', 'ProtectKernelLogs', 'ProtectProc', 'ProtectHostname', 'PrivateUsers'])
      t.is(is(setting), undefined, setting);
    const filter = is('SystemCallFilter') ?? '';
    t.true(filter.startsWith('~'), 'a list of what is denied');
    // @mount has mount, umount2 and pivot_root, @process clone, unshare and setns, @privileged all of these
    for (const group of ['@mount', '@process', '@privileged', '@sandbox']) t.false(filter.includes(group), group);
    for (const group of ['@module', '@debug', '@keyring', '@reboot', '@raw-io']) t.true(filter.includes(group), group);
  }
});

const testWithSystemd = testWhere(existsSync(ANALYZE), 'systemd-analyze is not installed');

/** As systemd counts it, of 10; what is left is for the network, the namespaces of the sandbox, and code that Node makes. */
const MAX_EXPOSURE = 3.2;

testWithSystemd('systemd counts little exposure for the units', (t) => {
  for (const { name } of services) {
    const { stdout } = spawnSync(ANALYZE, ['security', '--offline=true', '--no-pager', join(FOLDER, name)], { encoding: 'utf8' });
    const exposure = Number(/exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
    t.true(exposure <= MAX_EXPOSURE, `${name}: ${exposure}`);
  }
});

testWithSystemd('systemd has nothing to say against the units', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sheaf-units-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const names = readdirSync(FOLDER).filter((name) => units.has(name));
  for (const name of names) writeFileSync(join(folder, name), readFileSync(join(FOLDER, name), 'utf8').replaceAll(INSTALLED_AT, ROOT));
  const { status, stderr } = spawnSync(ANALYZE, ['verify', '--man=no', ...names.map((name) => join(folder, name))], { encoding: 'utf8' });
  // about units of the machine's own it may grumble
  t.deepEqual(
    stderr.split('\n').filter((line) => line.includes('sheaf')),
    [],
  );
  t.is(status, 0);
});
