// Which storage variables of storages make of the service's, seen by where the bytes of a document go.
import { createHash, createHmac } from 'node:crypto';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@sheaf/config';
import { documentKey, openStorage } from '@sheaf/storage';
import anyTest, { type TestFn } from 'ava';
import { openFaultProxy, type SeenRequest } from '../../support/fault-proxy.ts';
import { openS3Server, type S3Server } from '../../support/s3-server.ts';

const test = anyTest as TestFn<S3Server>;
test.before(async (t) => {
  t.context = await openS3Server();
});
test.after.always((t) => t.context[Symbol.asyncDispose]());

const BYTES = Buffer.from('a letter');
const KEY = documentKey(createHash('sha256').update(BYTES).digest('hex'));

/** Where a document is put with this environment. */
const placeOf = async (server: S3Server, environment: Readonly<Record<string, string>>): Promise<string> => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-storage-'));
  const s3 = { S3_ENDPOINT_URL: server.url, S3_BUCKET_NAME: 'documents', S3_ACCESS_KEY_ID: 'S3RVER', S3_SECRET_ACCESS_KEY: 'S3RVER' };
  const { config } = loadConfig({
    environment: { DATA_PATH: join(folder.path, 'data'), UPLOAD_PATH: join(folder.path, 'uploads'), ...s3, ...environment },
  });
  const storage = await openStorage(config.storage, { hasLocalDocuments: async () => false });
  try {
    await storage.put(KEY, BYTES);
    return storage.pathOf(KEY).replace(folder.path, '');
  } finally {
    await storage.delete(KEY).catch(() => false);
    await storage.close();
  }
};

test('S3_ENABLED and STORAGE_TYPE say where new documents go, S3_BUCKET_NAME and S3_PREFIX where there', async (t) => {
  t.is(await placeOf(t.context, {}), `/uploads/${KEY}`);
  t.is(await placeOf(t.context, { S3_ENABLED: 'true' }), `s3://documents/${KEY}`);
  t.is(await placeOf(t.context, { STORAGE_TYPE: 's3', S3_PREFIX: 'papers' }), `s3://documents/papers/${KEY}`);
  await t.throwsAsync(placeOf(t.context, { S3_ENABLED: 'true', S3_BUCKET_NAME: 'nowhere' }), { message: /nowhere/ });
});

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** The signature that a request of Amazon's version 4 has to carry with this secret. */
const signatureOf = ({ method, url, headers }: SeenRequest, secret: string): string => {
  const { authorization = '' } = headers;
  const [, scope = '', names = ''] = /Credential=[^/]+\/([^,]+), SignedHeaders=([^,]+)/.exec(authorization) ?? [];
  const [path = '', query = ''] = url.split('?');
  const canonicalHeaders = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const sortedQuery = query.split('&').toSorted().join('&');
  const request = [method, path, sortedQuery, canonicalHeaders.join(''), names, String(headers['x-amz-content-sha256'])].join('\n');
  const key = scope.split('/').reduce((upper: string | Buffer, part) => hmac(upper, part), `AWS4${secret}`);
  return hmac(key, ['AWS4-HMAC-SHA256', String(headers['x-amz-date']), scope, hash(request)].join('\n')).toString('hex');
};

test('S3_SECRET_ACCESS_KEY signs every request', async (t) => {
  await using proxy = await openFaultProxy(t.context.url);
  await placeOf({ ...t.context, url: proxy.url }, { S3_ENABLED: 'true', S3_SECRET_ACCESS_KEY: 'a secret of ours' });
  const [first] = proxy.seen;
  t.regex(first?.headers.authorization ?? '', /Signature=/);
  if (first === undefined) return;
  t.true(first.headers.authorization?.endsWith(`Signature=${signatureOf(first, 'a secret of ours')}`));
  t.false(first.headers.authorization?.endsWith(`Signature=${signatureOf(first, 'another')}`));
});
