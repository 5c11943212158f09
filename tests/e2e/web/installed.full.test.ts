// The client as an installed app: files that other apps share with it, its camera, and its upgrade.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { webClient } from '@sheaf/api/testing';
import express, { type RequestHandler } from 'express';
import type { Page } from 'playwright-core';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { waitFor } from '../../support/wait-for.ts';

const PASSWORD = 'correct horse battery';
const ADMIN = { username: 'admin', password: PASSWORD };
const BUILT = join(import.meta.dirname, '../../../apps/web/dist');

const test = testInChromium(async (own) => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-installed-'));
  own.defer(() => rm(folder, { recursive: true, force: true }));
  return { ...(await apiAlone()(own)), folder };
});

const cachesOf = (page: Page): Promise<string[]> => page.evaluate('caches.keys()');

/** What a system does with files that are shared with an installed client; a page of anybody can do it too. */
const share = (page: Page, files: Readonly<Record<string, string>>): Promise<void> =>
  page.evaluate(`{
    const form = Object.assign(document.createElement('form'), { method: 'post', action: '/share-target', enctype: 'multipart/form-data' });
    const field = Object.assign(document.createElement('input'), { type: 'file', name: 'files', multiple: true });
    const given = new DataTransfer();
    for (const [name, content] of ${JSON.stringify(Object.entries(files))}) given.items.add(new File([content], name, { type: 'text/plain' }));
    field.files = given.files;
    form.append(field);
    document.body.append(form);
    form.submit();
  }`);

test('a file that is shared waits until the user says that it is to be uploaded, and becomes a document', async (t) => {
  const { open, served } = t.context;
  await using web = await open({ serviceWorker: true, size: 'telephone' });
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/documents');
  await web.untilControlled();
  await share(page, { 'Rechnung für März.txt': 'The invoice of March', 'second.txt': 'The second page' });
  await page.getByText('Rechnung für März.txt').waitFor();
  t.is(new URL(page.url()).pathname, '/share-target');
  t.deepEqual(await web.flaws('shared-files'), []);
  const before = await served.admin.get('/api/documents');
  t.like(before.body['pagination'], { total: 0 }, 'nothing is uploaded by itself');
  await page.getByRole('button', { name: text('sharedFiles.upload', { count: 2 }) }).click();
  await waitFor(
    async () =>
      (await served.admin.get('/api/documents?sort=filename&order=asc')).body['data'] !== undefined &&
      ((await served.admin.get('/api/documents')).body['pagination'] as { total: number }).total === 2,
    {
      description: 'two documents',
      limitMs: 30_000,
      everyMs: 200,
    },
  );
  const { data } = (await served.admin.get('/api/documents?sort=filename&order=asc')).body as { data: { filename: string }[] };
  t.deepEqual(
    data.map(({ filename }) => filename),
    ['Rechnung für März.txt', 'second.txt'],
  );
  await web.go('/share-target');
  await page.getByText(text('sharedFiles.none')).waitFor();
  t.deepEqual(web.offences, []);
});

test('what is shared by somebody who is signed out waits for the sign-in, and goes with the sign-out', async (t) => {
  const { open } = t.context;
  await using web = await open({ serviceWorker: true });
  const { page } = web;
  await web.go('/');
  await web.untilControlled();
  await share(page, { 'before-sign-in.txt': 'Shared too early' });
  await page.getByLabel(text('signIn.username')).fill(ADMIN.username);
  await page.getByLabel(text('signIn.password'), { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('before-sign-in.txt').waitFor();
  t.true((await cachesOf(page)).includes('sheaf-shared-files'));
  await page.getByRole('button', { name: text('shell.account') }).click();
  await page.getByRole('menuitem', { name: text('shell.signOut') }).click();
  await page.getByLabel(text('signIn.username')).waitFor();
  t.false((await cachesOf(page)).includes('sheaf-shared-files'));
  await web.signIn(ADMIN);
  await web.go('/share-target');
  await page.getByText(text('sharedFiles.none')).waitFor();
  t.deepEqual(web.offences, []);
});

/** A browser of a machine without a camera says that it has none. */
const WITH_CAMERA = 'navigator.mediaDevices.enumerateDevices = async () => [{ kind: "videoinput", deviceId: "", groupId: "", label: "" }]';

test('a telephone with a camera offers to take a photo, which becomes a document; a desktop does not', async (t) => {
  const { open, served } = t.context;
  await using phone = await open({ size: 'telephone' });
  const { page } = phone;
  await phone.signIn(ADMIN);
  await page.addInitScript(WITH_CAMERA);
  await phone.go('/documents');
  await page.getByRole('button', { name: text('uploads.upload'), exact: true }).click();
  await page.getByRole('menuitem', { name: text('uploads.photo') }).waitFor();
  const field = page.getByTestId('upload-photo');
  t.deepEqual([await field.getAttribute('accept'), await field.getAttribute('capture')], ['image/*', 'environment']);
  t.deepEqual(await phone.flaws('upload-menu', 'but axe'), []);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('menuitem', { name: text('uploads.photo') }).click();
  await (await chooser).setFiles({ name: 'image.png', mimeType: 'image/png', buffer: await readFile(join(BUILT, 'icons/icon-192.png')) });
  await waitFor(
    async () => {
      const { data } = (await served.admin.get('/api/documents')).body as { data: { filename: string }[] };
      return data.some(({ filename }) => /^\d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.png$/.test(filename));
    },
    { description: 'the photo to be a document', limitMs: 30_000, everyMs: 200 },
  );
  t.deepEqual(phone.offences, []);

  await using desktop = await open();
  await desktop.signIn(ADMIN);
  await desktop.page.addInitScript(WITH_CAMERA);
  await desktop.go('/documents');
  await desktop.page.getByRole('button', { name: text('uploads.upload'), exact: true }).click();
  await desktop.page.getByRole('menuitem', { name: text('uploads.folder') }).waitFor();
  await desktop.settle();
  t.is(await desktop.page.getByRole('menuitem', { name: text('uploads.photo') }).count(), 0);
});

/** What a changed build changes: the page, and the version that the worker is of. */
const upgrade = async (folder: string): Promise<void> => {
  const [page, worker] = [join(folder, 'index.html'), join(folder, 'sw.js')];
  await writeFile(page, (await readFile(page, 'utf8')).replace('</head>', '<meta name="build" content="new"></head>'));
  const script = await readFile(worker, 'utf8');
  const [, version = ''] = /version:[`"'](\w{16})/.exec(script) ?? [];
  await writeFile(worker, script.replace(version, version.split('').toReversed().join('')));
  for (const ending of ['.br', '.gz']) await rm(worker + ending);
};

test('after an upgrade the new client is shown at once, and the old one is gone from the browser', async (t) => {
  const { open, served } = t.context;
  const [before, after] = [join(served.folder, 'before'), join(served.folder, 'after')];
  await cp(BUILT, before, { recursive: true });
  await cp(BUILT, after, { recursive: true });
  await upgrade(after);
  let client: RequestHandler = webClient({ mayBeFramed: false, folder: before });
  const app = express();
  app.use((request, response, next) => client(request, response, next));
  app.use((_request, response) => void response.status(404).json({ error: { code: 'NOT_FOUND', message: 'nothing', status: 404 } }));
  const server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  await using web = await open({ serviceWorker: true, url });
  const { page, context } = web;
  const isNew = (): Promise<boolean> => page.evaluate('document.querySelector("meta[name=build]")?.content === "new"');
  await page.goto('/documents');
  await web.untilControlled();
  const old = await cachesOf(page);
  t.is(old.length, 1);
  await context.setOffline(true);
  await page.reload();
  await page.getByRole('alert').waitFor();
  t.false(await isNew());
  await context.setOffline(false);

  client = webClient({ mayBeFramed: false, folder: after });
  await page.reload();
  t.true(await isNew(), 'the network comes before the cache');
  await waitFor(async () => !(await cachesOf(page)).includes(old[0] ?? ''), {
    description: 'the old cache to go',
    limitMs: 60_000,
    everyMs: 100,
  });
  t.is((await cachesOf(page)).length, 1);
  await context.setOffline(true);
  await page.reload();
  await page.getByRole('alert').waitFor();
  t.true(await isNew(), 'without a network, too');
});
