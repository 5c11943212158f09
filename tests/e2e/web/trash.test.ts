import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { waitFor } from '../../support/wait-for.ts';

const PASSWORD = 'correct horse battery';
const ADMIN = { username: 'admin', password: PASSWORD };

const test = testInChromium(apiAlone());

const bytesOf = (content: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(content);

test('a deleted document is in the trash with its days, comes back, and is removed for good where that is confirmed', async (t) => {
  t.timeout(4 * 60_000);
  const { open, served } = t.context;
  const { admin } = served;
  const upload = async (name: string): Promise<string> => {
    const { body } = await admin.upload({ name, bytes: bytesOf(`The words of ${name}`) });
    return String(body['id']);
  };
  const statusOf = async (id: string): Promise<number> => (await admin.get(`/api/documents/${id}`)).status;
  const lease = await upload('lease.txt');
  const offer = await upload('offer.txt');
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(`/documents/${lease}`);
  await page.getByRole('button', { name: text('document.remove'), exact: true }).click();
  await page.getByText(text('document.removed', { title: 'lease' })).waitFor();
  await page.getByRole('button', { name: text('common.undo') }).click();
  t.is(await statusOf(lease), 200, 'the deletion was undone');
  await page.getByRole('button', { name: text('document.remove'), exact: true }).click();
  await waitFor(async () => (await statusOf(lease)) === 404, { description: 'the lease to be deleted', limitMs: 30_000, everyMs: 200 });

  await page.getByRole('link', { name: text('shell.trash') }).click();
  const row = page.getByRole('row').filter({ hasText: 'lease.txt' });
  await row.getByText(text('trash.days', { count: 30 })).waitFor();
  await web.settle();
  t.deepEqual(await web.flaws('trash-screen'), []);
  await row.getByRole('button', { name: text('trash.restoreOf', { title: 'lease' }) }).click();
  await page.getByText(text('trash.none')).waitFor();
  t.is(await statusOf(lease), 200);

  // what others delete appears by itself
  await admin.delete(`/api/documents/${lease}`);
  await admin.delete(`/api/documents/${offer}`);
  await row.waitFor();
  await row.getByRole('button', { name: text('trash.purgeOf', { title: 'lease' }) }).click();
  const dialog = page.getByRole('dialog', { name: text('trash.purgeTitle', { title: 'lease' }) });
  await dialog.getByRole('button', { name: text('trash.purge') }).click();
  await row.waitFor({ state: 'detached' });
  t.is((await admin.get(`/api/trash/${lease}`)).status, 404);

  // the same content again: the trash has their document
  await page
    .getByTestId('upload-files')
    .first()
    .setInputFiles({ name: 'offer.txt', mimeType: 'text/plain', buffer: Buffer.from('The words of offer.txt') });
  const line = page.locator('[data-upload=trashed]');
  await line.getByText(text('uploads.trashed')).waitFor();
  t.deepEqual(await web.flaws('upload-in-trash'), []);
  await line.getByRole('button', { name: text('uploads.restore') }).click();
  await page.locator('[data-upload=restored]').waitFor();
  t.is(await statusOf(offer), 200);

  await admin.delete(`/api/documents/${offer}`);
  await admin.delete(`/api/documents/${await upload('third.txt')}`);
  await page.getByRole('row').filter({ hasText: 'third.txt' }).waitFor();
  await page.getByRole('button', { name: text('trash.empty') }).click();
  const emptying = page.getByRole('dialog', { name: text('trash.emptyTitle', { count: 2 }) });
  const confirm = emptying.getByRole('button', { name: text('trash.empty') });
  t.true(await confirm.isDisabled());
  await emptying.getByRole('textbox').fill('1');
  t.true(await confirm.isDisabled());
  t.deepEqual(await web.flaws('empty-trash'), []);
  await emptying.getByRole('textbox').fill('2');
  await confirm.click();
  await page.getByText(text('trash.none')).waitFor();
  t.like((await admin.get('/api/trash')).body['pagination'], { total: 0 });
  t.deepEqual(web.offences, []);
});

test('who may neither restore nor remove is not shown the trash', async (t) => {
  const { open, served } = t.context;
  await served.admin.register('reader', 'viewer');
  await using web = await open();
  await web.signIn({ username: 'reader', password: PASSWORD });
  await web.go('/documents');
  t.is(await web.page.getByRole('link', { name: text('shell.trash') }).count(), 0);
});
