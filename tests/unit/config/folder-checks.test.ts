import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@sheaf/config';
import test from 'ava';
import { openConfiguration } from '../../support/configuration.ts';

const { folder, load } = openConfiguration();

const OFF: Readonly<Record<string, string>> = {};
const FOLDERS: readonly (readonly [variable: string, switchedOn: Readonly<Record<string, string>>])[] = [
  ['UPLOAD_PATH', OFF],
  ['TEMP_STORAGE_PATH', OFF],
  ['THUMBNAIL_PATH', OFF],
  ['WATCH_FOLDER', OFF],
  ['USER_WATCH_BASE_DIR', { ENABLE_PER_USER_WATCH: 'true' }],
  ['PROCESSED_FILES_DIR', { MOVE_AFTER_PROCESSING: 'true' }],
];

const place = (name: string): string => join(folder, 'places', name);
test.before(() => {
  mkdirSync(place(''), { recursive: true });
  writeFileSync(place('file'), 'x');
  symlinkSync(place('nowhere'), place('dangling'));
  mkdirSync(place('folder'));
  symlinkSync(place('folder'), place('link'));
});

for (const [variable, switchedOn] of FOLDERS) {
  test(`a ${variable} that is a file, below one, or a link to nothing is refused by its name`, (t) => {
    for (const name of ['file', 'file/below/it', 'dangling']) {
      const { issues } = t.throws(() => load({ ...switchedOn, [variable]: place(name) }), { instanceOf: ConfigError });
      t.deepEqual(
        issues.map((issue) => issue.variable),
        [variable],
        name,
      );
      t.regex(issues[0]?.message ?? '', /^cannot be .*choose another folder/);
    }
  });

  test(`a ${variable} that is there, is linked to, or will be made is good`, (t) => {
    for (const name of ['folder', 'link', 'new/deep/one']) t.notThrows(() => load({ ...switchedOn, [variable]: place(name) }), name);
  });
}

test('a folder of what is switched off may be anything', (t) => {
  t.notThrows(() => load({ USER_WATCH_BASE_DIR: place('file/a'), PROCESSED_FILES_DIR: place('file/b') }));
});

test('below a supervisor, which has looked before, a disk that went does not end the process', (t) => {
  t.notThrows(() => load({ UPLOAD_PATH: place('file/a'), WATCH_FOLDER: place('file/b'), SUPERVISOR_PROBE_PORT: '9099' }));
});
