// The table "Watch folders" of the specification, and what is checked of these folders at start.
import { mkdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError, loadConfig } from '@sheaf/config';
import test from 'ava';
import { openConfiguration, type VariableRow } from '../support/configuration.ts';

const { folder, load } = openConfiguration();

const ROWS: readonly VariableRow[] = [
  {
    name: 'WATCH_FOLDER',
    read: ({ watch }) => watch.folder,
    byDefault: join(folder, 'watch'),
    given: [join(folder, 'in'), join(folder, 'in')],
  },
  {
    name: 'WATCH_INTERVAL_SECONDS',
    read: ({ watch }) => watch.intervalMs,
    byDefault: 60_000,
    given: ['30', 30_000],
  },
  {
    name: 'FILE_STABILITY_CHECK_MS',
    read: ({ watch }) => watch.stabilityMs,
    byDefault: 2_000,
    given: ['500', 500],
  },
  {
    name: 'MAX_FILE_AGE_HOURS',
    read: ({ watch }) => watch.maxAgeMs,
    byDefault: 24 * 3_600_000,
    given: ['1', 3_600_000],
  },
  { name: 'WATCH_RECURSIVE', read: ({ watch }) => watch.recursive, byDefault: true, given: ['false', false] },
  {
    name: 'WATCH_FILE_PATTERNS',
    read: ({ watch }) => watch.patterns.join(),
    byDefault: '*',
    given: ['*.pdf,*.txt', '*.pdf,*.txt'],
  },
  {
    name: 'WATCH_IGNORE_PATTERNS',
    read: ({ watch }) => watch.ignorePatterns.join(),
    byDefault: '.*,~*,*.tmp',
    given: ['*.bak', '*.bak'],
  },
  { name: 'ENABLE_PER_USER_WATCH', read: ({ watch }) => watch.perUser.enabled, byDefault: false, given: ['true', true] },
  {
    name: 'USER_WATCH_BASE_DIR',
    read: ({ watch }) => watch.perUser.baseFolder,
    byDefault: resolve('user_watch'),
    given: [join(folder, 'people'), join(folder, 'people')],
  },
  { name: 'MOVE_AFTER_PROCESSING', read: ({ watch }) => watch.processed.enabled, byDefault: false, given: ['true', true] },
  {
    name: 'PROCESSED_FILES_DIR',
    read: ({ watch }) => watch.processed.folder,
    byDefault: resolve('processed'),
    given: [join(folder, 'done'), join(folder, 'done')],
  },
];

for (const { name, read, byDefault, given } of ROWS)
  test(`Watch folders: ${name}`, (t) => {
    t.deepEqual(read(load()), byDefault, 'by default');
    t.deepEqual(read(load({ [name]: given[0] })), given[1], 'when set');
  });

test('Watch folders: with nothing set the service starts', (t) => {
  t.is(loadConfig({ environment: { DATA_PATH: join(folder, 'data') } }).config.watch.folder, resolve('watch'));
});

/** What is refused, by the variable that is named, and with words that the remedy is in. */
const refusals = (environment: Record<string, string>): string[] => {
  try {
    load(environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues.map(({ variable, message }) =>
      message.endsWith('choose a separate folder') ? variable : `${variable} ${message}`,
    );
  }
};

const at = (path: string): string => join(folder, path);
const BESIDE = { WATCH_FOLDER: at('watch'), USER_WATCH_BASE_DIR: at('people'), PROCESSED_FILES_DIR: at('done') };
type Watched = keyof typeof BESIDE;

/** [rule, the variable that is refused, its value, what else is set] */
const REFUSED: readonly (readonly [string, Watched, string, Record<string, string>?])[] = [
  ['USER_WATCH_BASE_DIR must not equal UPLOAD_PATH', 'USER_WATCH_BASE_DIR', 'uploads'],
  ['USER_WATCH_BASE_DIR must not equal WATCH_FOLDER', 'USER_WATCH_BASE_DIR', 'watch'],
  ['USER_WATCH_BASE_DIR must not be inside UPLOAD_PATH', 'USER_WATCH_BASE_DIR', 'uploads/people'],
  ['USER_WATCH_BASE_DIR must not contain UPLOAD_PATH', 'USER_WATCH_BASE_DIR', 'deep', { UPLOAD_PATH: at('deep/uploads') }],
  ['UPLOAD_PATH and WATCH_FOLDER must not be the same directory', 'WATCH_FOLDER', 'uploads'],
  ['WATCH_FOLDER must not be inside UPLOAD_PATH', 'WATCH_FOLDER', 'uploads/in'],
  ['WATCH_FOLDER must not contain UPLOAD_PATH', 'WATCH_FOLDER', 'deep', { UPLOAD_PATH: at('deep/uploads') }],
  ['USER_WATCH_BASE_DIR must not be inside WATCH_FOLDER', 'USER_WATCH_BASE_DIR', 'watch/people'],
  ['USER_WATCH_BASE_DIR must not contain WATCH_FOLDER', 'USER_WATCH_BASE_DIR', 'deep', { WATCH_FOLDER: at('deep/watch') }],
  ['PROCESSED_FILES_DIR must not equal WATCH_FOLDER', 'PROCESSED_FILES_DIR', 'watch'],
  ['PROCESSED_FILES_DIR must not contain WATCH_FOLDER', 'PROCESSED_FILES_DIR', 'deep', { WATCH_FOLDER: at('deep/watch') }],
  ['PROCESSED_FILES_DIR must not equal UPLOAD_PATH', 'PROCESSED_FILES_DIR', 'uploads'],
  ['PROCESSED_FILES_DIR must not be inside UPLOAD_PATH', 'PROCESSED_FILES_DIR', 'uploads/done'],
  ['PROCESSED_FILES_DIR must not contain UPLOAD_PATH', 'PROCESSED_FILES_DIR', 'deep', { UPLOAD_PATH: at('deep/uploads') }],
  ['PROCESSED_FILES_DIR must not equal USER_WATCH_BASE_DIR', 'PROCESSED_FILES_DIR', 'people'],
  ['PROCESSED_FILES_DIR must not be inside USER_WATCH_BASE_DIR', 'PROCESSED_FILES_DIR', 'people/done'],
  ['PROCESSED_FILES_DIR must not contain USER_WATCH_BASE_DIR', 'PROCESSED_FILES_DIR', 'deep', { USER_WATCH_BASE_DIR: at('deep/people') }],
  ...(Object.keys(BESIDE) as Watched[]).flatMap((name): (typeof REFUSED)[number][] => [
    [`${name} must not equal TEMP_STORAGE_PATH`, name, 'temp', { TEMP_STORAGE_PATH: at('temp') }],
    [`${name} must not be inside TEMP_STORAGE_PATH`, name, 'temp/in', { TEMP_STORAGE_PATH: at('temp') }],
    [`${name} must not contain TEMP_STORAGE_PATH`, name, 'deep', { TEMP_STORAGE_PATH: at('deep/temp') }],
    [`${name} must not equal THUMBNAIL_PATH`, name, 'thumbs', { THUMBNAIL_PATH: at('thumbs') }],
    [`${name} must not be inside THUMBNAIL_PATH`, name, 'thumbs/in', { THUMBNAIL_PATH: at('thumbs') }],
    [`${name} must not contain THUMBNAIL_PATH`, name, 'deep', { THUMBNAIL_PATH: at('deep/thumbs') }],
    [`${name} must not equal DATA_PATH`, name, 'data'],
    [`${name} must not contain DATA_PATH`, name, 'deep', { DATA_PATH: at('deep/data') }],
    [`${name} must not equal the folder of the database`, name, 'data/postgres'],
    [`${name} must not be inside the folder of the database`, name, 'data/postgres/in'],
  ]),
];

for (const [rule, name, path, beside = {}] of REFUSED)
  test(`start-up: ${rule}, also through slashes, dots and links`, (t) => {
    const spellings = [at(path), `${at(path)}//`, `${folder}/./elsewhere/../${path}/`, relativeTo(at(path)), linkTo(t.title, at(path))];
    for (const spelling of spellings) t.deepEqual(refusals({ ...BESIDE, ...beside, [name]: spelling }), [name], spelling);
  });

const relativeTo = (path: string): string => `${'../'.repeat(resolve('.').split('/').length)}${path}`;

/** A link, through another one, to what may not exist yet. */
const linkTo = (title: string, path: string): string => {
  const links = join(folder, `links-${title.replaceAll(/\W/g, '')}`);
  mkdirSync(links);
  symlinkSync('second/', join(links, 'first'));
  symlinkSync(path, join(links, 'second'));
  return join(links, 'first');
};

test('start-up: folders beside each other are well, also when their names begin alike or they lie inside DATA_PATH', (t) => {
  t.deepEqual(refusals(BESIDE), []);
  t.deepEqual(refusals({ ...BESIDE, WATCH_FOLDER: at('uploads2'), USER_WATCH_BASE_DIR: at('uploads2-people') }), []);
  t.deepEqual(refusals({ ...BESIDE, PROCESSED_FILES_DIR: at('watch/processed') }), [], 'inside the watch folder it is left out');
  const inData = Object.fromEntries(Object.keys(BESIDE).map((name) => [name, at(`data/${name}`)]));
  t.deepEqual(refusals({ ...inData, UPLOAD_PATH: at('data/uploads') }), []);
});

test('start-up: the root of the file system contains every folder', (t) => {
  for (const name of Object.keys(BESIDE)) t.true(refusals({ ...BESIDE, [name]: '/' }).includes(name), name);
});

test('start-up: links that lead in a circle end in a refusal or a start, not in a loop', (t) => {
  symlinkSync(at('circle-b'), at('circle-a'));
  symlinkSync(at('circle-a'), at('circle-b'));
  t.regex(refusals({ ...BESIDE, WATCH_FOLDER: at('circle-a') }).join(), /^WATCH_FOLDER cannot be used[^,]*\(ELOOP\)/);
});

test('start-up: the default of a folder whose feature is off takes no part, until it is on', (t) => {
  const around = { UPLOAD_PATH: resolve('.'), TEMP_STORAGE_PATH: at('temp') };
  t.deepEqual(refusals({ ...around, DATA_PATH: at('data') }), []);
  t.deepEqual(refusals({ ...around, ENABLE_PER_USER_WATCH: 'true' }), ['USER_WATCH_BASE_DIR']);
  t.deepEqual(refusals({ ...around, MOVE_AFTER_PROCESSING: 'true' }), ['PROCESSED_FILES_DIR']);
  t.deepEqual(refusals({ ...around, USER_WATCH_BASE_DIR: './user_watch', PROCESSED_FILES_DIR: './processed' }), [
    'USER_WATCH_BASE_DIR',
    'PROCESSED_FILES_DIR',
  ]);
});
