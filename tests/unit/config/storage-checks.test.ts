import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, checkConfig, loadConfig } from '@sheaf/config';
import anyTest, { type TestFn } from 'ava';

const test = anyTest as TestFn<string>;
test.beforeEach(async (t) => {
  t.context = await mkdtemp(join(tmpdir(), 'sheaf-config-'));
});
test.afterEach.always((t) => rm(t.context, { recursive: true, force: true }));

const load = (folder: string, environment: Record<string, string>) =>
  loadConfig({
    environment: {
      DATA_PATH: join(folder, 'data'),
      UPLOAD_PATH: join(folder, 'uploads'),
      WATCH_FOLDER: join(folder, 'watch'),
      ...environment,
    },
  }).config.storage;

/** What is said of each variable that is found wrong. */
const issues = (folder: string, environment: Record<string, string>): Record<string, string> => {
  try {
    load(folder, environment);
    return {};
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return Object.fromEntries(error.issues.map(({ variable, message }) => [variable, message]));
  }
};

const S3 = { S3_BUCKET_NAME: 'papers', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' };
const ON = { ...S3, STORAGE_TYPE: 's3' };
const CONNECTION = 'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=a2V5;EndpointSuffix=core.windows.net';
const AZURE = { AZURE_STORAGE_CONNECTION_STRING: CONNECTION, AZURE_STORAGE_CONTAINER: 'papers' };

test('each part that S3 needs is asked for by its name, in the words that switched S3 on', (t) => {
  for (const name of ['S3_BUCKET_NAME', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const) {
    const { [name]: _left, ...others } = S3;
    t.deepEqual(issues(t.context, { ...others, S3_ENABLED: 'true' }), { [name]: 'is required when S3_ENABLED=true' });
    t.deepEqual(issues(t.context, { ...others, STORAGE_TYPE: 's3' }), { [name]: 'is required when STORAGE_TYPE=s3' });
  }
  t.deepEqual(issues(t.context, { ...S3, S3_ENABLED: 'true' }), {});
});

test('S3 that is not in use may be known, whole or in part', (t) => {
  t.is(load(t.context, S3).type, 'local');
  t.is(load(t.context, S3).s3?.bucket, 'papers');
  t.is(load(t.context, { S3_BUCKET_NAME: 'papers' }).s3, undefined);
  t.deepEqual(checkConfig({ environment: { DATA_PATH: join(t.context, 'data'), S3_BUCKET_NAME: 'papers' } }).notices, [
    'S3_BUCKET_NAME is ignored: S3 is not used without S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY',
  ]);
  t.is(load(t.context, {}).s3, undefined);
});

test('S3_ENABLED and STORAGE_TYPE that say two things are refused, and two that say one are not', (t) => {
  for (const [enabled, type] of [
    ['true', 'local'],
    ['true', 'azure'],
    ['false', 's3'],
  ] as const)
    t.regex(issues(t.context, { ...S3, ...AZURE, S3_ENABLED: enabled, STORAGE_TYPE: type })['S3_ENABLED'] ?? '', /contradicts/, type);
  t.is(load(t.context, { ...S3, S3_ENABLED: 'true', STORAGE_TYPE: 's3' }).type, 's3');
  t.is(load(t.context, { S3_ENABLED: 'false', STORAGE_TYPE: 'local' }).type, 'local');
  t.is(load(t.context, { ...AZURE, S3_ENABLED: 'false', STORAGE_TYPE: 'azure' }).type, 'azure');
  t.is(load(t.context, { S3_ENABLED: 'false' }).type, 'local');
});

test('a bucket is a name alone', (t) => {
  for (const bucket of ['s3://papers', 'papers/2026', 'a b', '-papers', 'x'])
    t.deepEqual(Object.keys(issues(t.context, { ...S3, S3_BUCKET_NAME: bucket })), ['S3_BUCKET_NAME'], bucket);
});

test('an endpoint is an address alone, with its scheme or without', (t) => {
  for (const endpoint of ['ftp://minio', 'https://user@minio', 'https://minio/?x=1', 'https://minio/#x', 'http://'])
    t.deepEqual(Object.keys(issues(t.context, { ...S3, S3_ENDPOINT_URL: endpoint })), ['S3_ENDPOINT_URL'], endpoint);
  t.is(load(t.context, { ...S3, S3_ENDPOINT_URL: 'minio:9000' }).s3?.endpointUrl, 'https://minio:9000');
  t.is(load(t.context, { ...S3, S3_ENDPOINT_URL: 'minio:9000', S3_USE_SSL: 'false' }).s3?.endpointUrl, 'http://minio:9000');
  t.is(load(t.context, { ...S3, S3_ENDPOINT_URL: 'http://minio:9000/' }).s3?.endpointUrl, 'http://minio:9000');
});

test('an endpoint whose scheme contradicts S3_USE_SSL is refused where S3 is on', (t) => {
  t.deepEqual(issues(t.context, { ...S3, S3_ENDPOINT_URL: 'http://minio', S3_USE_SSL: 'true' }), {});
  t.regex(issues(t.context, { ...ON, S3_ENDPOINT_URL: 'http://minio', S3_USE_SSL: 'true' })['S3_ENDPOINT_URL'] ?? '', /contradicts/);
  t.regex(issues(t.context, { ...ON, S3_ENDPOINT_URL: 'https://minio', S3_USE_SSL: 'false' })['S3_ENDPOINT_URL'] ?? '', /contradicts/);
  t.deepEqual(issues(t.context, { ...ON, S3_ENDPOINT_URL: 'https://minio', S3_USE_SSL: 'true' }), {});
});

test('a prefix is a folder, whose slashes at its ends do not matter', (t) => {
  for (const prefix of ['a//b', '../up', 'a/./b', 'a b', 'ä'])
    t.deepEqual(Object.keys(issues(t.context, { ...S3, S3_PREFIX: prefix })), ['S3_PREFIX'], prefix);
  for (const prefix of ['archive/sheaf', '/archive/sheaf', 'archive/sheaf/'])
    t.is(load(t.context, { ...S3, S3_PREFIX: prefix }).s3?.prefix, 'archive/sheaf/');
  t.is(load(t.context, S3).s3?.prefix, '');
});

test('a key of encryption without that encryption is refused where S3 is on', (t) => {
  t.deepEqual(issues(t.context, { ...S3, S3_KMS_KEY_ID: 'key' }), {});
  t.deepEqual(Object.keys(issues(t.context, { ...ON, S3_KMS_KEY_ID: 'key' })), ['S3_KMS_KEY_ID']);
  t.deepEqual(Object.keys(issues(t.context, { ...ON, S3_KMS_KEY_ID: 'key', S3_SERVER_SIDE_ENCRYPTION: 'AES256' })), ['S3_KMS_KEY_ID']);
  t.deepEqual(issues(t.context, { ...ON, S3_KMS_KEY_ID: 'key', S3_SERVER_SIDE_ENCRYPTION: 'AWS:KMS' }), {});
});

test('the blob store needs both of its variables where it is on', (t) => {
  t.deepEqual(issues(t.context, { STORAGE_TYPE: 'azure' }), {
    AZURE_STORAGE_CONNECTION_STRING: 'is required when STORAGE_TYPE=azure',
    AZURE_STORAGE_CONTAINER: 'is required when STORAGE_TYPE=azure',
  });
  t.deepEqual(issues(t.context, { AZURE_STORAGE_CONTAINER: 'papers' }), {});
  t.deepEqual(issues(t.context, { AZURE_STORAGE_CONNECTION_STRING: CONNECTION }), {});
  t.deepEqual(issues(t.context, { ...AZURE, STORAGE_TYPE: 'azure' }), {});
});

test('a connection string has the service and its key or signature in it, and is not shown where it has not', (t) => {
  for (const text of [
    CONNECTION,
    'DefaultEndpointsProtocol=http;AccountName=a;AccountKey=a2V5;BlobEndpoint=http://127.0.0.1:1/a;',
    'BlobEndpoint=https://a.blob.core.windows.net;SharedAccessSignature=sv=1&sig=x',
    'UseDevelopmentStorage=true',
  ])
    t.deepEqual(issues(t.context, { ...AZURE, AZURE_STORAGE_CONNECTION_STRING: text }), {}, text);
  for (const text of [
    'a2V5',
    'AccountName=a;AccountKey=a2V5',
    'https://a.blob.core.windows.net/?sig=a2V5',
    'DefaultEndpointsProtocol=https;AccountName=a;EndpointSuffix=core.windows.net',
    'SharedAccessSignature=sig=a2V5',
  ]) {
    const found = issues(t.context, { ...AZURE, AZURE_STORAGE_CONNECTION_STRING: text });
    t.deepEqual(Object.keys(found), ['AZURE_STORAGE_CONNECTION_STRING'], text);
    t.notRegex(JSON.stringify(found), /a2V5/);
  }
});

test('a container has a name that the blob store takes', (t) => {
  for (const name of ['ab', 'Papers', 'my--papers', '-papers', 'papers-', 'a/b', 'x'.repeat(64)])
    t.deepEqual(Object.keys(issues(t.context, { ...AZURE, AZURE_STORAGE_CONTAINER: name })), ['AZURE_STORAGE_CONTAINER'], name);
});

test('backups do not lie where files come and go', (t) => {
  for (const name of ['uploads/documents', 'uploads/temp/x', 'uploads/thumbnails', 'uploads/orphans/x', 'watch', 'watch/in', 'uploads'])
    t.deepEqual(Object.keys(issues(t.context, { BACKUP_PATH: join(t.context, name) })), ['BACKUP_PATH'], name);
  for (const name of ['uploads/backups', 'backups', 'uploads/documents-old'])
    t.is(load(t.context, { BACKUP_PATH: join(t.context, name) }).backupPath, join(t.context, name));
});
