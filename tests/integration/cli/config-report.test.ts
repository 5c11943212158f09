import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VARIABLES } from '@sheaf/config';
import { CODE_CACHE_ENVIRONMENT } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { fullOnly } from '../../support/full-run.ts';

const test = anyTest as TestFn<string>;
const SHEAF = join(import.meta.dirname, '../../../bin/sheaf');

test.beforeEach((t) => {
  t.context = mkdtempSync(join(tmpdir(), 'sheaf-report-'));
});
test.afterEach.always((t) => rmSync(t.context, { recursive: true, force: true }));

/** Runs in `folder`, from which relative paths of flags are meant. */
const run = (folder: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const { status, stdout, stderr } = spawnSync(SHEAF, args, {
    cwd: folder,
    encoding: 'utf8',
    timeout: 120_000,
    env: { PATH: '/usr/bin:/bin', ...CODE_CACHE_ENVIRONMENT, DATA_PATH: join(folder, 'data'), ...env },
  });
  return { status, stdout, stderr, lines: stdout.split('\n') };
};

const SECRET = 'k'.repeat(40);

test('--show-config shows every variable with its value and no secret, and makes nothing', (t) => {
  const { status, lines, stdout } = run(t.context, ['--show-config', '--server-port', '9000'], {
    JWT_SECRET: SECRET,
    S3_ENDPOINT_URL: 'https://ann:hidden@store.example.org',
    S3_BUCKET_NAME: 'papers',
    S3_ACCESS_KEY_ID: 'id',
    S3_SECRET_ACCESS_KEY: 'hidden',
  });
  t.is(status, 78, 'an endpoint with a password is refused, and the values are shown all the same');
  for (const name of Object.keys(VARIABLES)) t.is(lines.filter((line) => line.startsWith(`${name}=`)).length, 1, name);
  t.is(lines[0], '# Everyday');
  const [everyday = ''] = stdout.split('\n\n');
  t.true(everyday.includes('\nUPLOAD_PATH=') && !everyday.includes('\nCORS_MAX_AGE='), 'what a household sets comes first, the rest later');
  t.true(lines.includes('SERVER_PORT=9000'));
  t.true(lines.includes('LOG_LEVEL=info'));
  t.true(lines.includes('PUBLIC_URL=http://localhost:9000'));
  t.true(lines.includes('WEBHOOK_URL=(not set)'));
  t.true(lines.includes('JWT_SECRET=***'));
  t.true(lines.includes('S3_ENDPOINT_URL=https://ann:***@store.example.org'));
  t.false(stdout.includes(SECRET) || stdout.includes('hidden'));
  t.deepEqual(readdirSync(t.context), []);
});

fullOnly(test)('--config-sources tells where each value comes from', (t) => {
  writeFileSync(join(t.context, 'mine.yml'), '# mine\nocr:\n  dpi: 200\n  workers: 3\nlog: {level: warn}\n');
  const args = ['--config-sources', '--config-file', 'mine.yml', '--server-port=9000'];
  const { status, lines, stderr } = run(t.context, args, { LOG_LEVEL: 'error' });
  t.is(status, 0);
  t.true(lines.includes(`OCR_DPI=200  [${join(t.context, 'mine.yml')}:3]`), lines.join('\n'));
  t.true(lines.includes(`CONCURRENT_OCR_JOBS=3  [${join(t.context, 'mine.yml')}:4 (as OCR_WORKERS)]`));
  t.true(lines.includes('LOG_LEVEL=error  [environment]'));
  t.true(lines.includes('SERVER_PORT=9000  [command line]'));
  t.true(lines.includes('OCR_PSM=3  [default]'));
  t.regex(stderr, /^note: ocr\.workers .* is the former name of CONCURRENT_OCR_JOBS/);
});

fullOnly(test)('--config-test says whether it is valid, or everything that is wrong, also after start', (t) => {
  for (const args of [['--config-test'], ['start', '--config-test'], ['start', '--scale', 'ocr-worker=2', '--config-test']]) {
    const good = run(t.context, args);
    t.deepEqual([good.status, good.stdout, good.stderr], [0, 'configuration is valid\n', ''], args.join(' '));
  }
  const bad = run(t.context, ['start', '--config-test', '--server-port', 'many'], { OCR_DPI: '1', WATCH_FOLDER: './uploads' });
  t.is(bad.status, 78);
  t.is(bad.stdout, '');
  const lines = bad.stderr.trimEnd().split('\n').toSorted();
  t.is(lines.length, 3);
  t.is(lines[0], 'configuration: --server-port (SERVER_PORT) must be a whole number, and is "many"');
  t.is(lines[1], 'configuration: OCR_DPI must be between 50 and 1200, and is "1"');
  t.regex(lines[2] ?? '', /^configuration: WATCH_FOLDER must not be the same folder as UPLOAD_PATH.*choose a separate folder$/);
  t.deepEqual(readdirSync(t.context), []);
});

fullOnly(test)('--config-file with --validate checks that file, which has to be there', (t) => {
  writeFileSync(join(t.context, 'good.yml'), 'server: {port: 9000}\n');
  writeFileSync(join(t.context, 'bad.yml'), 'server:\n  prot: 9000\n');
  t.is(run(t.context, ['--config-file', 'good.yml', '--validate']).status, 0);
  const bad = run(t.context, ['--config-file=bad.yml', '--validate']);
  t.is(bad.status, 78);
  t.regex(bad.stderr, /bad\.yml:2 has an unknown key "prot" in the section "server"; did you mean "port"\?/);
  const missing = run(t.context, ['start', '--validate', '--config-file', 'nowhere.yml']);
  t.is(missing.status, 78);
  t.regex(missing.stderr, /nowhere\.yml cannot be read/);
});

test('a report that nobody knows, none and two are wrong usage', (t) => {
  for (const args of [
    ['--validate'],
    ['--config-file', 'x.yml'],
    ['--show-config', '--config-test'],
    ['--show-config', '--sever-port', '1'],
    ['--config-test', 'word'],
  ]) {
    const { status, stderr } = run(t.context, args);
    t.is(status, 2, args.join(' '));
    t.regex(stderr, /usage: sheaf --show-config/);
  }
});

fullOnly(test)('what the data folder and its secrets lack is told by a report, and not made', (t) => {
  writeFileSync(join(t.context, 'data'), 'a file');
  t.regex(run(t.context, ['--config-test']).stderr, /^configuration: DATA_PATH cannot be a folder/);
  writeFileSync(join(t.context, 'secrets.json'), 'broken');
  t.regex(run(t.context, ['--config-test'], { DATA_PATH: t.context }).stderr, /^configuration: DATA_PATH has secrets that cannot be read/);
});
