// The rows of the specification's chapter on versions and upgrades. A title names its row.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { documentKey, LocalStorage } from '@sheaf/storage';
import { givenDocument, givenUser, makeServiceFolder, openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { openS3Server } from '../support/s3-server.ts';

const ROOT = join(import.meta.dirname, '../..');

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
    const { status, stderr } = spawnSync(join(ROOT, 'bin/migrate_to_s3'), args, { env, encoding: 'utf8', timeout: 60_000 });
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
