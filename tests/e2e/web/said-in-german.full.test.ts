import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { testInChromium, wholeService } from '../../support/in-chromium.ts';
import { germanText } from '../../support/messages.ts';
import { WEBDAV_USER } from '../../support/webdav-folder.ts';
import { openWebdavServer } from '../../support/webdav-server.ts';

const PASSWORD = 'correct horse battery';
const ADMIN = { username: 'admin', password: PASSWORD };
const MEGABYTE = 1024 ** 2;
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

const test = testInChromium(async (own) => {
  const dav = own.use(await openWebdavServer());
  const whole = await wholeService({ ALLOWED_FILE_TYPES: 'pdf,txt', MAX_FILE_SIZE_MB: '1', OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1' })(own);
  const admin = await whole.anyone.register('admin');
  return { ...whole, admin, dav };
});

/** Waits for each of these texts. */
const says = async (page: Page, texts: readonly (string | RegExp)[]): Promise<void> => {
  for (const text of texts) await page.getByText(text, { exact: true }).first().waitFor();
};

test('a wrong password, at the door and where it is changed, is told in German', async (t) => {
  await using web = await t.context.open({ language: 'de-DE' });
  const { page } = web;
  await web.go('/');
  await page.getByLabel(germanText('signIn.username')).fill('admin');
  await page.getByLabel(germanText('signIn.password'), { exact: true }).fill('wrong');
  await page.getByRole('button', { name: germanText('signIn.title') }).click();
  await says(page, [germanText('signIn.wrong')]);

  await web.signIn(ADMIN);
  await web.go('/profile');
  await page.getByLabel(germanText('profile.currentPassword')).fill('wrong');
  await page.getByLabel(germanText('users.newPassword')).fill('another horse battery');
  await page.getByRole('button', { name: germanText('profile.changePassword') }).click();
  await says(page, [germanText('errors.CURRENT_PASSWORD_WRONG')]);
  t.deepEqual(await web.flaws('said-in-german-profile'), []);
  t.deepEqual(web.offences, []);
});

test('what is wrong with the fields of a form is told in German', async (t) => {
  await using web = await t.context.open({ language: 'de-DE' });
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/users');
  await page.getByRole('button', { name: germanText('users.create') }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(germanText('users.username')).fill('an na');
  await dialog.getByLabel(germanText('users.email')).fill('anna@example');
  await dialog.getByLabel(germanText('signIn.password'), { exact: true }).fill('kurz');
  await dialog.getByRole('button', { name: germanText('users.save') }).click();
  await says(page, [germanText('issues.not_username'), germanText('issues.not_email')]);
  await dialog.getByLabel(germanText('users.username')).fill('admin');
  await dialog.getByLabel(germanText('users.email')).fill('anna@example.org');
  await dialog.getByRole('button', { name: germanText('users.save') }).click();
  await says(page, [germanText('issues.too_short', { minimum: 8 })]);
  await dialog.getByLabel(germanText('signIn.password'), { exact: true }).fill(PASSWORD);
  await dialog.getByRole('button', { name: germanText('users.save') }).click();
  await says(page, [germanText('errors.username_in_use', { value: 'admin' })]);
  t.deepEqual(web.offences, []);
});

test('why a file is not imported is told in German, with the limit and the types that are', async (t) => {
  await using web = await t.context.open({ language: 'de-DE' });
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/documents');
  await page
    .getByTestId('upload-files')
    .first()
    .setInputFiles([
      { name: 'large.txt', mimeType: 'text/plain', buffer: Buffer.alloc(MEGABYTE + 10, 'a') },
      { name: 'picture.png', mimeType: 'image/png', buffer: Buffer.from('no picture') },
      { name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
    ]);
  await says(page, [
    germanText('errors.too_large', { max_bytes: '1 MB' }),
    germanText('errors.type_not_allowed', { extension: 'png', allowed_types: 'pdf, txt' }),
    germanText('errors.empty'),
  ]);
  t.deepEqual(web.offences, []);
});

test('why a document could not be read is told in German', async (t) => {
  const { admin } = t.context.served;
  const { body } = await admin.upload({ name: 'broken.pdf', bytes: bytesOf('%PDF-1.7\nthis is no document at all') });
  const id = String(body['id']);
  await admin.waitForEnd(id);
  await using web = await t.context.open({ language: 'de-DE' });
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(`/documents/${id}`);
  await says(page, [germanText('failures.corrupt')]);
  await web.go('/notifications');
  await says(page, [germanText('notifications.titles.ocr_failed'), `broken: ${germanText('failures.corrupt')}`]);
  await web.go('/queue?status=failed');
  await says(page, [germanText('failures.corrupt')]);
  t.deepEqual(web.offences, []);
});

test('why a source refuses is told in German, with what its server said below', async (t) => {
  const { admin, dav } = t.context.served;
  const place = { type: 'webdav', url: dav.url, username: 'nobody', password: 'wrong' };
  const { body } = await admin.post('/api/sources', { ...place, name: 'Cloud', sync_interval: 0 });
  const id = String(body['id']);
  await admin.post(`/api/sources/${id}/sync`, {});
  await using web = await t.context.open({ language: 'de-DE' });
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/sources');
  await page.getByText(germanText('sources.unauthorized')).first().waitFor({ timeout: 120_000 });
  await page
    .getByText(/rejected the user name and password \(401\)/)
    .first()
    .waitFor();
  t.deepEqual(await web.flaws('said-in-german-sources'), []);
  await web.go(`/sources/${id}`);
  await page.getByText(germanText('sources.unauthorized')).first().waitFor();
  await page.getByRole('button', { name: germanText('users.edit') }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: germanText('sourceScreen.test') }).click();
  await dialog.getByText(germanText('sources.unauthorized')).waitFor();
  await dialog.getByLabel(germanText('sourceScreen.url')).fill('ftp://example.org');
  await dialog.getByRole('button', { name: germanText('users.save') }).click();
  await dialog.getByText(germanText('issues.not_address'), { exact: true }).waitFor();
  t.deepEqual(web.offences, []);
});

test('why a file is not a document is told in German by the ledger, by the history of the document and by a notification', async (t) => {
  const { admin, dav } = t.context.served;
  for (const file of [
    { name: 'picture.png', bytes: bytesOf('no picture') },
    { name: 'large.txt', bytes: bytesOf('a'.repeat(MEGABYTE + 10)) },
    { name: 'false.pdf', bytes: bytesOf('no pdf') },
  ])
    t.is((await admin.upload(file)).status, 400, file.name);
  const { body } = await admin.upload({ name: 'letter.txt', bytes: bytesOf('the very same letter') });
  t.is((await admin.upload({ name: 'copy.txt', bytes: bytesOf('the very same letter') })).status, 409);
  await using web = await t.context.open({ language: 'de-DE' });
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/ingest');
  await says(page, [
    germanText('errors.type_not_allowed', { extension: 'png', allowed_types: 'pdf, txt' }),
    germanText('errors.too_large', { max_bytes: '1 MB' }),
    /\.pdf/,
    germanText('errors.duplicate_file'),
  ]);
  t.deepEqual(await web.flaws('said-in-german-ledger'), []);
  await web.go(`/documents/${String(body['id'])}`);
  await says(page, [new RegExp(`${germanText('errors.duplicate_file')}$`)]);

  await writeFile(join(dav.folder, 'from-the-cloud.txt'), 'the very same letter');
  const place = { type: 'webdav', url: dav.url, username: WEBDAV_USER, password: dav.password };
  const { body: source } = await admin.post('/api/sources', { ...place, name: 'Letters', sync_interval: 0 });
  await admin.post(`/api/sources/${String(source['id'])}/sync`, {});
  await web.go('/notifications');
  await page.getByText(`from-the-cloud.txt: ${germanText('errors.duplicate_file')}`).waitFor({ timeout: 120_000 });
  t.deepEqual(web.offences, []);
});
