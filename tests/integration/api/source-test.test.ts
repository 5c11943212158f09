// POST /api/sources/test before real servers on loopback, some of which misbehave.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { trySource } from '@sheaf/api/testing';
import { Secret } from '@sheaf/contract';
import { faults, openFaultProxy } from '../../support/fault-proxy.ts';
import { codeOf, givenSource, refusedFields } from '../../support/given-source.ts';
import { text } from '../../support/messages.ts';
import { testWithApi } from '../../support/running-api.ts';
import { openS3Server } from '../../support/s3-server.ts';
import { WEBDAV_USER, type WebdavFolder } from '../../support/webdav-folder.ts';
import { openWebdavServer } from '../../support/webdav-server.ts';
import { loopbackFetch } from '../sources/given-driver.ts';

const test = testWithApi({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1', OUTBOUND_DENY_PRIVATE: 'true' });

const openServer = async (): Promise<WebdavFolder> => {
  const server = await openWebdavServer();
  await mkdir(join(server.folder, 'below'));
  for (const name of ['a.txt', 'below/b.txt']) await writeFile(join(server.folder, name), name);
  return server;
};

const describe = ({ url, password }: WebdavFolder, fields: Readonly<Record<string, unknown>> = {}) => ({
  type: 'webdav',
  url,
  username: WEBDAV_USER,
  password,
  ...fields,
});

test('a source that works is told so, with some of its files', async (t) => {
  const { admin } = t.context;
  await using server = await openServer();
  const { status, body } = await admin.post('/api/sources/test', describe(server));
  t.is(status, 200);
  t.like(body, { success: true, code: 'answers', message: text('sources.answers') });
  t.deepEqual((body['sample'] as string[]).toSorted(), ['a.txt', 'below/b.txt']);
  t.true(Number.isInteger(body['duration_ms']));
  t.deepEqual((await admin.post('/api/sources/test', describe(server, { recursive: false }))).body['sample'], ['a.txt']);
  for (let n = 0; n < 7; n += 1) await writeFile(join(server.folder, `${n}.txt`), '');
  t.is(((await admin.post('/api/sources/test', describe(server))).body['sample'] as string[]).length, 5);
});

test('an S3 source that works is told so', async (t) => {
  await using server = await openS3Server();
  await server.put('papers/a.txt', 'a');
  const settings = { bucket: server.bucket, endpoint_url: server.url, prefix: 'papers' };
  const source = { type: 's3', username: 'S3RVER', password: 'S3RVER', settings };
  const { body } = await t.context.admin.post('/api/sources/test', source);
  t.like(body, { success: true, sample: ['a.txt'] });
  const absent = await t.context.admin.post('/api/sources/test', { ...source, settings: { ...settings, bucket: 'absent' } });
  t.like(absent, { status: 200, body: { success: false } });
});

test('what does not work is answered with the reason', async (t) => {
  const { admin } = t.context;
  await using server = await openServer();
  await using proxy = await openFaultProxy(server.url);
  const ask = async (fields: Readonly<Record<string, unknown>>) => (await admin.post('/api/sources/test', describe(server, fields))).body;
  const wrong = await ask({ password: 'wrong' });
  t.is(wrong['success'], false);
  t.false(JSON.stringify(wrong).includes(server.password));
  t.false('sample' in wrong);
  t.is((await ask({ url: `${server.url}absent/` }))['success'], false);
  t.is((await ask({ url: 'http://127.0.0.1:1/' }))['success'], false);
  proxy.inject({ fault: faults.answer(500) });
  t.is((await ask({ url: proxy.url }))['success'], false);
  proxy.heal();
  proxy.inject({ fault: faults.answer(403), when: ({ headers }) => headers['depth'] === '1' });
  t.is((await ask({ url: proxy.url }))['success'], false, 'it is reached and does not list');
});

test('an address that requests may not go to is refused, and nothing is sent there', async (t) => {
  const { admin } = t.context;
  for (const url of ['http://[::1]:1/', 'http://127.0.0.2:1/']) {
    const { body } = await admin.post('/api/sources/test', { type: 'webdav', url });
    t.is(body['success'], false, url);
    t.regex(String(body['message']), /OUTBOUND_ALLOWED_NETWORKS/, url);
  }
});

test('a source that is there is tested with the secret that is kept, and with it only at its own address', async (t) => {
  const { admin, anyone } = t.context;
  await using server = await openServer();
  await using proxy = await openFaultProxy(server.url);
  const id = await givenSource(admin, { name: 'Cloud', ...describe(server) });
  t.like((await admin.post('/api/sources/test', { id })).body, { success: true });
  t.like((await admin.post('/api/sources/test', { id, recursive: false })).body, { success: true, sample: ['a.txt'] });
  const elsewhere = await admin.post('/api/sources/test', { id, url: proxy.url });
  t.is(elsewhere.status, 400);
  t.deepEqual(refusedFields(elsewhere), ['password']);
  t.deepEqual(proxy.seen, []);
  t.like((await admin.post('/api/sources/test', { id, url: proxy.url, password: server.password })).body, { success: true });
  t.like((await admin.post('/api/sources/test', { id, password: null })).body, { success: false });
  t.like((await admin.get(`/api/sources/${id}`)).body, { url: server.url, has_secret: true }, 'a test changes nothing');
  await admin.register('tester', 'editor');
  t.is(codeOf(await (await anyone.login('tester')).post('/api/sources/test', { id })), 'SOURCE_NOT_FOUND');
});

test('a test takes a source that is there or what makes one, and not both', async (t) => {
  const { admin } = t.context;
  t.deepEqual(refusedFields(await admin.post('/api/sources/test', {})), ['type']);
  const id = await givenSource(admin);
  t.deepEqual(refusedFields(await admin.post('/api/sources/test', { id, type: 'webdav' })), ['type']);
  t.deepEqual(refusedFields(await admin.post('/api/sources/test', { type: 'webdav' })), ['url']);
});

test('a source that is silent is abandoned in time, and one that only lists slowly is a good one', async (t) => {
  await using server = await openServer();
  await using proxy = await openFaultProxy(server.url);
  const connection = { type: 'webdav', url: proxy.url, username: WEBDAV_USER, settings: {}, isRecursive: true } as const;
  const request = { fetch: loopbackFetch(), localRoots: [], signal: new AbortController().signal };
  const ask = (limits: { totalMs: number; sampleMs: number }) => trySource(connection, () => new Secret(server.password), request, limits);
  proxy.inject({ fault: faults.silence(), when: ({ headers }) => headers['depth'] === '1' });
  const slow = await ask({ totalMs: 10_000, sampleMs: 100 });
  t.true(slow.success);
  t.regex(slow.message, /slow/);
  t.false('sample' in slow);
  proxy.inject({ fault: faults.silence() });
  const silent = await ask({ totalMs: 200, sampleMs: 20 });
  t.like(silent, { success: false, message: 'The source did not respond within 0.2 s.' });
  t.true(silent.duration_ms < 5_000);
});
