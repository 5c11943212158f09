import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempDisposable, readdir, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { AppError } from '@sheaf/contract';
import { documentKey, type Storage } from '@sheaf/storage';
import anyTest, { type TestFn } from 'ava';
import { collect } from '../../support/collect.ts';
import { type Fault, faults, openFaultProxy } from '../../support/fault-proxy.ts';
import { fullOnly } from '../../support/full-run.ts';
import { openS3Server, type S3Server } from '../../support/s3-server.ts';
import { throwsUnavailable } from '../../support/throws-unavailable.ts';
import { waitFor } from '../../support/wait-for.ts';
import { everyUse, type FaultScene, failingAll, isMethod, LARGE, orLarge, someBytes, testBadLine } from './fault-contract.ts';
import { type GivenS3, givenS3 } from './s3-fixture.ts';

interface Context extends FaultScene {
  open: (given?: Partial<GivenS3>) => Storage;
  drop: () => Promise<void>;
}
const test = anyTest as TestFn<Context>;

let server: S3Server;
test.before(async () => {
  server = await openS3Server();
});
test.after.always(() => server[Symbol.asyncDispose]());

let folders = 0;

test.beforeEach(async (t) => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-s3-'));
  const proxy = await openFaultProxy(server.url);
  const prefix = `faults-${(folders += 1)}/`;
  const opened: Storage[] = [];
  const open = (given: Partial<GivenS3> = {}): Storage => {
    const storage = givenS3({ endpointUrl: proxy.url, prefix, tempPath: join(folder.path, 'temp'), ...given });
    opened.push(storage);
    return storage;
  };
  const drop = async (): Promise<void> => {
    for (const storage of opened) await storage.close();
    await proxy[Symbol.asyncDispose]();
    await folder.remove();
  };
  t.context = { proxy, folder: folder.path, open, openWith: (patience) => open({ patience }), storage: open(), drop };
});
test.afterEach.always((t) => t.context.drop());

const XML = { 'content-type': 'application/xml' };

const refusal = (status: number, code: string): Fault =>
  faults.answer(
    status,
    `<?xml version="1.0"?><Error><Code>${code}</Code><Message>of hunter2</Message><AWSAccessKeyId>S3RVER</AWSAccessKeyId></Error>`,
    XML,
  );

/** An object, stored past the proxy. */
const givenObject = async ({ open }: Context, size = 10_000) => {
  const { bytes, key } = someBytes(size);
  const storage = open({ endpointUrl: server.url });
  await storage.put(key, bytes);
  return { bytes, key };
};

testBadLine(test, givenObject);

const isPart = ({ url }: { readonly url?: string | undefined }): boolean => url?.includes('partNumber=') === true;

const assertAllFail = failingAll(/hunter2|S3RVER|Credential=/);

test('an answer 500, 503 or none at all is asked for again', async (t) => {
  const { proxy, storage } = t.context;
  const { bytes, key } = someBytes();
  for (const fault of [refusal(500, 'InternalError'), refusal(503, 'SlowDown'), faults.answer(502), faults.cutHeaders()]) {
    for (const method of ['HEAD', 'PUT', 'GET', 'DELETE']) proxy.inject({ fault, times: 2, when: isMethod(method) });
    await storage.put(key, bytes);
    t.true(bytes.equals(await buffer((await storage.open(key)).stream)));
    t.true(await storage.delete(key));
  }
});

fullOnly(test)('a service that answers 503 for good is abandoned after four tries', async (t) => {
  const { proxy, storage } = t.context;
  proxy.inject({ fault: refusal(503, 'ServiceUnavailable') });
  await throwsUnavailable(t, storage.open(someBytes().key), 'storage_server_error', { error: 'ServiceUnavailable, 503' });
  t.is(proxy.seen.length, 4);
  await assertAllFail(t, storage, 'storage_server_error');
});

test('a service that says nothing is abandoned after a time', async (t) => {
  const { proxy, openWith } = t.context;
  proxy.inject({ fault: faults.silence() });
  await assertAllFail(t, openWith({ answerMs: 40, tries: 2 }), 'storage_unreachable');
});

test('a service that is not there is told so', async (t) => {
  const details = { host: '127.0.0.1:1', error: 'ECONNREFUSED', setting: 'S3_ENDPOINT_URL' };
  await assertAllFail(t, t.context.open({ endpointUrl: 'http://127.0.0.1:1' }), 'storage_unreachable', details); // nobody listens there
});

test('a bucket that does not exist is no missing file', async (t) => {
  await assertAllFail(t, t.context.open({ bucket: 'nowhere' }), 'storage_not_found', { location_setting: 'S3_BUCKET_NAME' });
});

test('a key that is not known is refused once, and what to correct is said', async (t) => {
  const { proxy, open } = t.context;
  await t.throwsAsync(open({ accessKeyId: 'SOMEBODY' }).open(someBytes().key), { code: 'SERVICE_UNAVAILABLE' });
  t.is(proxy.seen.length, 1);
  const unknown = open({ accessKeyId: 'SOMEBODY' });
  for (const [name, use] of Object.entries(everyUse(unknown, t.context.folder))) {
    const error = await t.throwsAsync(use, { instanceOf: AppError, code: 'SERVICE_UNAVAILABLE' }, name);
    // the answer to HEAD has no body that would name the error
    t.true(['storage_key_rejected', 'storage_access_denied'].includes(String(error?.details.reason)), name);
  }
  t.is((await unknown.check()).status, 'unhealthy');
  proxy.inject({ fault: refusal(403, 'SignatureDoesNotMatch') });
  await throwsUnavailable(t, open().open(someBytes().key), 'storage_key_rejected');
});

test('a right that is missing is named', async (t) => {
  const { proxy, storage } = t.context;
  const { key, bytes } = someBytes();
  const uses = {
    PUT: () => storage.put(key, bytes),
    DELETE: () => storage.delete(key),
    GET: () => collect(storage.list('documents/')),
  };
  for (const [method, right] of [
    ['PUT', 'create'],
    ['GET', 'list'],
    ['DELETE', 'delete'],
  ] as const) {
    proxy.inject({ fault: refusal(403, 'AccessDenied'), when: isMethod(method) });
    const details = { action: right, credentials_setting: 'S3_ACCESS_KEY_ID' };
    await throwsUnavailable(t, uses[method], 'storage_access_denied', details, method);
    t.like((await storage.check()).problems, [{ code: 'storage_access_denied', details }]);
    proxy.heal();
    await storage.put(key, bytes);
  }
});

test('what the service refuses of the settings is named', async (t) => {
  const { proxy, storage } = t.context;
  for (const [status, code, reason] of [
    [400, 'InvalidStorageClass', 'storage_class_unsupported'],
    [400, 'KMS.NotFoundException', 'storage_kms_key_unusable'],
    [501, 'NotImplemented', 'storage_request_unsupported'],
    [400, 'AuthorizationHeaderMalformed', 'storage_region_wrong'],
    [301, 'PermanentRedirect', 'storage_region_wrong'],
    [403, 'RequestTimeTooSkewed', 'storage_clock_differs'],
    [507, 'XMinioStorageFull', 'storage_quota_reached'],
  ] as const) {
    proxy.heal();
    proxy.inject({ fault: refusal(status, code), when: isMethod('PUT') });
    const { bytes, key } = someBytes();
    await throwsUnavailable(t, storage.put(key, bytes), reason, { error: `${code}, ${status}` }, code);
  }
});

test('a redirection is not followed', async (t) => {
  const { proxy, storage } = t.context;
  await using elsewhere = await openFaultProxy(server.url);
  proxy.inject({ fault: (exchange) => faults.redirect(`${elsewhere.url}${exchange.request.url}`, 307)(exchange) });
  await assertAllFail(t, storage, 'storage_region_wrong');
  t.is(elsewhere.seen.length, 0);
});

test('somebody else at the address is neither believed nor taken for an empty storage', async (t) => {
  const { proxy, storage, folder } = t.context;
  for (const status of [200, 404]) {
    proxy.heal();
    proxy.inject({ fault: faults.answer(status, '<html><body>It works!</body></html>', { 'content-type': 'text/html' }) });
    for (const [name, use] of Object.entries(everyUse(storage, folder))) {
      await t.throwsAsync(use, { instanceOf: Error, message: /S3_ENDPOINT_URL|is damaged/ }, `${name} ${status}`);
    }
    t.is((await storage.check()).status, 'unhealthy');
  }
  proxy.inject({ fault: faults.answer(200, '<html></html>'), when: isMethod('GET') }); // and 404 to all other requests
  await t.throwsAsync(storage.stat(someBytes().key), { code: 'SERVICE_UNAVAILABLE' });
});

test('a download that is too long ends with an error', async (t) => {
  const { proxy, storage } = t.context;
  const { bytes, key } = await givenObject(t.context);
  proxy.inject({ fault: faults.replaceBody(Buffer.concat([bytes, bytes])) });
  await t.throwsAsync(
    storage.open(key).then(({ stream }) => buffer(stream)),
    { name: 'AppError' },
  );
});

test('a service that sends another part than was asked for is not believed', async (t) => {
  const { proxy, storage } = t.context;
  const { key, bytes } = await givenObject(t.context);
  for (const headers of [{}, { 'content-range': 'bytes 5-14/10000' }, { 'content-range': 'bytes 10-30/10000' }]) {
    proxy.heal();
    proxy.inject({ fault: faults.answer(206, bytes.subarray(0, 10), headers) });
    await t.throwsAsync(storage.open(key, { start: 10, end: 19 }), { code: 'SERVICE_UNAVAILABLE' });
  }
});

test('an upload that is spoiled on its way is repeated, and leaves nothing where it never arrives', async (t) => {
  const { proxy, storage } = t.context;
  for (const size of orLarge(500_000)) {
    const { bytes, key } = someBytes(size);
    proxy.inject({ fault: faults.spoilRequest(99), when: isMethod('PUT') });
    await throwsUnavailable(t, storage.put(key, bytes), 'storage_checksum_mismatch');
    proxy.heal();
    t.is(await storage.stat(key), undefined);
    proxy.inject({ fault: faults.spoilRequest(99), when: isMethod('PUT'), times: 1 });
    t.true((await storage.put(key, bytes)).isNew);
    t.true(bytes.equals(await buffer((await storage.open(key)).stream)));
  }
});

test('each upload carries its checksums, so that a service can refuse spoiled bytes', async (t) => {
  const { proxy, storage } = t.context;
  const { bytes, key } = someBytes();
  await storage.put(key, bytes);
  const headers = proxy.seen.find(({ method }) => method === 'PUT')?.headers;
  t.is(headers?.['content-md5'], createHash('md5').update(bytes).digest('base64'));
  t.is(headers?.['x-amz-content-sha256'], createHash('sha256').update(bytes).digest('hex'));
  t.is(headers?.['content-length'], String(bytes.length));
  t.is(headers?.['transfer-encoding'], undefined);
  t.deepEqual(
    Object.keys(headers ?? {}).filter((name) => name.includes('checksum') || name === 'x-amz-trailer'),
    [],
  );
});

test('the tag of bytes that the service encrypts with a key of its own says nothing', async (t) => {
  const { proxy, storage } = t.context;
  const { bytes, key } = someBytes();
  const headers = { etag: `"${'0'.repeat(32)}"`, 'x-amz-server-side-encryption': 'aws:kms' };
  proxy.inject({ fault: faults.answer(200, '', headers), when: isMethod('PUT') });
  await t.notThrowsAsync(storage.put(key, bytes));
});

test('right bytes that somebody else stored meanwhile are not removed with spoiled ones', async (t) => {
  const { proxy, storage, open } = t.context;
  const { bytes, key } = someBytes();
  proxy.inject({
    when: isMethod('PUT'),
    fault: async (exchange) => {
      const { headers } = await exchange.forward(randomBytes(bytes.length));
      await open({ endpointUrl: server.url }).replace(key, bytes); // before the storage hears what it has stored
      await faults.answer(200, '', { etag: String(headers.etag) })(exchange);
    },
  });
  await t.throwsAsync(storage.put(key, bytes), { code: 'SERVICE_UNAVAILABLE' });
  proxy.heal();
  t.true(bytes.equals(await buffer((await storage.open(key)).stream)));
});

test('a large object is sent in parts, of which one may fail, and is not to be seen before all are there', async (t) => {
  const { proxy, storage, folder } = t.context;
  const { bytes, key } = someBytes(LARGE);
  const path = join(folder, 'large');
  await writeFile(path, bytes);
  const isCompletion = ({ method, url }: IncomingMessage): boolean => method === 'POST' && url?.includes('uploadId=') === true;
  proxy.inject({ fault: refusal(500, 'InternalError'), when: isPart, times: 1 });
  let completion = '';
  proxy.inject({
    when: isCompletion,
    fault: async (exchange) => {
      completion = Buffer.concat(await exchange.request.toArray()).toString();
      await refusal(403, 'AccessDenied')(exchange);
    },
  });
  await t.throwsAsync(storage.put(key, path), { code: 'SERVICE_UNAVAILABLE' });
  t.is(proxy.seen.filter(isPart).length, 4);
  const numbers = [...completion.matchAll(/<PartNumber>(\d)</g)].map(([, number]) => number);
  t.deepEqual(numbers, ['1', '2', '3']);
  t.true(proxy.seen.some(({ method, url }) => method === 'DELETE' && url.includes('uploadId=')));
  t.is(await storage.stat(key), undefined);
  t.deepEqual(await collect(storage.list('documents/')), []);
  proxy.heal();
  t.true((await storage.put(key, path)).isNew);
  t.false((await storage.put(key, Readable.from([bytes]))).isNew);
  t.true(bytes.equals(await buffer((await storage.open(key)).stream)));
});

fullOnly(test)('after a part that failed for good no further one is sent, and the parts are given up', async (t) => {
  const { proxy, storage } = t.context;
  const { bytes, key } = someBytes(10 * 8 * 1024 * 1024);
  proxy.inject({ fault: refusal(403, 'AccessDenied'), when: isPart });
  await t.throwsAsync(storage.put(key, bytes), { code: 'SERVICE_UNAVAILABLE' });
  t.true(proxy.seen.filter(isPart).length <= 5);
  t.is(proxy.seen.filter(({ method }) => method === 'DELETE').length, 1);
  t.is(await storage.stat(key), undefined);
});

fullOnly(test)('an object whose parts came together wrongly is not left', async (t) => {
  const { proxy, storage } = t.context;
  const { bytes, key } = someBytes(LARGE);
  const isCompletion = ({ method, url }: IncomingMessage): boolean => method === 'POST' && url?.includes('uploadId=') === true;
  proxy.inject({
    when: isCompletion,
    fault: async (exchange) => {
      await server.put(decodeURI(new URL(`http://x${exchange.request.url}`).pathname.replace('/documents/', '')), 'half of it');
      await faults.answer(200, '<CompleteMultipartUploadResult><ETag>"1-3"</ETag></CompleteMultipartUploadResult>', XML)(exchange);
    },
  });
  await throwsUnavailable(t, storage.put(key, bytes), 'storage_checksum_mismatch');
  t.is(await storage.stat(key), undefined);
});

fullOnly(test)('a process that is killed while it sends a large object leaves nothing to be seen', async (t) => {
  const { proxy, folder, open } = t.context;
  const { bytes, key } = someBytes(LARGE);
  const path = join(folder, 'large');
  await writeFile(path, bytes);
  proxy.inject({ fault: faults.silence(), when: ({ url }) => url?.includes('partNumber=3') === true });
  const program = fileURLToPath(new URL('../../fixtures/storage/put-to-s3.ts', import.meta.url));
  const child = spawn(process.execPath, [program, proxy.url, join(folder, 'temp'), key, path], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await waitFor(() => proxy.seen.filter(isPart).length === 3, { description: 'three parts to be sent', limitMs: 20_000 });
  child.kill('SIGKILL');
  await ended;
  proxy.heal();
  const storage = open({ prefix: '' });
  t.is(await storage.stat(key), undefined);
  t.true((await storage.put(key, path)).isNew);
  t.true(await storage.delete(key));
});

test('a stream leaves nothing in the temporary folder, whether it was stored, refused or broke', async (t) => {
  const { proxy, storage, folder } = t.context;
  const { bytes, key } = someBytes();
  await storage.put(key, Readable.from([bytes]));
  const broken = Readable.from(
    (async function* () {
      yield bytes;
      throw new Error('cut');
    })(),
  );
  await t.throwsAsync(storage.put(someBytes().key, broken), { message: 'cut' });
  proxy.inject({ fault: refusal(403, 'AccessDenied') });
  await t.throwsAsync(storage.put(key, Readable.from([bytes])), { code: 'SERVICE_UNAVAILABLE' });
  t.deepEqual(await readdir(join(folder, 'temp')), []);
});

const isCopy = ({ headers }: { readonly headers: IncomingMessage['headers'] }): boolean => headers['x-amz-copy-source'] !== undefined;
const isUpload = (request: { readonly method?: string | undefined; readonly headers: IncomingMessage['headers'] }): boolean =>
  request.method === 'PUT' && !isCopy(request);

const copied = (at: Date): Fault =>
  faults.answer(200, `<CopyObjectResult><LastModified>${at.toISOString()}</LastModified><ETag>"1"</ETag></CopyObjectResult>`, XML);

test('an object that is there is made fresh by the service itself where it can, and else sent again', async (t) => {
  const { proxy, storage } = t.context;
  const { bytes, key } = await givenObject(t.context);
  const uploads = (): number => proxy.seen.filter(isUpload).length;
  proxy.inject({ fault: copied(new Date(Date.now() + 5_000)), when: isCopy });
  t.false((await storage.put(key, bytes)).isNew);
  t.is(uploads(), 0);
  for (const fault of [copied(new Date(0)), refusal(404, 'NoSuchKey'), refusal(501, 'NotImplemented')]) {
    proxy.heal();
    proxy.inject({ fault, when: isCopy });
    const before = uploads();
    t.false((await storage.put(key, bytes)).isNew);
    t.is(uploads(), before + 1);
  }
});

test('a put of an object that is old makes it fresh', async (t) => {
  const { storage } = t.context;
  const { bytes, key } = await givenObject(t.context);
  await server.makeOld(storage.pathOf(key).replace('s3://documents/', ''), new Date('2020-01-01'));
  t.deepEqual((await storage.stat(key))?.modifiedAt, new Date('2020-01-01'));
  t.false((await storage.put(key, bytes)).isNew);
  t.true(((await storage.stat(key))?.modifiedAt ?? new Date(0)) > new Date(Date.now() - 60_000));
});

const listPage = (names: readonly string[], next?: string): string =>
  `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>documents</Name><KeyCount>${names.length}</KeyCount>` +
  `<EncodingType>url</EncodingType><IsTruncated>${next !== undefined}</IsTruncated>${next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`}` +
  names
    .map((name) => `<Contents><Key>${name}</Key><LastModified>2026-01-05T10:00:00.000Z</LastModified><Size>7</Size></Contents>`)
    .join('') +
  '</ListBucketResult>';

test('a list is read to its last page, and a page that fails is asked for again', async (t) => {
  const { proxy, open } = t.context;
  const storage = open({ prefix: 'a+b/' });
  const [first, second] = [someBytes().key, someBytes().key];
  const isSecond = ({ url }: IncomingMessage): boolean => url?.includes('continuation-token=') === true;
  const foreign = ['a%2Bb/documents/.hidden', 'a%2Bb/documents/', 'a%2Bb/documents/%FF', `a%2Bb/elsewhere/${'x'.repeat(5)}`];
  proxy.inject({ fault: faults.answer(200, listPage([...foreign, `a%2Bb/${first}`], 'more'), XML) });
  proxy.inject({ fault: faults.answer(200, listPage([`a%2Bb/${second}`]), XML), when: isSecond });
  proxy.inject({ fault: faults.answer(503), when: isSecond, times: 1 });
  proxy.inject({ fault: faults.cutBody(60), when: isSecond, times: 1 });
  const objects = await collect(storage.list('documents/'));
  t.deepEqual(
    objects.map(({ key, sizeBytes }) => [key, sizeBytes]),
    [
      [first, 7],
      [second, 7],
    ],
  );
  for (const fault of [faults.answer(503), faults.answer(200, listPage([], 'more'), XML), faults.answer(200, '<a/>', XML)]) {
    proxy.inject({ fault, when: isSecond });
    await t.throwsAsync(collect(storage.list('documents/')), { code: 'SERVICE_UNAVAILABLE' });
  }
});

fullOnly(test)('a list of more than a thousand objects has each of them once', async (t) => {
  const { storage } = t.context;
  const keys = Array.from({ length: 1_005 }, (_, index) => documentKey(createHash('sha256').update(String(index)).digest('hex')));
  for (let start = 0; start < keys.length; start += 50)
    await Promise.all(keys.slice(start, start + 50).map((key) => server.put(storage.pathOf(key).replace('s3://documents/', ''), 'x')));
  const listed = await collect(storage.list('documents/'));
  t.deepEqual(listed.map(({ key }) => key).toSorted(), keys.toSorted());
});

test('a connection is used again, and a closed storage holds none', async (t) => {
  const { proxy, storage } = t.context;
  for (let round = 0; round < 3; round += 1) {
    const { bytes, key } = someBytes(3_000_000);
    await storage.put(key, bytes);
  }
  t.is(proxy.connections(), 1);
  t.true(proxy.seen.every(({ headers }) => headers.expect === undefined)); // each of these would get a connection of its own
  await storage.close();
  await t.notThrowsAsync(waitFor(() => proxy.connections() === 0, { description: 'the connections to be given back', limitMs: 5_000 }));
});

test('a look at the storage writes a probe only at first and after it was not well, and leaves none', async (t) => {
  const { proxy, storage } = t.context;
  const methods = (): string[] => proxy.seen.map(({ method }) => method);
  t.is((await storage.check()).status, 'healthy');
  t.deepEqual(methods(), ['PUT', 'GET', 'HEAD', 'DELETE']);
  await storage.check();
  t.deepEqual(methods().slice(4), ['GET']);
  proxy.inject({ fault: faults.answer(403) });
  t.is((await storage.check()).status, 'unhealthy');
  proxy.heal();
  t.is((await storage.check()).status, 'healthy');
  t.deepEqual(methods().slice(-4), ['PUT', 'GET', 'HEAD', 'DELETE']);
  t.deepEqual(await collect(storage.list('')), []);
});

test('a probe that a killed process left is no object, and is swept', async (t) => {
  const { storage } = t.context;
  const folder = storage.place.replace('s3://documents/', '');
  await server.put(`${folder}/.sheaf-probe/left`, 'probe');
  t.deepEqual(await collect(storage.list('')), []);
  t.is(await storage.sweepLeftovers(new Date(Date.now() - 60_000)), 0);
  t.is(await storage.sweepLeftovers(new Date(Date.now() + 60_000)), 1);
  t.is(await storage.sweepLeftovers(new Date(Date.now() + 60_000)), 0);
});

const uploadsPage = (uploads: readonly (readonly [name: string, id: string, at: string])[], next?: string): string =>
  `<ListMultipartUploadsResult><Bucket>documents</Bucket><IsTruncated>${next !== undefined}</IsTruncated>` +
  (next === undefined ? '' : `<NextKeyMarker>${next}</NextKeyMarker><NextUploadIdMarker>1</NextUploadIdMarker>`) +
  uploads.map(([name, id, at]) => `<Upload><Key>${name}</Key><UploadId>${id}</UploadId><Initiated>${at}</Initiated></Upload>`).join('') +
  '</ListMultipartUploadsResult>';

test('unfinished uploads of our own are given up when they are old, and nobody else’s', async (t) => {
  const { proxy, open } = t.context;
  const storage = open({ prefix: 'ours/' });
  const { key } = someBytes();
  const [old, young] = ['2026-01-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'];
  const isList = ({ url }: IncomingMessage): boolean => url?.includes('uploads') === true;
  const first = [
    [`ours/${key}`, 'old', old],
    [`ours/${key}`, 'young', young],
    [`them/${key}`, 'theirs', old],
    ['ours/film.mp4', 'film', old],
  ] as const;
  proxy.inject({ fault: faults.answer(200, uploadsPage(first, 'more'), XML), when: isList });
  const isSecond = (request: IncomingMessage): boolean => isList(request) && request.url?.includes('key-marker=more') === true;
  proxy.inject({ fault: faults.answer(200, uploadsPage([[`ours/${key}`, 'old-too', old]]), XML), when: isSecond });
  proxy.inject({ fault: faults.answer(204), when: isMethod('DELETE') });
  t.is(await storage.sweepLeftovers(new Date('2026-02-01')), 2);
  const aborted = proxy.seen
    .filter(({ method }) => method === 'DELETE')
    .map(({ url }) => new URL(`http://x${url}`).searchParams.get('uploadId'));
  t.deepEqual(aborted, ['old', 'old-too']);
  t.true(proxy.seen[0]?.url.includes('prefix=ours%2F'));
});
