import { copyFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiClient, makePdf, makeSignedPdf } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { type GivenService, givenService } from '../support/given-service.ts';
import { makeScan } from '../support/scan.ts';
import { waitFor } from '../support/wait-for.ts';

const test = anyTest as TestFn<{ given: GivenService; admin: ApiClient; anyone: ApiClient }>;
let shared: { given: GivenService; admin: ApiClient; anyone: ApiClient } | undefined;

test.before(async () => {
  const given = await givenService();
  const anyone = await given.service.ready();
  shared = { given, anyone, admin: await anyone.register('admin') };
});
test.beforeEach((t) => {
  if (shared === undefined) throw new Error('the service did not start');
  t.context = shared;
});
test.after.always(() => shared?.given[Symbol.asyncDispose]());

const text = (name: string, words: string) => ({ name, bytes: new TextEncoder().encode(words) });

test('a text goes in, is read, is found with a highlight and a facet, and comes back byte for byte', async (t) => {
  const { admin } = t.context;
  const file = text('harbour.txt', 'The harbour master wrote: a <b>schooner</b> arrived on Thursday.\nNothing else happened.');
  const { body } = await admin.upload(file, { title: 'Log of the harbour' });
  const document = await admin.waitForEnd(String(body['id']));
  t.is(document.status, 'completed');
  t.is(document.page_count, 1);
  t.true(document.content.includes('arrived on Thursday'));
  const { body: found } = await admin.get(`/api/search?q=${encodeURIComponent('schooner arrived')}`);
  t.is(found['total'], 1);
  t.deepEqual(found['facets'], {
    mime_types: { 'text/plain': 1 },
    labels: {},
    sources: { upload: 1 },
    years: { [String(new Date().getUTCFullYear())]: 1 },
    languages: { eng: 1 },
    document_years: {},
    correspondents: [],
    document_types: [],
  });
  const snippet = JSON.stringify(found['results']);
  t.regex(snippet, /<mark>schooner<\/mark>/);
  t.false(snippet.includes('<b>'), 'the text of the document is escaped');
  const download = await admin.request(`/api/documents/${document.id}/download`);
  t.deepEqual(new Uint8Array(await download.arrayBuffer()), file.bytes);
});

test('a scan is recognised page by page and found by its words', async (t) => {
  const { admin } = t.context;
  const { body } = await admin.upload({
    name: 'scan.tiff',
    bytes: await makeScan(['Quarterly porcelain inventory', 'Annual lighthouse expenses']),
  });
  const document = await admin.waitForEnd(String(body['id']));
  t.is(document.status, 'completed', document.error?.message);
  t.is(document.page_count, 2);
  t.deepEqual(await admin.find('"lighthouse expenses"'), [document.id]);
  t.deepEqual(await admin.find('porcelain lighthouse'), [document.id]);
});

test('a document says whether its PDF is signed', async (t) => {
  const { admin } = t.context;
  const files = {
    signed: await makeSignedPdf([{ lines: ['a signed contract'] }], 'Ada'),
    mentioned: makePdf([{ lines: ['of /ByteRange and /Sig'] }]),
  };
  for (const [name, bytes] of Object.entries(files)) {
    const { body } = await admin.upload({ name: `${name}.pdf`, bytes: new Uint8Array(bytes) });
    const document = await admin.waitForEnd(String(body['id']));
    t.like(document, { status: 'completed', is_signed: name === 'signed' }, name);
  }
});

test('a file dropped into the watch folder becomes one document, however often it is touched', async (t) => {
  const { admin, given } = t.context;
  const watch = join(given.folder, 'watch');
  await writeFile(join(watch, 'dropped.txt'), 'a file that was dropped: marmalade');
  const found = await waitFor(async () => ((await admin.find('marmalade')).length > 0 ? admin.find('marmalade') : undefined), {
    description: 'the file to be found',
    limitMs: 30_000,
    everyMs: 200,
  });
  t.is(found.length, 1);
  t.is(
    await given.database.pool.query("select source from documents where filename = 'dropped.txt'").then(({ rows }) => JSON.stringify(rows)),
    '[{"source":"watch"}]',
  );
  await copyFile(join(watch, 'dropped.txt'), join(watch, 'copy.txt'));
  await writeFile(join(watch, 'dropped.txt'), 'a file that was dropped: marmalade');
  const states = async () =>
    (await given.database.pool.query<{ path: string; state: string }>('select path, state from ingest_ledger order by path')).rows;
  await waitFor(async () => (await states()).some(({ path, state }) => path === 'copy.txt' && state === 'duplicate'), {
    description: 'the copy to be seen',
    limitMs: 30_000,
    everyMs: 200,
  });
  t.is((await admin.find('marmalade')).length, 1);
  t.true((await readdir(watch)).includes('dropped.txt'), 'the dropped file stays where it is');
});

test('a file that cannot be read fails with a reason, is found by its title, and the worker goes on', async (t) => {
  const { admin } = t.context;
  const { body } = await admin.upload(text('broken.pdf', '%PDF-1.7\nthis is no document at all'), { title: 'Broken zeppelin drawing' });
  const broken = await admin.waitForEnd(String(body['id']));
  t.is(broken.status, 'failed');
  t.is(broken.error?.code, 'corrupt');
  t.deepEqual(await admin.find('zeppelin'), [broken.id]);
  const { body: next } = await admin.upload(text('after.txt', 'read after the broken one'));
  t.is((await admin.waitForEnd(String(next['id']))).status, 'completed');
});

test('a deleted document is found no more', async (t) => {
  const { admin } = t.context;
  const { body } = await admin.upload(text('gone.txt', 'ephemeral xylophone'));
  await admin.waitForEnd(String(body['id']));
  t.is((await admin.find('xylophone')).length, 1);
  t.is((await admin.delete(`/api/documents/${String(body['id'])}`)).status, 204);
  t.is((await admin.find('xylophone')).length, 0);
});

test('every process answers its probes', async (t) => {
  const { given } = t.context;
  const { rows } = await given.database.pool.query<{ name: string; probe_port: number }>('select name, probe_port from processes');
  t.deepEqual(rows.map(({ name }) => name).toSorted(), ['api', 'ocr-worker', 'sync', 'watcher']);
  for (const { name, probe_port } of rows) {
    for (const path of ['/health', '/ready', '/metrics'])
      t.is((await fetch(`http://127.0.0.1:${probe_port}${path}`)).status, 200, `${name} ${path}`);
  }
});

test('the state of the service is told to anyone, without names', async (t) => {
  const { anyone } = t.context;
  const { body } = await anyone.get('/api/health');
  t.is(body['status'], 'healthy', JSON.stringify(body));
  t.regex(await (await anyone.request('/status')).text(), /^documents +\d+$/m);
});
