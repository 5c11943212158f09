import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';
import type { ContainerClient } from '@azure/storage-blob';
import type { Storage } from '@sheaf/storage';
import type { Patience } from '@sheaf/storage/testing';
import anyTest, { type TestFn } from 'ava';
import { type Azurite, openAzurite } from '../../support/azurite.ts';
import { makeKeyPair } from '../../support/certificate.ts';
import { collect } from '../../support/collect.ts';
import { faults, openFaultProxy } from '../../support/fault-proxy.ts';
import { freePort } from '../../support/free-port.ts';
import { throwsUnavailable } from '../../support/throws-unavailable.ts';
import { waitFor } from '../../support/wait-for.ts';
import { givenAzure } from './azure-fixture.ts';
import { type FaultScene, failingAll, isMethod, LARGE, orLarge, someBytes, testBadLine } from './fault-contract.ts';

interface Context extends FaultScene {
  /** Behind the proxy. */
  client: ContainerClient;
  drop: () => Promise<void>;
}
const test = anyTest as TestFn<Context>;

let azurite: Azurite;
test.before(async () => {
  azurite = await openAzurite();
});
test.after.always(() => azurite[Symbol.asyncDispose]());

test.beforeEach(async (t) => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-azure-'));
  const proxy = await openFaultProxy(azurite.url);
  const client = await azurite.makeContainer();
  const opened: Storage[] = [];
  const openWith = (patience: Partial<Patience>): Storage => {
    const connectionString = azurite.connectionStringBy(proxy.url);
    const storage = givenAzure({ connectionString, container: client.containerName, tempPath: join(folder.path, 'temp'), patience });
    opened.push(storage);
    return storage;
  };
  const drop = async (): Promise<void> => {
    for (const storage of opened) await storage.close();
    await proxy[Symbol.asyncDispose]();
    await folder.remove();
  };
  t.context = { proxy, client, folder: folder.path, openWith, storage: openWith({}), drop };
});
test.afterEach.always((t) => t.context.drop());

/** An object, stored past the proxy. */
const givenObject = async ({ client }: Context, size = 10_000) => {
  const { bytes, key } = someBytes(size);
  await client.getBlockBlobClient(key).uploadData(bytes);
  return { bytes, key };
};

testBadLine(test, givenObject);

const assertAllFail = failingAll(/SharedKey|Eby8vdM02xNOcqFl/);

test('an answer 500, 503 or none at all is asked for again', async (t) => {
  const { proxy, storage } = t.context;
  const { bytes, key } = someBytes();
  for (const fault of [faults.answer(500), faults.answer(503), faults.cutHeaders()]) {
    proxy.inject({ fault, times: 2 });
    await storage.put(key, bytes);
    proxy.inject({ fault, times: 2 });
    t.true(bytes.equals(await buffer((await storage.open(key)).stream)));
    proxy.inject({ fault, times: 1 });
    t.true(await storage.delete(key));
  }
});

test('a service that answers 503 for good is abandoned after four tries', async (t) => {
  const { proxy, storage } = t.context;
  proxy.inject({ fault: faults.answer(503, '', { 'x-ms-error-code': 'ServerBusy' }) });
  await throwsUnavailable(t, storage.stat(someBytes().key), 'storage_server_error', { error: '503 ServerBusy' });
  t.is(proxy.seen.length, 4);
  await assertAllFail(t, storage, 'storage_server_error');
});

test('a service that says nothing is abandoned after a time', async (t) => {
  const { proxy, openWith } = t.context;
  proxy.inject({ fault: faults.silence() });
  await assertAllFail(t, openWith({ answerMs: 40, tries: 2 }), 'storage_unreachable');
});

test('a service that is not there is told apart, and one whose certificate is wrong', async (t) => {
  const container = 'documents';
  const tempPath = join(t.context.folder, 'temp');
  const refused = azurite.connectionStringBy(`http://127.0.0.1:${await freePort()}`);
  await assertAllFail(t, givenAzure({ connectionString: refused, container, tempPath }), 'storage_unreachable', { error: 'ECONNREFUSED' });

  const { key, certificate: cert } = await makeKeyPair('127.0.0.1');
  const server = createServer({ key, cert }, (_request, response) => void response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const untrusted = azurite.connectionStringBy(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await assertAllFail(t, givenAzure({ connectionString: untrusted, container, tempPath }), 'storage_certificate_invalid', {
    error: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  });
});

test('a container that does not exist is no missing file', async (t) => {
  const { folder, client, storage } = t.context;
  const absent = givenAzure({ connectionString: azurite.connectionString, container: 'nowhere', tempPath: join(folder, 'temp') });
  await assertAllFail(t, absent, 'storage_not_found', { storage: 'azure://nowhere', location_setting: 'AZURE_STORAGE_CONTAINER' });
  await client.delete();
  await assertAllFail(t, storage, 'storage_not_found');
});

test('a 404 of somebody who is no blob store is no missing file', async (t) => {
  const { proxy, storage } = t.context;
  proxy.inject({ fault: faults.answer(404, '<html>nginx</html>') });
  await throwsUnavailable(t, storage.stat(someBytes().key), 'storage_request_failed', { error: '404' });
  await assertAllFail(t, storage, 'storage_request_failed');
});

test('wrong credentials are refused once, and what to correct is said', async (t) => {
  const { proxy, client, folder } = t.context;
  const wrong = azurite.connectionStringBy(proxy.url).replace(/AccountKey=[^;]+/, `AccountKey=${Buffer.alloc(64).toString('base64')}`);
  const storage = givenAzure({ connectionString: wrong, container: client.containerName, tempPath: join(folder, 'temp') });
  await t.throwsAsync(storage.stat(someBytes().key), { code: 'SERVICE_UNAVAILABLE' });
  t.is(proxy.seen.length, 1);
  await assertAllFail(t, storage, 'storage_firewall', { setting: 'AZURE_STORAGE_CONNECTION_STRING' });
});

test('a right that is missing is named', async (t) => {
  const { proxy, storage } = t.context;
  const { key, bytes } = someBytes();
  const fault = faults.answer(403, '', { 'x-ms-error-code': 'AuthorizationPermissionMismatch' });
  proxy.inject({ fault, when: isMethod('PUT') });
  await throwsUnavailable(t, storage.put(key, bytes), 'storage_access_denied', { action: 'create' });
  t.like((await storage.check()).problems, [{ code: 'storage_access_denied', details: { action: 'create' } }]);
  proxy.heal();
  proxy.inject({ fault, when: isMethod('DELETE') });
  await throwsUnavailable(t, storage.delete(key), 'storage_access_denied', { action: 'delete' });
  t.like((await storage.check()).problems, [{ code: 'storage_access_denied', details: { action: 'delete' } }]);
});

test('a redirection is not followed', async (t) => {
  const { proxy, storage } = t.context;
  await using elsewhere = await openFaultProxy(azurite.url);
  proxy.inject({ fault: (exchange) => faults.redirect(`${elsewhere.url}${exchange.request.url}`, 307)(exchange) });
  await assertAllFail(t, storage, 'storage_redirected');
  t.is(elsewhere.seen.length, 0);
  proxy.heal();
  proxy.inject({ fault: faults.redirect('/elsewhere', 307) });
  const before = proxy.seen.length;
  await t.throwsAsync(storage.stat(someBytes().key), { code: 'SERVICE_UNAVAILABLE' });
  t.is(proxy.seen.length, before + 1, 'also none on the same host');
});

test('an answer without a length, or whole where a part was asked for, is nobody’s who is a blob store', async (t) => {
  const { proxy, storage } = t.context;
  const { bytes, key } = await givenObject(t.context);
  proxy.inject({ fault: faults.replaceBody('other'), times: 1 });
  await t.throwsAsync(storage.open(key), { code: 'SERVICE_UNAVAILABLE' });
  proxy.inject({ fault: faults.answer(200, bytes, { etag: '"x"' }), times: 1 });
  await throwsUnavailable(t, storage.open(key, { start: 5, end: 9 }), 'storage_ranges_ignored');
});

test('an upload that is cut or spoiled on its way leaves nothing where it never arrives', async (t) => {
  const { proxy, storage, client } = t.context;
  for (const size of orLarge(500_000)) {
    const { bytes, key } = someBytes(size);
    for (const fault of [faults.cutRequest(100_000), faults.spoilRequest(99)]) {
      proxy.inject({ fault, when: isMethod('PUT') });
      await t.throwsAsync(storage.put(key, bytes), { code: 'SERVICE_UNAVAILABLE' });
      t.false(await client.getBlockBlobClient(key).exists());
      proxy.heal();
    }
  }
});

test('an upload that the service found spoiled is repeated', async (t) => {
  const { proxy, storage } = t.context;
  // The service tells a wrong checksum so; its stand-in has another name for it.
  const refused = faults.answer(400, '', { 'x-ms-error-code': 'Md5Mismatch' });
  for (const size of orLarge(500_000)) {
    const { bytes, key } = someBytes(size);
    proxy.inject({ fault: refused, when: isMethod('PUT'), times: 1 });
    t.true((await storage.put(key, bytes)).isNew);
    t.true(bytes.equals(await buffer((await storage.open(key)).stream)));
  }
});

test('a large object is sent in pieces, of which one may fail, and is not to be seen before all are there', async (t) => {
  const { proxy, storage, client, folder } = t.context;
  const { bytes, key } = someBytes(LARGE);
  const path = join(folder, 'large');
  await writeFile(path, bytes);
  const isCommit = ({ url }: IncomingMessage): boolean => url?.includes('comp=blocklist') === true;
  proxy.inject({ fault: faults.answer(500), when: ({ url }) => url?.includes('comp=block&') === true, times: 1 });
  proxy.inject({ fault: faults.answer(403), when: isCommit });
  await t.throwsAsync(storage.put(key, path), { code: 'SERVICE_UNAVAILABLE' });
  t.is(proxy.seen.filter(({ url }) => url.includes('comp=block&')).length, 4);
  t.is(await storage.stat(key), undefined);
  t.deepEqual(await collect(storage.list('documents/')), []);
  proxy.heal();
  t.true((await storage.put(key, path)).isNew);
  t.false((await storage.put(key, Readable.from([bytes]))).isNew);
  t.is((await client.getBlockBlobClient(key).getBlockList('committed')).committedBlocks?.length, 3);
  t.true(bytes.equals(await buffer((await storage.open(key)).stream)));
});

test('an object that is put again has been written again, as its age tells, and kept its bytes', async (t) => {
  const { storage, client } = t.context;
  for (const size of orLarge(1_000)) {
    const { bytes, key } = await givenObject(t.context, size);
    const blob = client.getBlockBlobClient(key);
    const before = await blob.getProperties();
    t.false((await storage.put(key, bytes)).isNew);
    const after = await blob.getProperties();
    t.not(after.etag, before.etag);
    t.is(after.createdOn?.getTime(), before.createdOn?.getTime());
  }
});

const pageOf = (name: string, marker: string): string =>
  `<?xml version="1.0" encoding="utf-8"?><EnumerationResults><Blobs><Blob><Name>${name}</Name><Properties>` +
  '<Last-Modified>Mon, 05 Jan 2026 10:00:00 GMT</Last-Modified><Etag>0x1</Etag><Content-Length>7</Content-Length></Properties></Blob></Blobs>' +
  `<NextMarker>${marker}</NextMarker></EnumerationResults>`;

test('a list is read to its last page, and a page that fails is asked for again', async (t) => {
  const { proxy, storage } = t.context;
  const [first, second] = [someBytes().key, someBytes().key];
  const xml = { 'content-type': 'application/xml' };
  proxy.inject({ fault: faults.answer(200, pageOf(first, 'more'), xml), when: ({ url }) => url?.includes('marker=') === false });
  proxy.inject({ fault: faults.answer(200, pageOf(second, ''), xml), when: ({ url }) => url?.includes('marker=more') === true });
  const isSecond = ({ url }: IncomingMessage): boolean => url?.includes('marker=more') === true;
  proxy.inject({ fault: faults.answer(503), when: isSecond, times: 1 });
  proxy.inject({ fault: faults.answer(200, pageOf(second, '').slice(0, 60), xml), when: isSecond, times: 1 });
  const objects = await collect(storage.list('documents/'));
  t.deepEqual(
    objects.map(({ key, sizeBytes }) => [key, sizeBytes]),
    [
      [first, 7],
      [second, 7],
    ],
  );
  proxy.inject({ fault: faults.answer(503), when: isSecond });
  await t.throwsAsync(collect(storage.list('documents/')), { code: 'SERVICE_UNAVAILABLE' });
});

test('a closed storage holds no connection', async (t) => {
  const { proxy, storage } = t.context;
  await storage.stat(someBytes().key);
  t.is(proxy.connections(), 1);
  await storage.close();
  // Sooner than the server gives up a connection that nobody uses.
  await waitFor(() => proxy.connections() === 0, { description: 'the connections to be given back', limitMs: 3_000 });
});

test('a look at the storage writes a probe only at first and after it was not well, and leaves none', async (t) => {
  const { proxy, storage, client } = t.context;
  const methods = (): string[] => proxy.seen.map(({ method }) => method);
  t.is((await storage.check()).status, 'healthy');
  t.deepEqual(methods(), ['PUT', 'HEAD', 'GET', 'DELETE']);
  await storage.check();
  t.deepEqual(methods().slice(4), ['HEAD']);
  proxy.inject({ fault: faults.answer(403) });
  t.is((await storage.check()).status, 'unhealthy');
  proxy.heal();
  t.is((await storage.check()).status, 'healthy');
  t.deepEqual(methods().slice(-4), ['PUT', 'HEAD', 'GET', 'DELETE']);
  t.deepEqual(await collect(client.listBlobsFlat()), []);
});

test('a probe that a killed process left is no object, as is a foreign name, and is swept', async (t) => {
  const { storage, client } = t.context;
  const foreign = client.getBlockBlobClient('documents/.hidden');
  await foreign.uploadData(Buffer.from('foreign'));
  await client.getBlockBlobClient('.sheaf-probe/left').uploadData(Buffer.from('probe'));
  t.deepEqual(await collect(storage.list('documents/')), []);
  t.is(await storage.sweepLeftovers(new Date(Date.now() - 60_000)), 0);
  t.is(await storage.sweepLeftovers(new Date(Date.now() + 60_000)), 1);
  t.true(await foreign.exists());
  await foreign.delete();
  t.deepEqual(await collect(client.listBlobsFlat()), []);
});

test('a connection string that cannot be understood is refused without being shown', (t) => {
  const settings = { container: 'documents', tempPath: t.context.folder };
  const error = t.throws(() => givenAzure({ ...settings, connectionString: 'AccountName=x;AccountKey=c2VjcmV0' }), {
    message: /AZURE_STORAGE_CONNECTION_STRING is invalid/,
  });
  t.notRegex(inspect(error, { depth: 9 }), /c2VjcmV0/);
});
