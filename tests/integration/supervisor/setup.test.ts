import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import test from 'ava';

const ROOT = join(import.meta.dirname, '../../..');
const REAL_TOOLS = 'awk bash cat cut dirname find flock grep mkdir rm sha256sum sleep sort tail touch uname xargs'.split(' ');

const findTool = (name: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync);

/** A project with nothing in it but its set-up, on a machine that has the programs of `fakes` and no others. */
const givenMachine = async (t: { teardown(fn: () => Promise<void>): void }, fakes: Record<string, string>) => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-setup-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const bin = join(folder, 'machine');
  for (const path of [bin, join(folder, 'apps/a'), join(folder, 'packages/a')]) await mkdir(path, { recursive: true });
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', 'apps/a/package.json', 'packages/a/package.json'])
    await writeFile(join(folder, file), '{}');
  await copyFile(join(ROOT, 'setup'), join(folder, 'setup'));
  for (const name of REAL_TOOLS) {
    const tool = findTool(name);
    if (tool !== undefined) await symlink(tool, join(bin, name));
  }
  for (const [name, script] of Object.entries({ id: 'echo 1000', npx: NPX, ...fakes })) {
    await writeFile(join(bin, name), `#!${findTool('sh')}\necho "${name} $*" >>"${folder}/calls"\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  }
  return {
    folder,
    run: (args: readonly string[] = [], environment: Readonly<Record<string, string>> = {}) => {
      const env = { PATH: bin, ...environment };
      const { status, stdout, stderr } = spawnSync(join(folder, 'setup'), args, { encoding: 'utf8', env, timeout: 120_000 });
      return { status, text: stdout + stderr };
    },
    calls: async () => (existsSync(join(folder, 'calls')) ? await readFile(join(folder, 'calls'), 'utf8') : ''),
  };
};

/** Installs a Node that answers, as pnpm would. */
const NPX = 'mkdir -p node_modules/.bin; printf "#!/bin/sh\\necho 1\\n" >node_modules/.bin/node; /bin/chmod +x node_modules/.bin/node';
const SUDO = { sudo: '[ "$1" = -n ] || exec "$@"', env: 'shift; exec "$@"' };
const ALL_MISSING = { 'dpkg-query': 'exit 1', dpkg: 'exit 0' };

test('what is missing is installed, npm packages once', async (t) => {
  const machine = await givenMachine(t, { ...ALL_MISSING, ...SUDO, 'apt-get': 'exit 0' });
  t.is(machine.run().status, 0);
  t.regex(await machine.calls(), /^apt-get .* install -y --no-install-recommends poppler-utils/m);
  t.is(machine.run().status, 0);
  t.is((await machine.calls()).match(/^npx/gm)?.length, 1);
});

test('without rights the one command that would help is named, and the set-up goes on', async (t) => {
  const machine = await givenMachine(t, { ...ALL_MISSING, 'apt-get': 'exit 100' });
  const { status, text } = machine.run();
  t.is(status, 0);
  t.regex(text, /without root/);
  t.regex(text, /sudo apt-get install --no-install-recommends poppler-utils .*tesseract-ocr-eng bubblewrap/);
  t.notRegex(await machine.calls(), /^apt-get/m);
});

test('a sudo that asks for a password is not waited for where nobody can type one', async (t) => {
  const machine = await givenMachine(t, { ...ALL_MISSING, 'apt-get': 'exit 100', sudo: 'exit 1' });
  const { status, text } = machine.run();
  t.is(status, 0);
  t.regex(text, /without root/);
  t.regex(await machine.calls(), /^sudo -n true$/m);
});

/** As the packages are there, and only languages are missing. */
const ALL_THERE = { 'dpkg-query': 'for name in "$@"; do echo "$name installed"; done' };
const NO_DATA = { OCR_ENGINE_DATA_PATH: '/nonexistent' };

test('languages are installed that are asked for, that the setting names, and that of the locale; each once, and no English', async (t) => {
  const machine = await givenMachine(t, { ...ALL_THERE, ...SUDO, 'apt-get': 'exit 0', dpkg: 'exit 0' });
  const { status, text } = machine.run(['--languages', 'xaa,eng,x_bb'], { ...NO_DATA, OCR_LANGUAGE: 'auto:xcc,xaa', LANG: 'zz_ZZ.UTF-8' });
  t.is(status, 0, text);
  const installed = [...(await machine.calls()).matchAll(/^apt-get .* install .* (tesseract-ocr-\S+)$/gm)].map(([, name]) => name);
  t.deepEqual(installed, ['tesseract-ocr-xaa', 'tesseract-ocr-x-bb', 'tesseract-ocr-xcc']);
  const wrong = machine.run(['--languages', '$(touch x),../a,ab']);
  t.is(wrong.status, 0);
  t.false(existsSync(join(machine.folder, 'x')));
  t.is(machine.run(['--nothing']).status, 2);
});

test('a language that cannot be installed from Debian is had from npm, and where that fails as well it is named, once an hour', async (t) => {
  const npm = await givenMachine(t, { ...ALL_THERE, ...SUDO, dpkg: 'exit 0', 'apt-get': 'exit 100', npm: 'exit 0' });
  t.is(npm.run(['--languages', 'xaa'], NO_DATA).status, 0);
  t.regex(await npm.calls(), /^npm install --prefix \.setup\/languages .*@tesseract\.js-data\/xaa@1\.0\.0$/m);
  const nowhere = await givenMachine(t, { ...ALL_THERE, ...SUDO, dpkg: 'exit 0', 'apt-get': 'exit 100', npm: 'exit 1' });
  t.regex(nowhere.run(['--languages=xaa'], NO_DATA).text, /OCR language xaa could not be installed.*tesseract-ocr-xaa/);
  t.is(nowhere.run(['--languages=xaa'], NO_DATA).status, 0);
  t.is((await nowhere.calls()).match(/^npm install/gm)?.length, 1);
});

const AS_ROOT = '[ "$*" != -u ] || { echo 0; exit 0; }; exit 1';

test('as root, one OS user is made for the database and one for the programs that open documents', async (t) => {
  const machine = await givenMachine(t, { id: AS_ROOT, useradd: 'exit 0' });
  t.is(machine.run().status, 0);
  const made = (await machine.calls()).match(/^useradd .*$/gm) ?? [];
  t.deepEqual(
    made.map((call) => call.split(' ').at(-1)),
    ['sheaf-postgres', 'sheaf-parser'],
  );
  for (const call of made) t.regex(call, /--system --user-group --no-create-home .*nologin/);
});

test('an OS user that cannot be made is named with what follows from it, and the set-up goes on', async (t) => {
  const { status, text } = (await givenMachine(t, { id: AS_ROOT, useradd: 'exit 1' })).run();
  t.is(status, 0);
  t.regex(text, /OS user sheaf-postgres; without it the embedded database cannot start/);
  t.regex(text, /OS user sheaf-parser; without it document processing programs run as root/);
});

test('where there is no apt-get each missing program is named', async (t) => {
  const { status, text } = (await givenMachine(t, {})).run();
  t.is(status, 0);
  for (const tool of ['pdftotext', 'soffice', 'tesseract', 'bwrap']) t.true(text.includes(`'${tool}' is missing`), tool);
});

test('an apt-get that failed is not tried again within the hour', async (t) => {
  const machine = await givenMachine(t, { ...ALL_MISSING, ...SUDO, 'apt-get': 'exit 100' });
  t.regex(machine.run().text, /apt-get failed/);
  t.regex(machine.run().text, /failed within the last hour/);
  t.is((await machine.calls()).match(/^apt-get.* update$/gm)?.length, 1);
});

test('npm packages that cannot be installed end the set-up with the reason', async (t) => {
  const { status, text } = (await givenMachine(t, { npx: 'echo the registry is away >&2; exit 1' })).run();
  t.is(status, 1);
  t.regex(text, /the registry is away/);
  t.regex(text, /npm packages could not be installed/);
});

test('an installation that was cut short and does not run is made anew', async (t) => {
  const broken = `[ -e second ] || { touch second; mkdir -p node_modules/.bin; exit 0; }; ${NPX}`;
  const machine = await givenMachine(t, { npx: broken });
  const { status, text } = machine.run();
  t.is(status, 0);
  t.regex(text, /reinstalling all packages/);
  t.is((await machine.calls()).match(/^npx/gm)?.length, 2);
});

test('the web client is built anew where anything that it consists of has changed', async (t) => {
  const machine = await givenMachine(t, { ...SUDO, ...ALL_MISSING, 'apt-get': 'exit 0' });
  const sources = ['apps/web/page.ts', 'packages/contract/body.ts', 'packages/messages/en.json', 'packages/vocabulary/words.ts'];
  for (const path of [...sources, 'apps/web/dist/index.html']) {
    await mkdir(join(machine.folder, dirname(path)), { recursive: true });
    await writeFile(join(machine.folder, path), 'before');
  }
  const isBuilt = (): boolean => machine.run().text.includes('building the web client');
  t.true(isBuilt());
  t.false(isBuilt());
  for (const path of sources) {
    await writeFile(join(machine.folder, path), 'after');
    t.true(isBuilt(), path);
    t.false(isBuilt(), path);
  }
});
