// The rows of the table of storage variables: the default, where another value arrives, and what it changes on disk or on the wire.
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { loadConfig } from '@sheaf/config';
import { documentKey, openOneStorage, openStorage, previewKey, thumbnailKey } from '@sheaf/storage';
import { CODE_CACHE_ENVIRONMENT } from '@sheaf/testkit';
import test from 'ava';
import { openAzurite } from '../support/azurite.ts';
import { makeKeyPair } from '../support/certificate.ts';
import { openConfiguration, type VariableRow } from '../support/configuration.ts';
import { type FaultProxy, faults, openFaultProxy, type SeenRequest } from '../support/fault-proxy.ts';

const { folder, load } = openConfiguration();

const S3 = { S3_BUCKET_NAME: 'papers', S3_ACCESS_KEY_ID: 'ann', S3_SECRET_ACCESS_KEY: 'secret' };
const AZURE = {
  AZURE_STORAGE_CONNECTION_STRING: 'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=a2V5;EndpointSuffix=core.windows.net',
  AZURE_STORAGE_CONTAINER: 'papers',
};

const ROWS: readonly VariableRow[] = [
  { name: 'STORAGE_TYPE', beside: S3, read: ({ storage }) => storage.type, byDefault: 'local', given: ['s3', 's3'] },
  { name: 'STORAGE_TYPE', beside: AZURE, read: ({ storage }) => storage.type, byDefault: 'local', given: ['azure', 'azure'] },
  { name: 'STORAGE_BACKEND', beside: S3, read: ({ storage }) => storage.type, byDefault: 'local', given: ['s3', 's3'] },
  { name: 'S3_ENABLED', beside: S3, read: ({ storage }) => storage.type, byDefault: 'local', given: ['true', 's3'] },
  {
    name: 'BACKUP_PATH',
    read: ({ storage }) => storage.backupPath,
    byDefault: join(folder, 'uploads/backups'),
    given: [join(folder, 'b'), join(folder, 'b')],
  },
  { name: 'S3_BUCKET_NAME', beside: S3, read: ({ storage }) => storage.s3?.bucket, byDefault: 'papers', given: ['other', 'other'] },
  { name: 'S3_ACCESS_KEY_ID', beside: S3, read: ({ storage }) => storage.s3?.accessKeyId, byDefault: 'ann', given: ['bob', 'bob'] },
  {
    name: 'S3_SECRET_ACCESS_KEY',
    beside: S3,
    read: ({ storage }) => storage.s3?.secretAccessKey.reveal(),
    byDefault: 'secret',
    given: ['other', 'other'],
  },
  { name: 'S3_REGION', beside: S3, read: ({ storage }) => storage.s3?.region, byDefault: 'us-east-1', given: ['eu-west-1', 'eu-west-1'] },
  ...['S3_ENDPOINT_URL', 'S3_ENDPOINT'].map(
    (name): VariableRow => ({
      name,
      beside: S3,
      read: ({ storage }) => storage.s3?.endpointUrl,
      byDefault: undefined,
      given: ['http://minio:9000', 'http://minio:9000'],
    }),
  ),
  { name: 'S3_PREFIX', beside: S3, read: ({ storage }) => storage.s3?.prefix, byDefault: '', given: ['archive', 'archive/'] },
  {
    name: 'S3_USE_SSL',
    beside: { ...S3, S3_ENDPOINT_URL: 'minio:9000' },
    read: ({ storage }) => storage.s3?.endpointUrl,
    byDefault: 'https://minio:9000',
    given: ['false', 'http://minio:9000'],
  },
  { name: 'S3_VERIFY_SSL', beside: S3, read: ({ storage }) => storage.s3?.verifyCertificate, byDefault: true, given: ['false', false] },
  {
    name: 'S3_STORAGE_CLASS',
    beside: S3,
    read: ({ storage }) => storage.s3?.storageClass,
    byDefault: 'STANDARD',
    given: ['STANDARD_IA', 'STANDARD_IA'],
  },
  {
    name: 'S3_SERVER_SIDE_ENCRYPTION',
    beside: S3,
    read: ({ storage }) => storage.s3?.encryption,
    byDefault: undefined,
    given: ['AES256', 'AES256'],
  },
  {
    name: 'S3_KMS_KEY_ID',
    beside: { ...S3, S3_SERVER_SIDE_ENCRYPTION: 'aws:kms' },
    read: ({ storage }) => storage.s3?.kmsKeyId,
    byDefault: undefined,
    given: ['key-1', 'key-1'],
  },
];

for (const [index, { name, beside = {}, read, byDefault, given }] of ROWS.entries()) {
  test(`Storage: ${name} (row ${index + 1})`, (t) => {
    t.deepEqual(read(load(beside)), byDefault, 'by default');
    t.deepEqual(read(load({ ...beside, [name]: given[0] })), given[1], 'when set');
  });
}

const ofFolders = { hasLocalDocuments: async () => false };

const someDocument = () => {
  const bytes = randomBytes(100);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { bytes, sha256, key: documentKey(sha256) };
};

test('Storage: S3_BUCKET is another name for S3_BUCKET_NAME, which goes before it', (t) => {
  const { S3_BUCKET_NAME: _name, ...others } = S3;
  t.is(load({ ...others, S3_BUCKET: 'alone' }).storage.s3?.bucket, 'alone');
  t.is(load({ ...S3, S3_BUCKET: 'alone' }).storage.s3?.bucket, 'papers');
});

test('Storage: LOCAL_STORAGE_PATH is where documents lie, unless UPLOAD_PATH says it; THUMBNAIL_PATH takes the thumbnails', async (t) => {
  const { bytes, sha256, key } = someDocument();
  const [elsewhere, pictures] = [join(folder, 'elsewhere'), join(folder, 'pictures')];
  const given = { DATA_PATH: join(folder, 'data'), WATCH_FOLDER: join(folder, 'watch'), LOCAL_STORAGE_PATH: elsewhere };
  const { config } = loadConfig({ environment: { ...given, THUMBNAIL_PATH: pictures } });
  const storage = await openStorage(config.storage, ofFolders);
  t.is((await storage.put(key, bytes)).path, join(elsewhere, key));
  t.true(existsSync(join(elsewhere, key)));
  t.true((await storage.put(thumbnailKey(sha256, '1x1.webp'), bytes)).path.startsWith(pictures));
  t.is(load({ LOCAL_STORAGE_PATH: elsewhere }).storage.path, join(folder, 'uploads'));
});

test('Storage: TEMP_STORAGE_PATH is where streams wait until they are sent', async (t) => {
  await using azurite = await openAzurite();
  const tempPath = join(folder, 'waiting');
  const given = { AZURE_STORAGE_CONNECTION_STRING: azurite.connectionString, AZURE_STORAGE_CONTAINER: azurite.container };
  const storage = await openStorage(load({ ...given, STORAGE_TYPE: 'azure', TEMP_STORAGE_PATH: tempPath }).storage, ofFolders);
  t.false(existsSync(tempPath));
  const { bytes, key } = someDocument();
  t.is((await storage.put(key, Readable.from([bytes]))).path, `azure://${azurite.container}/${key}`);
  t.true(existsSync(tempPath));
  await storage.close();
});

test('Storage: the storage that is written to follows STORAGE_TYPE and S3_ENABLED; the others that are known are read', async (t) => {
  await using azurite = await openAzurite();
  const { bytes, key } = someDocument();
  const known = { ...S3, AZURE_STORAGE_CONNECTION_STRING: azurite.connectionString, AZURE_STORAGE_CONTAINER: azurite.container };
  const placeOf = async (environment: Record<string, string>): Promise<string> => {
    const storage = await openStorage(load({ ...known, ...environment }).storage, ofFolders);
    await storage.close();
    return storage.place;
  };
  t.is(await placeOf({}), join(folder, 'uploads'));
  t.regex(await placeOf({ STORAGE_TYPE: 's3' }), /^s3:\/\/papers/);
  t.regex(await placeOf({ S3_ENABLED: 'true' }), /^s3:\/\/papers/);
  t.regex(await placeOf({ STORAGE_TYPE: 'azure' }), /^azure:\/\/documents/);

  await azurite.client.getBlockBlobClient(key).uploadData(bytes);
  const { AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_CONTAINER } = known;
  const storage = await openStorage(load({ AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_CONTAINER }).storage, ofFolders);
  t.is((await storage.stat(key))?.sizeBytes, bytes.length);
  await storage.close();
});

/** What an S3 service is asked to do by a put, with these variables set. */
const putOf = async (proxy: FaultProxy, environment: Record<string, string>): Promise<SeenRequest> => {
  const { storage } = load({ ...S3, S3_ENDPOINT_URL: proxy.url, ...environment });
  const s3 = await openOneStorage('s3', storage, ofFolders);
  const listing = '<ListBucketResult><Name>any</Name><KeyCount>0</KeyCount></ListBucketResult>';
  proxy.inject({ fault: faults.answer(200, listing, { 'content-type': 'application/xml' }) });
  proxy.inject({ fault: faults.answer(404), when: ({ method }) => method === 'HEAD' });
  proxy.inject({ fault: faults.answer(403), when: ({ method }) => method === 'PUT' });
  const before = proxy.seen.length;
  await s3.put(previewKey('ab'.repeat(32)), randomBytes(10)).catch(() => {}); // what it was asked is what counts
  await s3.close();
  const put = proxy.seen.slice(before).find(({ method }) => method === 'PUT');
  if (put === undefined) throw new Error('nothing was put');
  return put;
};

const headerOf =
  (name: string) =>
  ({ headers }: SeenRequest): unknown =>
    headers[name];

const scopeOf = ({ headers }: SeenRequest): string[] => /Credential=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split('/') ?? [];

interface WireRow {
  readonly name: keyof typeof S3 | `S3_${string}`;
  readonly read: (request: SeenRequest) => unknown;
  readonly byDefault: unknown;
  readonly given: readonly [text: string, arrived: unknown];
  readonly beside?: Record<string, string>;
}

const KEY = previewKey('ab'.repeat(32));
const pathOf = ({ url }: SeenRequest): string => url.split('?', 1)[0] ?? '';

const WIRE: readonly WireRow[] = [
  { name: 'S3_BUCKET_NAME', read: pathOf, byDefault: `/papers/${KEY}`, given: ['other', `/other/${KEY}`] },
  { name: 'S3_PREFIX', read: pathOf, byDefault: `/papers/${KEY}`, given: ['archive/sheaf', `/papers/archive/sheaf/${KEY}`] },
  { name: 'S3_ACCESS_KEY_ID', read: (request) => scopeOf(request)[0], byDefault: 'ann', given: ['bob', 'bob'] },
  { name: 'S3_REGION', read: (request) => scopeOf(request)[2], byDefault: 'us-east-1', given: ['eu-west-1', 'eu-west-1'] },
  { name: 'S3_STORAGE_CLASS', read: headerOf('x-amz-storage-class'), byDefault: undefined, given: ['standard_ia', 'STANDARD_IA'] },
  { name: 'S3_SERVER_SIDE_ENCRYPTION', read: headerOf('x-amz-server-side-encryption'), byDefault: undefined, given: ['AES256', 'AES256'] },
  {
    name: 'S3_KMS_KEY_ID',
    beside: { S3_SERVER_SIDE_ENCRYPTION: 'aws:kms' },
    read: headerOf('x-amz-server-side-encryption-aws-kms-key-id'),
    byDefault: undefined,
    given: ['key-1', 'key-1'],
  },
];

for (const { name, read, byDefault, given, beside = {} } of WIRE) {
  test(`Storage: ${name} is seen by the service`, async (t) => {
    await using proxy = await openFaultProxy();
    t.deepEqual(read(await putOf(proxy, beside)), byDefault, 'by default');
    t.deepEqual(read(await putOf(proxy, { ...beside, [name]: given[0] })), given[1], 'when set');
  });
}

test('Storage: S3_ENDPOINT_URL is who is asked, and S3_USE_SSL how, where the address does not say it', async (t) => {
  await using proxy = await openFaultProxy();
  const { port } = new URL(proxy.url);
  await t.notThrowsAsync(putOf(proxy, {}));
  await t.notThrowsAsync(putOf(proxy, { S3_ENDPOINT_URL: `127.0.0.1:${port}`, S3_USE_SSL: 'false' }));
  await t.throwsAsync(putOf(proxy, { S3_ENDPOINT_URL: `127.0.0.1:${port}` }), { message: 'nothing was put' }); // it spoke https
});

test('Storage: S3_VERIFY_SSL=false takes a certificate that nobody vouches for', async (t) => {
  const { key, certificate: cert } = await makeKeyPair('127.0.0.1');
  let asked = 0;
  const server = createServer({ key, cert }, (_request, response) => {
    asked += 1;
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const statWith = async (verify: string) => {
    const S3_ENDPOINT_URL = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const storage = await openOneStorage('s3', load({ ...S3, S3_ENDPOINT_URL, S3_VERIFY_SSL: verify }).storage, ofFolders);
    try {
      return await storage.stat(KEY);
    } finally {
      await storage.close();
    }
  };
  await t.throwsAsync(statWith('true'), { code: 'SERVICE_UNAVAILABLE', message: /certificate/ });
  t.is(asked, 0);
  await statWith('false').catch(() => {});
  t.true(asked > 0);
});

const SHEAF = join(import.meta.dirname, '../../bin/sheaf');

test('Storage: S3_ENABLED=true without S3_ACCESS_KEY_ID is an error at the start, exit 78, that names it', (t) => {
  const { S3_ACCESS_KEY_ID: _left, ...others } = S3;
  const { status, stderr } = spawnSync(SHEAF, ['start'], {
    encoding: 'utf8',
    timeout: 120_000,
    env: {
      PATH: '/usr/bin:/bin',
      ...CODE_CACHE_ENVIRONMENT,
      DATA_PATH: join(folder, 'data'),
      UPLOAD_PATH: join(folder, 'uploads'),
      S3_ENABLED: 'true',
      ...others,
    },
  });
  t.is(status, 78);
  t.regex(stderr, /S3_ACCESS_KEY_ID is required when S3_ENABLED=true/);
});
