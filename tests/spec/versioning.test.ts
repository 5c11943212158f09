// The rows of the specification's chapter on versions and upgrades. A title names its row.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { documentKey, LocalStorage } from '@sheaf/storage';
import { CODE_CACHE_ENVIRONMENT, givenDocument, givenUser, makeServiceFolder, openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { z } from 'zod';
import { startApi } from '../support/running-api.ts';
import { openS3Server } from '../support/s3-server.ts';

const ROOT = join(import.meta.dirname, '../..');

const versionBody = z.strictObject({
  name: z.literal('Sheaf'),
  version: z.string().regex(/^\d+\.\d+\.\d+/),
  api_version: z.literal('v1'),
  commit: z
    .string()
    .regex(/^[0-9a-f]{40}/)
    .optional(),
  node: z.literal(process.version),
  schema_version: z.int().positive(),
});

test('Versioning: paths carry /api, GET /api/version reports the version, and the next version has a path of its own', async (t) => {
  for (const isOn of [true, false]) {
    const api = await startApi({ FEATURE_API_V2: String(isOn) });
    try {
      const { status, body } = await api.admin.get('/api/version');
      t.is(status, 200);
      t.notThrows(() => versionBody.parse(body));
      const { rows } = await api.database.pool.query<{ newest: number }>('select max(version) as newest from migrations');
      t.is(body['schema_version'], rows[0]?.newest);
      const second = await api.admin.get('/api/v2/version');
      t.is(second.status, isOn ? 200 : 404);
      if (!isOn) t.like(second.body['error'], { code: 'NOT_FOUND', details: { reason: 'feature_disabled', variable: 'FEATURE_API_V2' } });
    } finally {
      await api.stop();
    }
  }
});

test('Versioning: a deprecated endpoint carries a Deprecation header with the sunset date', async (t) => {
  const api = await startApi({ FEATURE_API_V2: 'true' });
  try {
    const { headers } = await api.admin.get('/api/documents');
    const date = headers.get('deprecation') ?? '';
    t.is(new Date(date).toUTCString(), date, 'an HTTP date');
    t.is(headers.get('sunset'), date);
    t.is(headers.get('link'), '</api/v2/documents>; rel="successor-version"');
  } finally {
    await api.stop();
  }
});

test('Feature flags: FEATURE_API_V2 is off by default, and on it serves lists by cursor', async (t) => {
  const off = await startApi();
  try {
    for (const [method, path] of [
      ['GET', '/api/v2'],
      ['GET', '/api/v2/documents'],
      ['POST', '/api/v2/auth/login'],
      ['GET', '/api/v2/nowhere'],
    ] as const) {
      const answer = await off.anyone.request(path, { method });
      t.is(answer.status, 404, path);
      t.like(await answer.json(), { error: { code: 'NOT_FOUND', details: { reason: 'feature_disabled' } } }, path);
    }
    t.false((await off.admin.get('/api/documents')).headers.has('deprecation'));
  } finally {
    await off.stop();
  }
  const on = await startApi({ FEATURE_API_V2: 'true' });
  try {
    t.deepEqual((await on.admin.get('/api/v2/documents')).body, { data: [], next_cursor: null });
    t.is((await on.admin.get('/api/v2/nowhere')).status, 404);
    t.like((await on.admin.get('/api/v2/nowhere')).body, { error: { code: 'NOT_FOUND' } });
  } finally {
    await on.stop();
  }
});

test('Versioning 6: migrate_to_s3 has each flag of the row, moves to S3 by default, and paths begin with s3:// afterwards', async (t) => {
  await using database = await openTestDatabase();
  await using folder = await makeServiceFolder();
  await using s3 = await openS3Server();
  const local = new LocalStorage({ path: join(folder.path, 'uploads'), thumbnailPath: join(folder.path, 'uploads/thumbnails') });
  const owner = await givenUser(database.db);
  for (const text of ['one', 'two', 'three']) {
    const sha256 = createHash('sha256').update(text).digest('hex');
    const { path: filePath } = await local.put(documentKey(sha256), Buffer.from(text));
    await givenDocument(database.db, { ownerId: owner.id, sha256, filePath, sizeBytes: text.length });
  }
  const env = {
    PATH: '/usr/bin:/bin',
    ...CODE_CACHE_ENVIRONMENT,
    DATABASE_URL: database.url.reveal(),
    DATA_PATH: join(folder.path, 'data'),
    UPLOAD_PATH: join(folder.path, 'uploads'),
    WATCH_FOLDER: join(folder.path, 'watch'),
    S3_BUCKET_NAME: s3.bucket,
    S3_ACCESS_KEY_ID: 'S3RVER',
    S3_SECRET_ACCESS_KEY: 'S3RVER',
    S3_ENDPOINT_URL: s3.url,
  };
  const run = (...args: string[]): void => {
    const { status, stderr } = spawnSync(join(ROOT, 'bin/migrate_to_s3'), args, { env, encoding: 'utf8', timeout: 120_000 });
    t.is(status, 0, `${args.join(' ')}: ${stderr}`);
  };
  const countAtS3 = async (): Promise<number | null> =>
    (await database.pool.query(`select from documents where file_path like 's3://%'`)).rowCount;

  run('--dry-run', '--verbose');
  t.is(await countAtS3(), 0);
  run('--enable-rollback', '--batch-size', '2', '--parallel-uploads', '2', '--verify', '--sample-size', '1');
  t.is(await countAtS3(), 3);
  run('--direction', 's3-to-local');
  t.is(await countAtS3(), 0);
});
