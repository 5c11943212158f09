import { createHash, randomBytes } from 'node:crypto';
import dns from 'node:dns';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createServer } from 'node:tls';
import { documentKey, openOneStorage, type Storage } from '@sheaf/storage';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { makeKeyPair } from '../../support/certificate.ts';
import { type FaultProxy, faults, openFaultProxy, type SeenRequest } from '../../support/fault-proxy.ts';
import { openS3Server, type S3Server } from '../../support/s3-server.ts';
import { throwsUnavailable } from '../../support/throws-unavailable.ts';
import { type GivenS3, givenS3, s3Settings } from './s3-fixture.ts';

interface Context {
  proxy: FaultProxy;
  open: (given?: Partial<GivenS3>) => Storage;
  drop: () => Promise<void>;
}
const test = anyTest as TestFn<Context>;

let server: S3Server;
test.before(async () => {
  server = await openS3Server();
});
test.after.always(() => server[Symbol.asyncDispose]());

test.beforeEach(async (t) => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-s3-'));
  const proxy = await openFaultProxy(server.url);
  const opened: Storage[] = [];
  const open = (given: Partial<GivenS3> = {}): Storage => {
    const storage = givenS3({ endpointUrl: proxy.url, tempPath: join(folder.path, 'temp'), ...given });
    opened.push(storage);
    return storage;
  };
  const drop = async (): Promise<void> => {
    for (const storage of opened) await storage.close();
    await proxy[Symbol.asyncDispose]();
    await folder.remove();
  };
  t.context = { proxy, open, drop };
});
test.afterEach.always((t) => t.context.drop());

const someBytes = (size = 1_000) => {
  const bytes = randomBytes(size);
  return { bytes, key: documentKey(createHash('sha256').update(bytes).digest('hex')) };
};

/** The requests by which an object is made: at once, in parts, and onto itself. */
const makings = async ({ proxy }: Context, storage: Storage): Promise<SeenRequest[]> => {
  const small = someBytes();
  await storage.put(small.key, small.bytes);
  await storage.put(small.key, small.bytes);
  const large = someBytes(9 * 1024 * 1024);
  await storage.put(large.key, large.bytes);
  const isMaking = ({ method, url }: SeenRequest): boolean =>
    (method === 'PUT' && !url.includes('partNumber')) || (method === 'POST' && url.includes('uploads'));
  return proxy.seen.filter(isMaking);
};

const assertHeaders = async (t: ExecutionContext<Context>, given: Partial<GivenS3>, expected: Record<string, string>): Promise<void> => {
  const requests = await makings(t.context, t.context.open(given));
  t.true(requests.some(({ headers }) => headers['x-amz-copy-source'] !== undefined));
  t.true(requests.some(({ method }) => method === 'POST'));
  for (const { headers } of requests) {
    const kept = Object.entries(headers).filter(([name]) => /storage-class|server-side-encryption/.test(name));
    t.deepEqual(Object.fromEntries(kept), expected);
  }
};

test('nothing is said of storage class and encryption where nothing is set', (t) => assertHeaders(t, {}, {}));

test('each way to make an object names the storage class', (t) =>
  assertHeaders(t, { storageClass: 'STANDARD_IA' }, { 'x-amz-storage-class': 'STANDARD_IA' }));

test('each way to make an object asks for encryption', (t) =>
  assertHeaders(t, { encryption: 'AES256' }, { 'x-amz-server-side-encryption': 'AES256' }));

test('each way to make an object names the key of its encryption', (t) =>
  assertHeaders(
    t,
    { encryption: 'aws:kms', kmsKeyId: 'alias/documents' },
    { 'x-amz-server-side-encryption': 'aws:kms', 'x-amz-server-side-encryption-aws-kms-key-id': 'alias/documents' },
  ));

test('bucket and folder stand in the path, and in the path of a document', async (t) => {
  const { proxy, open } = t.context;
  const { bytes, key } = someBytes();
  const storage = open({ prefix: "team's (1)/" });
  const { path } = await storage.put(key, bytes);
  t.is(path, `s3://documents/team's (1)/${key}`);
  t.is(
    decodeURI(proxy.seen.at(-1)?.url.split('?')[0] ?? '')
      .replaceAll('%27', "'")
      .replaceAll('%28', '(')
      .replaceAll('%29', ')'),
    `/documents/team's (1)/${key}`,
  );
  t.false((await storage.put(key, bytes)).isNew);
  t.true(await storage.delete(key));
});

test('key and region are in the signature', async (t) => {
  const { proxy, open } = t.context;
  await open({ region: 'eu-north-1' }).stat(someBytes().key);
  t.regex(proxy.seen[0]?.headers.authorization ?? '', /Credential=S3RVER\/\d{8}\/eu-north-1\/s3\/aws4_request/);
});

/** Every name leads to this machine; which ones were asked for is noted. */
const noteNames = (t: ExecutionContext<Context>): Set<string> => {
  const names = new Set<string>();
  const { lookup } = dns;
  dns.lookup = ((name: string, options: dns.LookupOptions, done: Parameters<typeof dns.lookup>[1]) => {
    names.add(name);
    lookup('127.0.0.1', options, done as never);
  }) as typeof dns.lookup;
  t.teardown(() => {
    dns.lookup = lookup;
  });
  return names;
};

test.serial('without path style the bucket stands in the host name', async (t) => {
  const { proxy, open } = t.context;
  const names = noteNames(t);
  const port = new URL(proxy.url).port;
  proxy.inject({ fault: faults.answer(200, '', { 'content-length': '7', 'last-modified': new Date().toUTCString() }) });
  const { key } = someBytes();
  await open({ endpointUrl: `http://storage.test:${port}`, forcePathStyle: false }).stat(key);
  t.deepEqual([...names], ['documents.storage.test']);
  t.is(proxy.seen[0]?.headers.host, `documents.storage.test:${port}`);
  t.is(proxy.seen[0]?.url.split('?')[0], `/${key}`);
  await open({ endpointUrl: `http://storage.test:${port}`, forcePathStyle: true }).stat(key);
  t.is(proxy.seen[1]?.url.split('?')[0], `/documents/${key}`);
});

test.serial('neither the environment nor a file of the machine decides where the bytes go', async (t) => {
  const names = noteNames(t);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-aws-'));
  const file = join(folder.path, 'config');
  const lines = [
    '[default]',
    'region = us-west-2',
    'endpoint_url = http://elsewhere.test',
    's3_use_arn_region = true',
    'use_fips_endpoint = true',
  ];
  await writeFile(file, lines.join('\n'));
  const environment = {
    AWS_CONFIG_FILE: file,
    AWS_SHARED_CREDENTIALS_FILE: file,
    AWS_ENDPOINT_URL: 'http://elsewhere.test',
    AWS_ENDPOINT_URL_S3: 'http://elsewhere.test',
    AWS_REGION: 'us-west-2',
    AWS_USE_DUALSTACK_ENDPOINT: 'true',
    AWS_USE_FIPS_ENDPOINT: 'true',
    HTTPS_PROXY: 'http://elsewhere.test',
  };
  Object.assign(process.env, environment);
  t.teardown(() => {
    for (const name of Object.keys(environment)) delete process.env[name];
  });
  const storage = t.context.open({ endpointUrl: undefined, forcePathStyle: false, region: 'eu-north-1', patience: { tries: 1 } });
  await throwsUnavailable(t, storage.stat(someBytes().key), 'storage_unreachable', { host: 's3.eu-north-1.amazonaws.com' });
  t.deepEqual([...names], ['documents.s3.eu-north-1.amazonaws.com']);
});

/** The service behind TLS, by a certificate that nobody knows. */
const openTls = async (t: ExecutionContext<Context>): Promise<string> => {
  const { key, certificate: cert } = await makeKeyPair('127.0.0.1');
  const port = Number(new URL(server.url).port);
  const tls = createServer({ key, cert }, (socket) => {
    const onward = connect(port, '127.0.0.1');
    for (const end of [socket, onward]) end.on('error', () => {});
    socket.pipe(onward).pipe(socket);
  });
  tls.on('tlsClientError', () => {}); // who does not trust it hangs up
  await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
  t.teardown(() => tls.close());
  return `https://127.0.0.1:${(tls.address() as AddressInfo).port}`;
};

test('a certificate that is not valid is refused, unless it need not be', async (t) => {
  const { open } = t.context;
  const endpointUrl = await openTls(t);
  const { bytes, key } = someBytes();
  const careless = open({ endpointUrl, verifyCertificate: false });
  await careless.put(key, bytes);
  t.true(bytes.equals(await buffer((await careless.open(key)).stream)));
  const careful = open({ endpointUrl });
  const details = { error: 'DEPTH_ZERO_SELF_SIGNED_CERT', verification: 'S3_VERIFY_SSL' };
  await throwsUnavailable(t, careful.open(key), 'storage_certificate_invalid', details);
  t.like((await careful.check()).problems, [{ code: 'storage_certificate_invalid', details }]);
});

test('https to a service that does not speak it is told so', async (t) => {
  const endpointUrl = t.context.proxy.url.replace('http:', 'https:');
  const error = await throwsUnavailable(t, t.context.open({ endpointUrl }).stat(someBytes().key), 'storage_https_unsupported');
  t.regex(error?.message ?? '', /S3_USE_SSL=false/);
});

test('the storage of the configuration is this one', async (t) => {
  const { tempPath, ...s3 } = s3Settings({ endpointUrl: t.context.proxy.url, tempPath: tmpdir() });
  const settings = { type: 's3', path: '/nowhere', thumbnailPath: '/nowhere', tempPath, s3, azure: undefined } as const;
  const storage = await openOneStorage('s3', settings, { hasLocalDocuments: async () => false });
  t.is(storage.place, 's3://documents');
  t.is(storage.pathOf('documents/x'), 's3://documents/documents/x');
  t.is((await storage.check()).status, 'healthy');
  await storage.close();
});
