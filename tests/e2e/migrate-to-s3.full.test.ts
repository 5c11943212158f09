import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type ApiClient, CODE_CACHE_ENVIRONMENT } from '@sheaf/testkit';
import test from 'ava';
import { sql } from 'drizzle-orm';
import { fullOnly } from '../support/full-run.ts';
import { givenService, READING_ALONE } from '../support/given-service.ts';
import { openS3Server } from '../support/s3-server.ts';
import { waitFor } from '../support/wait-for.ts';

const TOOL = join(import.meta.dirname, '../../bin/migrate_to_s3');

const migrate = (folder: string, env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
  new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
    const folders = { DATA_PATH: join(folder, 'data'), UPLOAD_PATH: join(folder, 'uploads'), WATCH_FOLDER: join(folder, 'watch') };
    const child = execFile(
      TOOL,
      args,
      { env: { PATH: '/usr/bin:/bin', ...CODE_CACHE_ENVIRONMENT, ...folders, ...env }, timeout: 120_000 },
      (_error, stdout, stderr) => resolve({ status: child.exitCode ?? -1, stdout, stderr }),
    );
  });

const uploadNote = async (client: ApiClient): Promise<{ id: string; sha256: string }> => {
  const bytes = new TextEncoder().encode(`a note about ${randomBytes(2_000).toString('hex')}`);
  const { status, body } = await client.upload({ name: 'note.txt', bytes });
  if (status !== 201) throw new Error(`upload answered ${status}: ${JSON.stringify(body)}`);
  return { id: String(body['id']), sha256: createHash('sha256').update(bytes).digest('hex') };
};

const downloadHash = async (client: ApiClient, id: string): Promise<string> => {
  const response = await client.request(`/api/documents/${id}/download`);
  if (response.status !== 200) throw new Error(`download answered ${response.status}: ${await response.text()}`);
  return createHash('sha256')
    .update(Buffer.from(await response.arrayBuffer()))
    .digest('hex');
};

test('documents move to S3 and back under a running service, which serves, imports and deletes all the time', async (t) => {
  t.timeout(3 * 180_000);
  await using s3 = await openS3Server();
  const bucket = {
    S3_BUCKET_NAME: s3.bucket,
    S3_ACCESS_KEY_ID: 'S3RVER',
    S3_SECRET_ACCESS_KEY: 'S3RVER',
    S3_ENDPOINT_URL: s3.url,
  };
  await using given = await givenService(bucket, READING_ALONE);
  const { folder, environment, database } = given;
  const admin = await (await given.service.ready()).register('admin');
  const documents = [];
  for (let i = 0; i < 10; i += 1) documents.push(await uploadNote(admin));
  for (const { id } of documents) t.is((await admin.waitForEnd(id)).status, 'completed');

  const over = new AbortController();
  const ended = migrate(folder, environment, '--verify').finally(() => over.abort());
  for (let i = 0; !over.signal.aborted; i += 1) {
    const { id, sha256 } = documents[i % documents.length] ?? { id: '', sha256: '' };
    t.is(await downloadHash(admin, id), sha256);
    if (i % 5 === 0) documents.push(await uploadNote(admin));
    if (i % 7 === 0) {
      const { id: dropped } = documents.shift() ?? { id: '' };
      t.is((await admin.delete(`/api/documents/${dropped}`)).status, 204);
    }
  }
  const there = await ended;
  t.is(there.status, 0, there.stderr);
  t.regex(there.stderr, /set STORAGE_TYPE=s3/);

  for (const { id } of documents) t.is((await admin.waitForEnd(id)).status, 'completed');
  const again = await migrate(folder, environment, '--enable-rollback', '--sample-size', '5');
  t.is(again.status, 0, again.stderr);
  const pathsAt = async (pattern: string): Promise<number> => {
    const { rows } = await database.db.execute<{ n: string }>(sql`select count(*) as n from documents where file_path like ${pattern}`);
    return Number(rows[0]?.n);
  };
  t.is(await pathsAt('s3://%'), documents.length);
  for (const { id, sha256 } of documents) t.is(await downloadHash(admin, id), sha256);

  const back = await migrate(folder, environment, '--direction', 's3-to-local');
  t.is(back.status, 0, back.stderr);
  t.is(await pathsAt('s3://%'), 0);
  for (const { id, sha256 } of documents) t.is(await downloadHash(admin, id), sha256);
});

fullOnly(test)('a running service that does not know the bucket keeps its documents until it is restarted with it', async (t) => {
  t.timeout(3 * 120_000);
  await using s3 = await openS3Server();
  await using given = await givenService({}, READING_ALONE);
  const { folder, environment, database, service } = given;
  const admin = await (await service.ready()).register('admin');
  await uploadNote(admin);
  const bucket = {
    S3_BUCKET_NAME: s3.bucket,
    S3_ACCESS_KEY_ID: 'S3RVER',
    S3_SECRET_ACCESS_KEY: 'S3RVER',
    S3_ENDPOINT_URL: s3.url,
  };
  const refused = await migrate(folder, { ...environment, ...bucket });
  t.is(refused.status, 1);
  t.regex(refused.stderr, /api \(process \d+ on .*Restart the service/);
  t.is((await database.pool.query(`select from documents where file_path like 's3://%'`)).rowCount, 0);
  await service.stop();
  await waitFor(async () => (await database.pool.query('select from processes')).rowCount === 0, {
    description: 'the processes to be gone',
    limitMs: 20_000,
  });
  t.is((await migrate(folder, { ...environment, ...bucket })).status, 0);
  t.is((await database.pool.query(`select from documents where file_path like 's3://%'`)).rowCount, 1);
});
