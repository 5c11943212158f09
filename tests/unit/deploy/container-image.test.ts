import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VARIABLES } from '@sheaf/config/testing';
import test from 'ava';
import { parse } from 'yaml';
import { parseDockerfile, type Stage } from '../../support/dockerfile.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const stages = parseDockerfile(read('Dockerfile'));
const last = stages.at(-1) as Stage;
const of = (stage: Stage, word: string): string[] =>
  stage.instructions.filter((instruction) => instruction.word === word).map(({ text }) => text);
const runs = stages.flatMap((stage) => of(stage, 'RUN'));
const environment = Object.fromEntries(
  of(last, 'ENV')
    .join(' ')
    .split(/\s+/)
    .map((pair) => pair.split('=') as [string, string]),
);

/** The words of an array in the set-up script. */
const setupList = (name: string): string[] =>
  new RegExp(`^${name}=\\(([^)]*)\\)`, 'm')
    .exec(read('setup'))?.[1]
    ?.split(/\s+/)
    .filter((word) => word !== '') ?? [];

test('every stage of the image is used by a later one, and starts from Node as the tree pins it', (t) => {
  const catalog = (parse(read('pnpm-workspace.yaml')) as { catalog: Record<string, string> }).catalog;
  t.is(stages[0]?.from, `node:${catalog['node']}-bookworm-slim`);
  for (const { name } of stages.slice(0, -1)) {
    const users = stages.filter((stage) => stage.from === name || of(stage, 'COPY').some((copy) => copy.startsWith(`--from=${name} `)));
    t.true(users.length > 0, `${name} is used`);
  }
});

test('what the image copies is in the tree, and the builder gets it', (t) => {
  const sources = stages.flatMap((stage) =>
    of(stage, 'COPY')
      .filter((copy) => !copy.startsWith('--from'))
      .flatMap((copy) => copy.split(' ').slice(0, -1)),
  );
  const ignored = read('.dockerignore').split('\n');
  t.true(ignored.includes('*'), 'nothing goes to the builder that is not named');
  for (const source of sources) {
    t.true(existsSync(join(ROOT, source)), source);
    t.true(ignored.includes(`!${source}`), `.dockerignore lets ${source} through`);
  }
  for (const line of ignored.filter((text) => text.startsWith('!'))) t.true(sources.includes(line.slice(1)), `${line} is needed`);
});

test('the image takes the npm packages of the lockfile with the pnpm of the set-up, and the system packages of the set-up', (t) => {
  const pnpm = /readonly PNPM=(\S+)/.exec(read('setup'))?.[1];
  const calls = runs.filter((run) => run.includes('pnpm'));
  for (const call of calls) t.true(call.startsWith(`npx --yes ${pnpm} `), call);
  const installs = calls.filter((call) => call.includes(' install '));
  t.deepEqual(
    installs.map((call) => call.replace(/^.* install /, '')),
    [
      '--prod --frozen-lockfile --offline --filter @sheaf/web...',
      '--dev --frozen-lockfile --filter sheaf',
      '--prod --frozen-lockfile --offline --filter !@sheaf/web',
    ],
    'the packages of the lockfile alone, those of the web client and of the documentation for their builds only',
  );

  const install = runs.find((run) => run.includes('apt-get install')) ?? '';
  const names =
    install
      .replace(/\$\(.*\) /, '')
      .split('&&')[1]
      ?.trim()
      .split(/\s+/)
      .filter((word) => !word.startsWith('-'))
      .slice(2) ?? [];
  t.deepEqual(names.toSorted(), [...setupList('packages'), 'tini'].toSorted());
});

test('the image runs as an ordinary user with a fixed number who owns the volumes and nothing of the programs', (t) => {
  t.deepEqual(of(last, 'USER'), ['sheaf']);
  t.true(last.instructions.findIndex(({ word }) => word === 'USER') > last.instructions.findLastIndex(({ word }) => word === 'COPY'));
  const uid = /^SHEAF_UID=(\d+)$/.exec(of(last, 'ARG').find((arg) => arg.startsWith('SHEAF_UID')) ?? '')?.[1];
  t.true(Number(uid) >= 10_000, 'a number that no host has given away');
  t.true(runs.some((run) => run.includes('useradd') && run.includes('--uid "$SHEAF_UID"')));
  const volumes = JSON.parse(of(last, 'VOLUME')[0] ?? '[]') as string[];
  const made = / install -d -o sheaf -g sheaf (.+)$/.exec(runs.find((run) => run.includes('useradd')) ?? '')?.[1]?.split(' ');
  t.deepEqual(made, volumes);
  t.false(
    of(last, 'COPY').some((copy) => copy.includes('--chown')),
    'the programs are not his',
  );
});

test('the variables of the image are those of the service, each folder is a volume, and none is a secret', (t) => {
  const volumes = JSON.parse(of(last, 'VOLUME')[0] ?? '[]') as string[];
  const { NODE_COMPILE_CACHE: cache, ...own } = environment;
  t.is(cache, `${own['DATA_PATH']}/code-cache`);
  for (const [name, value] of Object.entries(own)) {
    t.true(Object.hasOwn(VARIABLES, name), name);
    t.not(VARIABLES[name as keyof typeof VARIABLES].type, 'secret', name);
    t.true(volumes.includes(value), `${name} is in a volume`);
  }
  t.is(volumes.length, Object.keys(own).length);
});

test('the first process of the container hands signals on and buries what others leave, and the health check asks the service', (t) => {
  t.deepEqual(JSON.parse(of(last, 'ENTRYPOINT')[0] ?? ''), ['/usr/bin/tini', '--', 'bin/sheaf']);
  t.deepEqual(JSON.parse(of(last, 'CMD')[0] ?? ''), ['start']);
  t.deepEqual(of(last, 'STOPSIGNAL'), ['SIGTERM']);
  const [, check = ''] = / CMD (.+)$/.exec(of(last, 'HEALTHCHECK')[0] ?? '') ?? [];
  for (const word of JSON.parse(check) as string[]) t.true(existsSync(join(ROOT, word)), word);
  t.deepEqual(of(last, 'EXPOSE'), [VARIABLES.SERVER_PORT.default]);
});
