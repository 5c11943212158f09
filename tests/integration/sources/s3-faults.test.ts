import { buffer } from 'node:stream/consumers';
import { Secret } from '@sheaf/contract';
import { makeGuardedFetch } from '@sheaf/outbound';
import type { RemoteFile, SourceDriver } from '@sheaf/sources';
import type { SourceErrorCode } from '@sheaf/vocabulary/sources';
import test, { type ExecutionContext } from 'ava';
import { type Fault, type FaultProxy, faults, openFaultProxy } from '../../support/fault-proxy.ts';
import { openS3Server } from '../../support/s3-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { collect, failsWith, getFile, listFiles, never } from './driver-contract.ts';
import { givenS3, loopbackFetch } from './given-driver.ts';

const XML_HEADERS = { 'content-type': 'application/xml' };

interface ListedObject {
  readonly key: string;
  readonly size?: number;
  readonly etag?: string;
}

const objectXml = ({ key, size = 1, etag = '&quot;1&quot;' }: ListedObject): string =>
  `<Contents><Key>${key}</Key><LastModified>2026-11-20T10:00:00.000Z</LastModified><ETag>${etag}</ETag><Size>${size}</Size></Contents>`;

const page = (objects: readonly ListedObject[], next?: string): string =>
  `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>documents</Name><KeyCount>${objects.length}</KeyCount>` +
  `<IsTruncated>${next !== undefined}</IsTruncated>${next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`}` +
  `${objects.map(objectXml).join('')}</ListBucketResult>`;

const failure = (code: string): string => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>hunter2</Message></Error>`;

const openFaulty = async (t: ExecutionContext, fault: Fault): Promise<FaultProxy> => {
  const proxy = await openFaultProxy();
  t.teardown(() => proxy[Symbol.asyncDispose]());
  proxy.inject({ fault });
  return proxy;
};

const answering = (t: ExecutionContext, body: string, status = 200): Promise<FaultProxy> =>
  openFaulty(t, faults.answer(status, body, XML_HEADERS));

const read = async (driver: SourceDriver, file: RemoteFile): Promise<Buffer> => buffer((await driver.open(file, never())).body);

const FILE: RemoteFile = { path: 'a.txt', sizeBytes: 4, modifiedAt: undefined, etag: '"1"' };

test('a service that hangs up, falls silent or cuts a file short is told so, and works again when it does', async (t) => {
  await using server = await openS3Server();
  await server.put('a.txt', 'x'.repeat(100_000));
  await using proxy = await openFaultProxy(server.url);
  const driver = givenS3({ endpointUrl: proxy.url });
  const hasty = givenS3({ endpointUrl: proxy.url }, { fetch: loopbackFetch({ headersTimeoutMs: 500, idleTimeoutMs: 500 }) });
  const file = getFile(await listFiles(driver), 'a.txt');
  proxy.inject({ fault: faults.cutHeaders() });
  await failsWith(t, driver.check(never()), 'unreachable');
  await failsWith(t, collect(driver.list(never())), 'unreachable');
  await failsWith(t, driver.open(file, never()), 'unreachable');
  proxy.inject({ fault: faults.cutBody(100) });
  await failsWith(t, collect(driver.list(never())), 'unreachable');
  await failsWith(t, read(driver, file), 'unreachable');
  proxy.inject({ fault: faults.silence() });
  await failsWith(t, hasty.check(never()), 'timeout');
  proxy.inject({ fault: faults.stall() });
  await failsWith(t, collect(hasty.list(never())), 'timeout');
  await failsWith(t, read(hasty, file), 'timeout');
  for (const length of [99_999, 100_001]) {
    proxy.inject({ fault: faults.replaceBody('x'.repeat(length)) });
    await failsWith(t, read(driver, file), 'protocol');
  }
  proxy.inject({ fault: faults.shorten(50_000) });
  await failsWith(t, read(driver, file), 'protocol');
  proxy.heal();
  t.is((await read(driver, file)).length, 100_000);
});

const FAILURES: readonly (readonly [number, string, Record<string, string>, SourceErrorCode, number | undefined])[] = [
  [403, failure('InvalidAccessKeyId'), {}, 'unauthorized', undefined],
  [403, failure('SignatureDoesNotMatch'), {}, 'unauthorized', undefined],
  [403, failure('AccessDenied'), {}, 'unauthorized', undefined],
  [403, '', {}, 'unauthorized', undefined],
  [401, '', {}, 'unauthorized', undefined],
  [404, failure('NoSuchBucket'), {}, 'not_found', undefined],
  [404, '', {}, 'not_found', undefined],
  [301, failure('PermanentRedirect'), { 'x-amz-bucket-region': 'eu-central-1' }, 'protocol', undefined],
  [429, '', { 'retry-after': '7' }, 'throttled', 7_000],
  [503, failure('SlowDown'), {}, 'throttled', undefined],
  [503, failure('SlowDown'), { 'retry-after': '9' }, 'throttled', 9_000],
  [503, '', { 'retry-after': '9' }, 'throttled', 9_000],
  [500, failure('InternalError'), {}, 'server_error', undefined],
  [502, '<html>Bad Gateway</html>', {}, 'server_error', undefined],
  [200, '<html><body>Welcome</body></html>', {}, 'protocol', undefined],
  [200, '', {}, 'protocol', undefined],
  [200, 'garbage { <<<', {}, 'protocol', undefined],
  [200, page([{ key: 'a.txt' }]).slice(0, -40), {}, 'protocol', undefined],
];

test('each answer that is no listing has its meaning, and none repeats what the service or the source keeps secret', async (t) => {
  for (const [status, body, headers, code, retryAfterMs] of FAILURES) {
    const proxy = await openFaulty(t, faults.answer(status, body, { ...XML_HEADERS, ...headers }));
    const driver = givenS3({ endpointUrl: proxy.url, secretAccessKey: new Secret('hunter2'), prefix: 'private' });
    for (const run of [() => driver.check(never()), () => collect(driver.list(never()))]) {
      const error = await failsWith(t, run(), code);
      t.is(error?.retryAfterMs, retryAfterMs, `${status} ${body}`);
      t.notRegex(error?.message ?? '', /hunter2|private|\?/);
    }
    t.true(proxy.seen.length === 2, 'nothing is asked again by itself');
  }
});

const BOMB = `<?xml version="1.0"?><!DOCTYPE m [<!ENTITY a "ha">${'bcdefghij'
  .split('')
  .map((name, index) => `<!ENTITY ${name} "${`&${'abcdefghij'[index]};`.repeat(10)}">`)
  .join('')}]>`;

test('entities in a listing are not unfolded and nobody is asked for them', async (t) => {
  const external = await answering(t, 'stolen');
  const bodies = [
    BOMB + page([{ key: '&j;' }]).replace('<?xml version="1.0"?>', ''),
    `<!DOCTYPE m [<!ENTITY x SYSTEM "${external.url}/">]>${page([{ key: '&x;' }]).replace('<?xml version="1.0"?>', '')}`,
  ];
  for (const body of bodies) {
    const proxy = await answering(t, body);
    const outcome = await collect(givenS3({ endpointUrl: proxy.url }).list(never())).then(
      ({ files }) => files.map(({ path }) => path).join(),
      (error: { code?: string }) => error.code,
    );
    t.true(outcome === 'protocol' || (outcome?.length ?? 0) < 100, outcome);
  }
  t.deepEqual(external.seen, []);
});

test('a service that does not get to the end of its listing is stopped', async (t) => {
  const repeated = await answering(t, page([{ key: 'a.txt' }], 'again'));
  await failsWith(t, collect(givenS3({ endpointUrl: repeated.url }).list(never())), 'protocol');
  t.true(repeated.seen.length <= 2);

  let asked = 0;
  const otherTokens = await openFaulty(t, (exchange) => faults.answer(200, page([{ key: 'a.txt' }], `token-${(asked += 1)}`))(exchange));
  await failsWith(t, collect(givenS3({ endpointUrl: otherTokens.url }).list(never())), 'protocol');
  t.true(asked <= 2);

  for (const left of [
    page([{ key: 'a.txt' }], ''),
    page([{ key: 'a.txt' }], 'x').replace(/<NextContinuationToken>.*<.NextContinuationToken>/, ''),
  ]) {
    const tokenless = await answering(t, left);
    await failsWith(t, collect(givenS3({ endpointUrl: tokenless.url }).list(never())), 'protocol');
  }

  let pages = 0;
  const growing = await openFaulty(t, (exchange) => {
    pages += 1;
    const objects = Array.from({ length: 1_000 }, (_, index) => ({ key: `${pages}-${index}.txt` }));
    return faults.answer(200, page(objects, `token-${pages}`))(exchange);
  });
  const limits = { maxEntries: 5_000, maxFolders: 1, maxDepth: 64, maxPathBytes: 4_096 };
  await failsWith(t, collect(givenS3({ endpointUrl: growing.url }, { limits }).list(never())), 'too_large');
  t.is(pages, 6);

  const empty = await openFaulty(t, (exchange) => faults.answer(200, page([], `token-${(pages += 1)}`))(exchange));
  await failsWith(t, collect(givenS3({ endpointUrl: empty.url }).list(never())), 'protocol');

  const endless = await openFaulty(
    t,
    faults.endless(200, XML_HEADERS, () => objectXml({ key: 'a.txt' }), '<ListBucketResult>'),
  );
  await failsWith(t, collect(givenS3({ endpointUrl: endless.url }).list(never())), 'too_large');
  await waitFor(() => endless.connections() === 0, { description: 'the connection to close', limitMs: 5_000 });
});

test('keys that can be no path are refused, markers of folders are left out, all others are read by their very key', async (t) => {
  const good = [
    'a.txt',
    'sub/b.txt',
    'with space.txt',
    'a+b.txt',
    'per%41cent.txt',
    'per%2Fcent.txt',
    'what?.txt',
    'hash#.txt',
    '...',
    'e\u0301.txt',
  ];
  const bad = ['/absolute.txt', '../up.txt', 'sub/../../up.txt', './here.txt', 'sub//empty.txt', 'tab&#9;name.txt', 'line&#10;name.txt'];
  const markers = ['sub/', 'other/deep/'];
  const proxy = await answering(t, page([...good, ...bad, ...markers].map((key) => ({ key: `team/${key}`, size: 4 }))));
  const asked: string[] = [];
  const answerFile: Fault = (exchange) => {
    asked.push(decodeURIComponent(new URL(exchange.request.url ?? '', proxy.url).pathname));
    return faults.answer(200, 'text', { etag: '"1"' })(exchange);
  };
  proxy.inject({ fault: answerFile, when: ({ url = '' }) => url.includes('x-id=GetObject') });
  const driver = givenS3({ endpointUrl: proxy.url, prefix: 'team' });
  const { files, refused } = await collect(driver.list(never()));
  t.deepEqual(
    files.map(({ path }) => path),
    good,
  );
  t.is(refused.length, bad.length);
  t.false(refused.some(({ path }) => path.includes('\n') || path.includes('\t')));
  for (const file of files) t.is((await read(driver, file)).toString(), 'text');
  t.deepEqual(
    asked,
    good.map((key) => `/documents/team/${key}`),
  );
});

test('keys that come encoded are read decoded', async (t) => {
  const encoded = ['with+space+%26+plus%2B.txt', '%C3%BCml%C3%A4ut/a%25b.txt', 'control%01.txt', 'latin%E4.txt'];
  const body = page(encoded.map((key) => ({ key }))).replace('<Name>', '<EncodingType>url</EncodingType><Name>');
  const proxy = await answering(t, body);
  const { files, refused } = await collect(givenS3({ endpointUrl: proxy.url }).list(never()));
  t.deepEqual(
    files.map(({ path }) => path),
    ['with space & plus+.txt', 'ümläut/a%b.txt'],
  );
  t.deepEqual(
    refused.map(({ path }) => path),
    ['control\\x01.txt', 'latin%E4.txt'],
  );
});

test('keys that are not below the prefix are a lie', async (t) => {
  const proxy = await answering(t, page([{ key: 'team2/a.txt' }]));
  await failsWith(t, collect(givenS3({ endpointUrl: proxy.url, prefix: 'team' }).list(never())), 'protocol');
});

test('tags are handed on as they are and asked for, also those of several parts, and another content is a change', async (t) => {
  const etag = '"d41d8cd98f00b204e9800998ecf8427e-12"';
  const proxy = await answering(t, page([{ key: 'a.txt', size: 4, etag: etag.replaceAll('"', '&quot;') }]));
  const isGet = ({ url = '' }): boolean => url.includes('x-id=GetObject');
  proxy.inject({ fault: faults.answer(200, 'text', { etag }), when: isGet });
  const driver = givenS3({ endpointUrl: proxy.url });
  const file = getFile(await listFiles(driver), 'a.txt');
  t.is(file.etag, etag);
  const opened = await driver.open(file, never());
  t.is((await buffer(opened.body)).toString(), 'text');
  t.true(await opened.isUnchanged());
  t.is(proxy.seen.at(-1)?.headers['if-match'], etag);
  proxy.inject({ fault: faults.answer(412, failure('PreconditionFailed'), XML_HEADERS), when: isGet });
  await failsWith(t, driver.open(file, never()), 'changed');
  proxy.inject({ fault: faults.answer(200, 'new!', { etag: '"other"' }), when: isGet });
  const other = await driver.open(file, never());
  t.is((await buffer(other.body)).toString(), 'new!');
  t.false(await other.isUnchanged());
});

test('a redirect to elsewhere is refused without asking there', async (t) => {
  const elsewhere = await answering(t, page([]));
  const proxy = await openFaulty(t, faults.redirect(`${elsewhere.url}/`, 307));
  const driver = givenS3({ endpointUrl: proxy.url });
  await failsWith(t, driver.check(never()), 'refused');
  await failsWith(t, driver.open(FILE, never()), 'refused');
  t.deepEqual(elsewhere.seen, []);
});

test('a body without an end stops where it should have ended, or where its reader stops', async (t) => {
  const proxy = await openFaulty(
    t,
    faults.endless(200, {}, () => Buffer.alloc(64 * 1024)),
  );
  const driver = givenS3({ endpointUrl: proxy.url });
  await failsWith(t, read(driver, { ...FILE, sizeBytes: 1_000_000 }), 'protocol');
  const { body } = await driver.open({ ...FILE, sizeBytes: undefined }, never());
  await new Promise((resolve) => body.once('data', resolve));
  body.destroy();
  await waitFor(() => proxy.connections() === 0, { description: 'the connections to close', limitMs: 5_000 });
  t.pass();
});

test('the guarded client decides where requests go, with and without an endpoint, and the bucket stands where it was asked to', async (t) => {
  const proxy = await answering(t, page([]));
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  const strict = makeGuardedFetch({ allowedNetworks: [], denyPrivate: true }, { userAgent: 'Sheaf', resolve });
  for (const endpointUrl of [proxy.url, undefined]) {
    const driver = givenS3({ endpointUrl } as { endpointUrl: string }, { fetch: strict });
    const error = await failsWith(t, driver.check(never()), 'refused');
    t.regex(error?.message ?? '', /OUTBOUND_ALLOWED_NETWORKS/);
  }
  t.deepEqual(proxy.seen, []);
  const { port } = new URL(proxy.url);
  await givenS3({ endpointUrl: `http://s3.example:${port}`, forcePathStyle: false }).check(never());
  t.is(proxy.seen[0]?.headers.host, `documents.s3.example:${port}`);
  await givenS3({ endpointUrl: `http://s3.example:${port}`, forcePathStyle: true }).check(never());
  t.is(proxy.seen[1]?.headers.host, `s3.example:${port}`);
  t.true(proxy.seen[1]?.url.startsWith('/documents'));
});

test('addresses that cannot be an endpoint are refused', (t) => {
  for (const endpointUrl of ['', 's3', 'ftp://s3.example/', 'https://key:hunter2@s3.example/', 'https://s3.example/?key=hunter2']) {
    const error = t.throws(() => givenS3({ endpointUrl }));
    t.is((error as { code?: string } | undefined)?.code, 'refused', endpointUrl);
    t.false(error?.message.includes('hunter2'));
  }
});
