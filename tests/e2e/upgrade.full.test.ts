import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CODE_CACHE_ENVIRONMENT, makeServiceFolder, openTestDatabase, RunningService } from '@sheaf/testkit';
import test from 'ava';
import { READING_ALONE } from '../support/given-service.ts';

const ROOT = join(import.meta.dirname, '../..');
const guide = readFileSync(join(ROOT, 'docs/operate/upgrade.md'), 'utf8');
/** The specification's order of an upgrade, and of the way back. */
const UPGRADE = [
  /^# 1\. stop/,
  /^# 2\. back up/,
  /^# 3\. the new version/,
  /^# 4\. schema/,
  /^# 5\. start/,
  /^# 6\. verify version and health/,
];
const BACK = [/^# 1\. stop/, /^# 2\. the database/, /^# 3\. the previous configuration and version/, /^# 4\. start/];
/** So many migrations came with the newest version. */
const STEPS_BACK = 44;

/** The lines of the commands under a heading of the guide. */
const linesOf = (heading: string): string[] => {
  const section = guide.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return /^```sh\n([^]*?)^```/m.exec(section)?.[1]?.trimEnd().split('\n') ?? [];
};

const commandsOf = (heading: string): string[] => linesOf(heading).filter((line) => line.startsWith('bin/'));

test('the guide has the steps of an upgrade in their order for each way of running, and those of the way back', (t) => {
  const ways = ['npm', 'systemd', 'Docker Compose'];
  for (const way of ways) {
    const lines = linesOf(way);
    const steps = lines.filter((line) => line.startsWith('#'));
    t.is(steps.length, UPGRADE.length, way);
    for (const [index, step] of UPGRADE.entries()) t.regex(steps[index] ?? '', step, way);
    const at = (pattern: RegExp): number => lines.findIndex((line) => !line.startsWith('#') && pattern.test(line));
    const order = [
      /stop|kill/,
      /backup --with-secrets/,
      /--config-test/,
      /migrate.* up$/,
      /npm start|systemctl start|compose up/,
      /api\/version/,
      /\/health/,
    ].map(at);
    t.false(order.includes(-1), `${way}: ${order.join(', ')}`);
    t.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
      way,
    );
  }
  const back = linesOf('Roll back').filter((line) => line.startsWith('#'));
  for (const [index, step] of BACK.entries()) t.regex(back[index] ?? '', step);
});

test('the guide names every variable that the versions changed', (t) => {
  const rows = [
    'STORAGE_PATH',
    'UPLOAD_PATH',
    'OCR_WORKERS',
    'CONCURRENT_OCR_JOBS',
    'S3_ENABLED=false',
    'ENABLE_PER_USER_WATCH=false',
    'OIDC_ENABLED=false',
    'FEATURE_MULTI_LANGUAGE_OCR=true',
    'FEATURE_LABELS=true',
  ];
  for (const row of rows) t.true(guide.includes(`\`${row}\``), row);
});

test("the guide's commands, in its order, bring an instance of an older schema and old names to this version, and back", async (t) => {
  t.timeout(3 * 180_000);
  await using database = await openTestDatabase();
  await using folder = await makeServiceFolder();
  // as version 1 had it: the folder of the documents and the readers have their old names
  const old = { DATABASE_URL: database.url.reveal(), STORAGE_PATH: join(folder.path, 'uploads'), OCR_WORKERS: '1' };
  const call = (line: string): Promise<{ status: number; stdout: string; stderr: string }> =>
    new Promise((resolve) => {
      const [command = '', ...args] = line.split(' ');
      const folders = { DATA_PATH: join(folder.path, 'data'), WATCH_FOLDER: join(folder.path, 'watch') };
      const env = { PATH: '/usr/bin:/bin', ...CODE_CACHE_ENVIRONMENT, ...folders, ...old };
      execFile(join(ROOT, command), args, { encoding: 'utf8', timeout: 120_000, env }, (error, stdout, stderr) =>
        resolve({ status: Number(error?.code ?? 0), stdout, stderr }),
      );
    });
  const start = () => new RunningService({ folder: folder.path, env: { UPLOAD_PATH: '', ...old }, args: READING_ALONE });
  const appliedBy = (stdout: string): number[] => [...stdout.matchAll(/^applied\s+(\d{4}) /gm)].map(([, version]) => Number(version));

  let id = '';
  {
    await using service = start();
    const admin = await (await service.ready()).register('ada');
    id = String((await admin.upload({ name: 'deed.txt', bytes: new TextEncoder().encode('a deed of the house') })).body['id']);
    await admin.waitForEnd(id);
  }
  await database.pool.query('delete from processes'); // the last heartbeat is not old enough yet to count as gone
  const versions = appliedBy((await call('bin/migrate status')).stdout);
  const newest = versions.at(-1);
  const before = versions.at(-1 - STEPS_BACK);

  let backup = '';
  for (const line of commandsOf('npm')) {
    const { status, stdout, stderr } = await call(line);
    t.is(status, 0, `${line}: ${stderr}`);
    if (line.includes('backup')) {
      backup = stdout.trim().split('\n').at(-1) ?? '';
      // This version stands for the older one until here; from now on it is the new one, and the schema is what the older one had.
      t.is((await call(`bin/migrate down --to ${before}`)).status, 0);
    }
    if (line.endsWith('status')) t.is(appliedBy(stdout).at(-1), before);
  }
  {
    await using service = start();
    const admin = await (await service.ready()).login('ada');
    t.is((await admin.get('/api/version')).body['schema_version'], newest);
    t.like((await admin.get('/health')).body, { status: 'healthy' });
    t.deepEqual(await admin.find('deed'), [id]);
    const later = await admin.upload({ name: 'later.txt', bytes: new TextEncoder().encode('written after the upgrade') });
    await admin.waitForEnd(String(later.body['id']));
  }
  await database.pool.query('delete from processes');
  for (const line of commandsOf('Roll back')) {
    const { status, stderr } = await call(line.replace('BACKUP', backup).replace('SCHEMA', String(before)));
    t.is(status, 0, `${line}: ${stderr}`);
  }
  t.is(appliedBy((await call('bin/migrate status')).stdout).at(-1), before);
  const { rows } = await database.pool.query<{ id: string }>('select id from documents');
  t.deepEqual(rows, [{ id }]);
});
