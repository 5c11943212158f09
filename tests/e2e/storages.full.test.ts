// The whole service on each storage in the network.
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '@sheaf/contract';
import { documentKey, openOneStorage, type Storage, type StorageType } from '@sheaf/storage';
import { type ApiClient, makePdf } from '@sheaf/testkit';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { openAzurite } from '../support/azurite.ts';
import { collect } from '../support/collect.ts';
import { type GivenService, givenService } from '../support/given-service.ts';
import { openS3Server } from '../support/s3-server.ts';
import { makeScan } from '../support/scan.ts';
import { waitFor } from '../support/wait-for.ts';

/** A storage service that can be away. */
interface Remote extends AsyncDisposable {
  readonly type: StorageType;
  readonly environment: Record<string, string>;
  /** How the paths of its documents begin. */
  readonly paths: string;
  /** What it holds, seen by another client than the service's. */
  readonly storage: Storage;
  stop(): Promise<void>;
  start(): Promise<void>;
}

const nowhere = { path: '/nonexistent', thumbnailPath: '/nonexistent', tempPath: '/nonexistent' };
const ofFolders = { hasLocalDocuments: async () => false };

const openS3 = async (): Promise<Remote> => {
  const server = await openS3Server('papers');
  const s3 = {
    bucket: 'papers',
    accessKeyId: 'S3RVER',
    secretAccessKey: new Secret('S3RVER'),
    region: 'us-east-1',
    endpointUrl: server.url,
    forcePathStyle: true,
    prefix: 'archive/',
    verifyCertificate: true,
    storageClass: 'STANDARD',
    encryption: undefined,
    kmsKeyId: undefined,
  };
  const storage = await openOneStorage('s3', { ...nowhere, type: 's3', s3, azure: undefined }, ofFolders);
  return {
    type: 's3',
    environment: {
      STORAGE_TYPE: 's3',
      S3_BUCKET_NAME: 'papers',
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
      S3_ENDPOINT_URL: server.url,
      S3_PREFIX: 'archive',
    },
    paths: 's3://papers/archive/documents/',
    storage,
    stop: () => server.stop(),
    start: () => server.start(),
    [Symbol.asyncDispose]: async () => {
      await storage.close();
      await server[Symbol.asyncDispose]();
    },
  };
};

const openAzure = async (): Promise<Remote> => {
  const server = await openAzurite({ isKept: true });
  const { container, connectionString } = server;
  const azure = { container, connectionString: new Secret(connectionString) };
  const storage = await openOneStorage('azure', { ...nowhere, type: 'azure', s3: undefined, azure }, ofFolders);
  return {
    type: 'azure',
    environment: {
      STORAGE_TYPE: 'azure',
      AZURE_STORAGE_CONNECTION_STRING: connectionString,
      AZURE_STORAGE_CONTAINER: container,
    },
    paths: `azure://${container}/documents/`,
    storage,
    stop: () => server.stop(),
    start: () => server.start(),
    [Symbol.asyncDispose]: async () => {
      await storage.close();
      await server[Symbol.asyncDispose]();
    },
  };
};

const keysOf = async ({ storage }: Remote, prefix: string): Promise<string[]> =>
  (await collect(storage.list(prefix))).map(({ key }) => key);

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const upload = async (t: ExecutionContext, client: ApiClient, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
  const { status, body } = await client.upload({ name, bytes });
  t.is(status, 201, `${name}: ${JSON.stringify(body)}`);
  return String(body['id']);
};

/** What is recorded of documents. That an arrival failed is recorded too, elsewhere. */
const recorded = async ({ database }: GivenService): Promise<unknown> => {
  const counts = ['documents', 'ocr_jobs', 'document_pages', 'document_labels'].map(
    (table) => `(select count(*)::int from ${table}) as ${table}`,
  );
  return (await database.pool.query(`select ${counts.join()}`)).rows;
};

/** One of each kind of file is uploaded and read. */
const givenDocuments = async (t: ExecutionContext, admin: ApiClient) => {
  const pdf = new Uint8Array(makePdf([{ lines: ['an astrolabe of brass'] }, { lines: ['its second page'] }]));
  const ids = {
    pdf: await upload(t, admin, 'letter.pdf', pdf),
    scan: await upload(t, admin, 'scan.tiff', await makeScan(['a theodolite'])),
    office: await upload(t, admin, 'report.rtf', bytesOf('{\\rtf1\\ansi a quadrant of wood}')),
    text: await upload(t, admin, 'note.txt', bytesOf('a sextant of bronze')),
  };
  for (const [kind, id] of Object.entries(ids)) t.is((await admin.waitForEnd(id)).status, 'completed', kind);
  return { pdf, ids };
};

const checkReading = async (t: ExecutionContext, admin: ApiClient, { pdf, ids }: Awaited<ReturnType<typeof givenDocuments>>) => {
  for (const [word, id] of Object.entries({ astrolabe: ids.pdf, theodolite: ids.scan, quadrant: ids.office, sextant: ids.text }))
    t.deepEqual(await admin.find(word), [id], word);
  for (const id of Object.values(ids)) {
    for (const _round of ['drawn', 'kept']) {
      const picture = await admin.request(`/api/documents/${id}/thumbnail`);
      t.is(picture.status, 200);
      t.is((await picture.arrayBuffer()).byteLength, Number(picture.headers.get('content-length')));
    }
  }
  const preview = await admin.request(`/api/documents/${ids.office}/preview`);
  t.is(preview.status, 200);
  t.regex(await preview.text(), /^%PDF-/);
  t.is((await admin.get(`/api/documents/${ids.text}/preview`)).status, 404);

  const url = `/api/documents/${ids.pdf}/download`;
  const whole = await admin.request(url);
  t.is(whole.headers.get('etag'), `"${sha256Of(pdf)}"`);
  t.deepEqual(new Uint8Array(await whole.arrayBuffer()), pdf);
  const part = await admin.request(url, { headers: { range: 'bytes=5-14' } });
  t.is(part.status, 206);
  t.is(part.headers.get('content-range'), `bytes 5-14/${pdf.length}`);
  t.deepEqual(new Uint8Array(await part.arrayBuffer()), pdf.subarray(5, 15));
  const last = await admin.request(url, { headers: { range: 'bytes=-7' } });
  t.deepEqual(new Uint8Array(await last.arrayBuffer()), pdf.subarray(-7));
  t.is((await admin.request(url, { headers: { range: 'bytes=999999-' } })).status, 416);
  t.is((await admin.request(url, { headers: { 'if-none-match': `"${sha256Of(pdf)}"`, 'cache-control': 'max-age=0' } })).status, 304);
  t.is((await admin.request(url, { method: 'HEAD' })).headers.get('content-length'), String(pdf.length));
};

const bulkAnswer = z.looseObject({ uploaded: z.number(), documents: z.array(z.looseObject({ id: z.string() })) });

const checkBulk = async (t: ExecutionContext, admin: ApiClient): Promise<void> => {
  const form = new FormData();
  for (let index = 0; index < 8; index += 1) form.append('files', new Blob([`a barometer, number ${index}`]), `${index}.txt`);
  const response = await admin.request('/api/documents/bulk-upload', { method: 'POST', body: form });
  t.is(response.status, 201);
  const { uploaded, documents } = bulkAnswer.parse(await response.json());
  t.is(uploaded, 8);
  for (const { id } of documents) t.is((await admin.waitForEnd(id)).status, 'completed');
  t.is((await admin.find('barometer')).length, 8);
  const ids = documents.map(({ id }) => id);
  t.deepEqual((await admin.post('/api/documents/bulk', { ids, action: 'delete', permanent: true })).body, { matched: 8, done: 8 });
};

const checkFolder = async (t: ExecutionContext, given: GivenService, admin: ApiClient): Promise<void> => {
  await writeFile(join(given.folder, 'watch', 'dropped.txt'), 'a chronometer that was dropped');
  const id = await waitFor(async () => (await admin.find('chronometer'))[0], {
    description: 'the dropped file to be found',
    limitMs: 60_000,
  });
  t.is((await admin.delete(`/api/documents/${id}?permanent=true`)).status, 204);
};

const checkRetryAndDelete = async (t: ExecutionContext, remote: Remote, admin: ApiClient, ids: Record<string, string>): Promise<void> => {
  t.deepEqual((await admin.post('/api/documents/bulk', { ids: Object.values(ids), action: 'retry_ocr' })).body, { matched: 4, done: 4 });
  for (const id of Object.values(ids)) t.is((await admin.waitForEnd(id)).status, 'completed');
  for (const id of Object.values(ids)) t.is((await admin.delete(`/api/documents/${id}?permanent=true`)).status, 204);
  for (const prefix of ['documents/', 'previews/', 'thumbnails/']) t.deepEqual(await keysOf(remote, prefix), [], prefix);
};

const health = z.looseObject({
  components: z.looseObject({ file_storage: z.looseObject({ status: z.string(), message: z.string().optional() }) }),
});

const checkAway = async (t: ExecutionContext, given: GivenService, remote: Remote, admin: ApiClient): Promise<void> => {
  const kept = bytesOf('a compass that stays');
  const id = await upload(t, admin, 'compass.txt', kept);
  t.is((await admin.waitForEnd(id)).status, 'completed');
  const before = await recorded(given);
  await remote.stop();

  const refused = await admin.upload({ name: 'late.txt', bytes: bytesOf('a hygrometer') });
  t.is(refused.status, 503);
  t.regex(JSON.stringify(refused.body), /The storage .* is not reachable/);
  t.is((await admin.request(`/api/documents/${id}/download`)).status, 503);
  t.deepEqual(await recorded(given), before);
  t.is((await admin.document(id)).content, 'a compass that stays', 'what is in the database is still there');
  const isTold = async (status: string): Promise<boolean> => {
    const { components } = health.parse((await admin.get('/api/health/detailed')).body);
    const { status: found, message = '' } = components.file_storage;
    return found === status && (status === 'healthy' || /not reachable/.test(message));
  };
  await waitFor(() => isTold('unhealthy'), { description: 'health to say that the storage is away', limitMs: 60_000, everyMs: 200 });

  await remote.start();
  t.deepEqual(new Uint8Array(await (await admin.request(`/api/documents/${id}/download`)).arrayBuffer()), kept);
  const late = await upload(t, admin, 'late.txt', bytesOf('a hygrometer'));
  t.is((await admin.waitForEnd(late)).status, 'completed');
  await waitFor(() => isTold('healthy'), { description: 'health to say that the storage is back', limitMs: 60_000, everyMs: 200 });
  t.deepEqual(
    (await keysOf(remote, 'documents/')).toSorted(),
    [kept, bytesOf('a hygrometer')].map((bytes) => documentKey(sha256Of(bytes))).toSorted(),
  );
};

for (const open of [openS3, openAzure]) {
  test(`${open === openS3 ? 'S3' : 'the blob store'}: documents are uploaded, read, shown, read again and deleted, and the storage may be away`, async (t) => {
    t.timeout(3 * 300_000);
    await using remote = await open();
    await using given = await givenService({ ...remote.environment, ALLOWED_FILE_TYPES: 'txt,rtf,tiff,pdf' });
    const admin = await (await given.service.ready()).register('admin');
    const documents = await givenDocuments(t, admin);
    const { rows } = await given.database.pool.query<{ file_path: string }>('select file_path from documents');
    for (const { file_path } of rows) t.true(file_path.startsWith(remote.paths), file_path);
    t.is((await keysOf(remote, 'documents/')).length, 4);
    await checkReading(t, admin, documents);
    await checkBulk(t, admin);
    await checkFolder(t, given, admin);
    await checkRetryAndDelete(t, remote, admin, documents.ids);
    t.notRegex(
      given.service.output,
      / ERROR: /,
      given.service.output
        .split('\n')
        .filter((line) => / ERROR: /.test(line))
        .join('\n'),
    );
    await checkAway(t, given, remote, admin);
    const secret = remote.environment['AZURE_STORAGE_CONNECTION_STRING'];
    if (secret !== undefined) t.false(given.service.output.includes(/AccountKey=([^;]+)/.exec(secret)?.[1] ?? secret));
  });
}
