import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeBackup } from '@sheaf/backup';
import { endInterruptedRuns } from '@sheaf/backup/runs';
import { systemClock } from '@sheaf/process';
import { LocalStorage } from '@sheaf/storage';
import { type RunningApi, startApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** As the command line makes one. */
const makeOne = async ({ database, folder }: RunningApi): Promise<string> => {
  const path = join(folder, 'uploads');
  const { path: entry } = await makeBackup(
    {
      databaseUrl: database.url,
      storage: new LocalStorage({ path, thumbnailPath: join(path, 'thumbnails') }),
      serviceVersion: '1.2.3',
      clock: systemClock,
      signal: new AbortController().signal,
      report: { begin: () => {}, advance: () => {} },
    },
    { folder: join(path, 'backups'), isArchive: false, isFull: false, keep: undefined, configuration: { hasSecrets: false, files: [] } },
  );
  return entry.split('/').at(-1) ?? '';
};

test.serial('a backup of the command line is listed with its size and documents; begun and damaged ones are told apart', async (t) => {
  const { admin, folder } = t.context;
  const { body: none } = await admin.get('/api/backups');
  t.like(none, { data: [], is_running: false, path_problem: null, last_backup: null, last_verification: null });
  t.is(none['path'], join(folder, 'uploads/backups'));

  t.is((await admin.upload({ name: 'a.txt', bytes: bytesOf('the first paper') })).status, 201);
  const name = await makeOne(t.context);
  const backups = join(folder, 'uploads/backups');
  await mkdir(join(backups, '.incomplete-sheaf-20200101T000000Z-000001'));
  await mkdir(join(backups, 'sheaf-20200102T000000Z-000002'));
  await mkdir(join(backups, 'of somebody else'));
  const { body } = await admin.get('/api/backups');
  const [whole, damaged, begun, ...others] = body['data'] as Record<string, unknown>[];
  t.deepEqual(others, []);
  t.like(whole, { name, state: 'complete', documents: 1, missing_files: 0, has_secrets: false, verification: null, verified_at: null });
  t.true(Number(whole?.['size']) > 15);
  t.like(damaged, { name: 'sheaf-20200102T000000Z-000002', state: 'damaged', created_at: '2020-01-02T00:00:00.000Z', size: null });
  t.regex(String(damaged?.['error']), /manifest\.json/);
  t.like(begun, { name: 'sheaf-20200101T000000Z-000001', state: 'failed', documents: null });
  t.like(body['pagination'], { total: 3, total_pages: 1 });
  const second = await admin.get('/api/backups?per_page=1&page=2');
  t.deepEqual(
    (second.body['data'] as { name: string }[]).map((backup) => backup.name),
    ['sheaf-20200102T000000Z-000002'],
  );
});

test.serial('one backup is asked for at a time, and none while the command line makes one; each is in the audit log', async (t) => {
  const { admin, database } = t.context;
  const { status, body } = await admin.post('/api/backups', undefined);
  t.is(status, 202);
  t.like(body, { kind: 'backup', state: 'queued', backup_name: null, finding: null });
  const again = await admin.post('/api/backups', undefined);
  t.is(again.status, 409);
  t.like(again.body['error'], { details: { reason: 'backup_running' } });
  t.like((await admin.get('/api/backups')).body, { is_running: true, last_backup: { id: body['id'], state: 'queued' } });

  await database.pool.query(`update backup_runs set state = 'running', lease_until = now() - interval '1 second'`);
  t.is((await endInterruptedRuns(database.db)).length, 1);
  t.like((await admin.get('/api/backups')).body, { is_running: false, last_backup: { state: 'failed', problem: 'interrupted' } });

  const client = await database.pool.connect();
  try {
    await client.query('select pg_advisory_lock($1, $2)', [0x73_68_6b, 2]); // the lock of `sheaf backup`
    t.is((await admin.post('/api/backups', undefined)).status, 409);
    t.like((await admin.get('/api/backups')).body, { is_running: true });
  } finally {
    await client.query('select pg_advisory_unlock_all()');
    client.release();
  }
  const { rows } = await database.pool.query(`select action, outcome from audit_log where action like 'backup.%'`);
  t.deepEqual(rows, [{ action: 'backup.requested', outcome: 'success' }]);
});

test.serial('what is verified is a backup that is there, and no other path', async (t) => {
  const { admin, database } = t.context;
  const name = await makeOne(t.context);
  for (const other of [
    'sheaf-20200102T000000Z-00000f',
    '..%2F..%2Fetc',
    '%2e%2e',
    `..%2Fbackups%2F${name}`,
    `${name}%00`,
    `${name}%2F..`,
    'of%20somebody%20else',
    '.incomplete-sheaf-20200101T000000Z-000001',
  ])
    t.is((await admin.post(`/api/backups/${other}/verify`, undefined)).status, 404, other);
  t.is((await admin.post('/api/backups/sheaf-20200101T000000Z-000001/verify', undefined)).status, 404, 'one that was only begun');
  t.deepEqual((await database.pool.query(`select from backup_runs where kind = 'verification'`)).rows, []);

  const { status, body } = await admin.post(`/api/backups/${name}/verify`, undefined);
  t.is(status, 202);
  t.like(body, { kind: 'verification', state: 'queued', backup_name: name });
  t.is((await admin.post(`/api/backups/${name}/verify`, undefined)).status, 409);
  await database.pool.query(
    `update backup_runs set state = 'completed', finding = 'damaged', error = 'its hash is different', finished_at = now() where id = $1`,
    [body['id']],
  );
  const listed = (await admin.get('/api/backups')).body['data'] as { name: string }[];
  t.like(
    listed.find((backup) => backup.name === name),
    { state: 'damaged', verification: 'damaged', error: 'its hash is different' },
  );
});

test.serial('the storage is told with its size, its disks and what is on them', async (t) => {
  const { admin, folder } = t.context;
  const { status, body } = await admin.get('/api/health/storage');
  t.is(status, 200);
  t.like(body, { type: 'local', places: [join(folder, 'uploads')], documents: 1, documents_bytes: 15, warning_threshold: 90 });
  const disk = (body['disks'] as { uses: string[]; size: number; free: number }[]).find(({ uses }) => uses.includes('documents'));
  t.true(disk !== undefined && disk.size > disk.free && disk.free > 0);
  t.true(disk?.uses.includes('backups'));
  t.true(body['backups_share_disk']);
});

test.serial('a BACKUP_PATH that cannot be written to any more is told before anything begins', async (t) => {
  const file = join(t.context.folder, 'a-file');
  const api = await startApi({ BACKUP_PATH: join(file, 'backups') });
  await writeFile(file, '');
  try {
    const { status, body } = await api.admin.post('/api/backups', undefined);
    t.is(status, 503);
    t.like(body['error'], { details: { reason: 'backup_path_unusable' } });
    t.regex((body['error'] as { message: string }).message, /a-file.*BACKUP_PATH/);
    t.regex(String((await api.admin.get('/api/backups')).body['path_problem']), /a-file is not a folder/);
  } finally {
    await api.stop();
  }
});
