import { execFile } from 'node:child_process';
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ApiClient } from '@sheaf/testkit';
import test from 'ava';
import { parseDockerfile, type Stage } from '../support/dockerfile.ts';
import { freePort } from '../support/free-port.ts';
import { StartedProgram } from '../support/started-program.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

const textsOf = (stage: Stage, word: string): string[] =>
  stage.instructions.filter((instruction) => instruction.word === word).map(({ text }) => text);

/** An account of every Debian, where the tests run as root: the image does not run as root either. */
const NOBODY = 65_534;
const asOther = process.getuid?.() === 0 ? NOBODY : undefined;

const copySources = async (app: string, sources: Stage): Promise<void> => {
  const ignored = (await readFile(join(ROOT, '.dockerignore'), 'utf8')).split('\n').filter((line) => /^\w/.test(line));
  const left = ignored.map((path) => join(ROOT, path));
  for (const copy of textsOf(sources, 'COPY').filter((text) => !text.startsWith('--from=')))
    for (const path of copy.split(' ').slice(0, -1))
      await cp(join(ROOT, path), join(app, path), {
        recursive: true,
        filter: (source) => !source.endsWith('/node_modules') && !left.includes(source),
      });
};

/** What a stage makes of the files that it or the stage below it copies, by its own commands; packages come from the local store. */
const runStage = async (app: string, stages: readonly Stage[], name: string): Promise<void> => {
  const find = (wanted: string): Stage => stages.find((stage) => stage.name === wanted) as Stage;
  const stage = find(name);
  for (const copying of [find(stage.from), stage]) await copySources(app, copying);
  const PATH = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
  for (const command of textsOf(stage, 'RUN'))
    await run('/bin/sh', ['-c', command], { cwd: app, env: { ...process.env, PATH }, maxBuffer: 16 * 1024 * 1024 });
};

const PACKAGES_OF_BUILDS = /^(vite|react|@mantine|@tabler|rolldown|typescript|ava|playwright)/;

test("the image's files with the packages for running alone start the whole service, as an ordinary user, and answer the health check", async (t) => {
  t.timeout(3 * 360_000);
  const stages = parseDockerfile(await readFile(join(ROOT, 'Dockerfile'), 'utf8'));
  const runtime = stages.at(-1) as Stage;
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-image-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  const [app, web, docs] = [join(folder, 'app'), join(folder, 'web'), join(folder, 'docs')];
  await runStage(web, stages, 'web');
  await runStage(docs, stages, 'docs');
  await runStage(app, stages, 'build');
  await cp(join(web, 'apps/web/dist'), join(app, 'apps/web/dist'), { recursive: true });
  await cp(join(docs, 'docs/.vitepress/dist'), join(app, 'docs/.vitepress/dist'), { recursive: true });
  t.deepEqual(
    (await readdir(join(app, 'node_modules/.pnpm'))).filter((name) => PACKAGES_OF_BUILDS.test(name)),
    [],
    'the packages of builds and tests are not in the image',
  );

  const node = join(folder, 'bin'); // the image has its Node on PATH and no other
  await mkdir(node);
  await symlink(process.execPath, join(node, 'node'));
  const env: Record<string, string> = { PATH: `${node}:/usr/bin:/bin`, EMBEDDED_POSTGRES_PORT: '0', PROBE_PORT_BASE: '0' };
  for (const [, name = '', path = ''] of textsOf(runtime, 'ENV')
    .join(' ')
    .matchAll(/(\w+)=(\S+)/g)) {
    env[name] = join(folder, path);
    const volume = join(folder, path.split('/')[1] ?? '');
    await mkdir(volume, { recursive: true });
    if (asOther !== undefined) await chown(volume, asOther, asOther);
  }
  const port = await freePort();
  env['SERVER_ADDRESS'] = `127.0.0.1:${port}`;
  env['ALLOWED_FILE_TYPES'] = 'txt';

  const [, , entry = ''] = JSON.parse(textsOf(runtime, 'ENTRYPOINT')[0] ?? '[]') as string[];
  const start = (command: readonly string[]) => new StartedProgram({ command, cwd: app, env, uid: asOther });
  await using service = start([join(app, entry), ...(JSON.parse(textsOf(runtime, 'CMD')[0] ?? '[]') as string[])]);
  await service.says(/Sheaf listens on/, 120_000);

  const [, check = '[]'] = / CMD (.+)$/.exec(textsOf(runtime, 'HEALTHCHECK')[0] ?? '') ?? [];
  const [program = '', ...args] = JSON.parse(check) as string[];
  const checked = start([join(app, program), ...args]);
  t.is(await checked.ended(), 0, checked.output);

  const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: 'text/html' } });
  t.regex(await page.text(), /<script type="module"/, 'the web client is in the image');
  const documentation = await fetch(`http://127.0.0.1:${port}/docs/install/container.html`);
  t.is(documentation.status, 200, 'the documentation is in the image');

  const admin = await new ApiClient(`http://127.0.0.1:${port}`).register('admin');
  const { body } = await admin.upload({ name: 'letter.txt', bytes: new TextEncoder().encode('a letter about cornflowers') });
  t.is((await admin.waitForEnd(String(body['id']))).status, 'completed');
  t.is(await service.stop(), 0, service.output);
  t.is(await start([join(app, program), ...args]).ended(), 1, 'the health check fails once nothing answers');
});
