import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, checkConfig, findFolderFailure, VARIABLES, type VariableName } from '@sheaf/config';
import test from 'ava';
import { openConfiguration } from '../../support/configuration.ts';

const { folder, load } = openConfiguration();

const SWITCHES: Partial<Record<VariableName, Readonly<Record<string, string>>>> = {
  USER_WATCH_BASE_DIR: { ENABLE_PER_USER_WATCH: 'true' },
  PROCESSED_FILES_DIR: { MOVE_AFTER_PROCESSING: 'true' },
};
const NAMES = Object.keys(VARIABLES) as VariableName[];
const OWN = NAMES.filter((name) => ['own', 'watched'].includes(VARIABLES[name].folderUse ?? ''));
const OF_OTHERS = NAMES.filter((name) => VARIABLES[name].folderUse === 'others');

const place = (name: string): string => join(folder, 'places', name);
test.before(() => {
  mkdirSync(place(''), { recursive: true });
  writeFileSync(place('file'), 'x');
  symlinkSync(place('nowhere'), place('dangling'));
  mkdirSync(place('folder'));
  symlinkSync(place('folder'), place('link'));
});

const issuesOf = (environment: Record<string, string>) => {
  try {
    load(environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues;
  }
};

test('every variable that names a folder is declared as one', (t) => {
  t.deepEqual(
    NAMES.filter((name) => /_(PATH|DIR|FOLDER|ROOTS)$/.test(name) && !/_CHECK_PATH$|^METRICS_PATH$/.test(name)).toSorted(),
    [...OWN, ...OF_OTHERS].toSorted(),
  );
});

for (const variable of OWN) {
  const switchedOn = SWITCHES[variable] ?? {};
  test(`a ${variable} that cannot be made or is no folder is refused by its name, with what the system says`, (t) => {
    const cases: readonly (readonly [path: string, message: RegExp])[] = [
      [place('file'), /^cannot be a folder: .*file is not a folder; .*choose another folder/],
      [place('file/below/it'), /^cannot be a folder: .*file is not a folder; .*choose another folder/],
      [place('dangling'), /^cannot be used as a folder: .*dangling.*\(ENOENT\); choose another folder/],
      ['/dev/null', /^cannot be a folder: \/dev\/null is not a folder/],
      ['/proc/x', /^cannot be used as a folder: \/proc\/x: .*\(E[A-Z]+\); choose another folder/],
      ['/proc/x/y', /^cannot be used as a folder: \/proc\/x\/y: .*\(E[A-Z]+\); choose another folder/],
    ];
    for (const [path, message] of cases) {
      const issues = issuesOf({ ...switchedOn, [variable]: path });
      t.deepEqual(
        issues.map((issue) => issue.variable),
        [variable],
        path,
      );
      t.regex(issues[0]?.message ?? '', message);
    }
  });

  test(`a ${variable} that is there, is linked to, or can be made is good, and nothing is left there`, (t) => {
    for (const name of ['folder', 'link', 'new/deep/one'])
      t.deepEqual(checkConfig({ environment: { DATA_PATH: place('data'), ...switchedOn, [variable]: place(name) } }).issues, [], name);
    t.false(readdirSync(place('')).includes('new'));
    t.deepEqual(
      readdirSync(place('folder')).filter((name) => name.startsWith('.sheaf-test-')),
      [],
    );
  });
}

test('a folder that is not set is told by its own variable where it cannot be made', (t) => {
  mkdirSync(place('uploads'));
  writeFileSync(place('uploads/temp'), 'x');
  t.deepEqual(
    issuesOf({ UPLOAD_PATH: place('uploads') }).map(({ variable }) => variable),
    ['TEMP_STORAGE_PATH'],
  );
});

test('a folder of others is not made: a file there is refused, and one that is missing noted', (t) => {
  for (const variable of OF_OTHERS) {
    t.deepEqual(
      issuesOf({ [variable]: place('file') }).map((issue) => issue.variable),
      [variable],
    );
    const { issues, notices } = checkConfig({ environment: { DATA_PATH: place('data'), [variable]: '/mnt/not-mounted' } });
    t.deepEqual(issues, []);
    t.deepEqual(notices, [`${variable}: the folder /mnt/not-mounted does not exist`]);
  }
});

test('a folder of what is disabled may be anything', (t) => {
  t.notThrows(() =>
    load({
      USER_WATCH_BASE_DIR: place('file/a'),
      PROCESSED_FILES_DIR: place('file/b'),
      LOCAL_SOURCE_ROOTS: place('file'),
      FEATURE_SOURCES: 'false',
    }),
  );
});

test('below a supervisor, which has looked before, a disk that went does not end the process', (t) => {
  t.notThrows(() => load({ UPLOAD_PATH: place('file/a'), WATCH_FOLDER: place('file/b'), SUPERVISOR_PROBE_PORT: '9099' }));
});

test('what fails in a folder later is told by the variable of the folder, the nearest one', async (t) => {
  const { raw } = checkConfig({ environment: { UPLOAD_PATH: place('uploads'), TEMP_STORAGE_PATH: place('file/temp') } });
  const error = await t.throwsAsync(mkdir(place('file/temp')));
  const found = findFolderFailure(new Error('not started', { cause: error }), raw);
  t.like(found, { variable: 'TEMP_STORAGE_PATH', path: place('file/temp'), reason: 'not a directory (ENOTDIR)' });
  t.is(findFolderFailure(await t.throwsAsync(mkdir('/proc/elsewhere')), raw), undefined);
  t.is(findFolderFailure(new Error('another'), raw), undefined);
});
