import { makePdf } from '@sheaf/testkit';
import { testInChromium, wholeService } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { waitFor } from '../../support/wait-for.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };

const test = testInChromium(async (own) => {
  const whole = await wholeService()(own);
  return { ...whole, admin: await whole.anyone.register('admin') };
});

const pdfOf = (...lines: readonly string[]): Buffer => Buffer.from(makePdf([{ lines: [...lines] }, { lines: ['The second page stays.'] }]));

test('a new version is uploaded, compared, downloaded and replaced by the one before; another document becomes an older one', async (t) => {
  t.timeout(5 * 60_000);
  const { open, served } = t.context;
  const { admin } = served;
  const upload = async (name: string, bytes: Buffer): Promise<string> => {
    const { body } = await admin.upload({ name, bytes: new Uint8Array(bytes) });
    await admin.waitForEnd(String(body['id']));
    return String(body['id']);
  };
  const id = await upload('lease.pdf', pdfOf('The rent is 800 a month.'));
  const older = await upload('draft.pdf', pdfOf('A draft of the lease.'));
  await admin.register('reader', 'viewer');

  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(`/documents/${id}`);
  const versions = page.getByRole('region', { name: text('versions.title') });
  await versions.getByText(text('versions.version', { number: '1' })).waitFor();
  await page
    .getByTestId('new-version')
    .setInputFiles({ name: 'lease-2.pdf', mimeType: 'application/pdf', buffer: pdfOf('The rent is 900 a month.') });
  await versions.getByText(text('versions.version', { number: '2' })).waitFor();
  await page.getByText('The rent is 900 a month.').first().waitFor();
  await page.locator('button:enabled', { hasText: text('document.readAgain') }).waitFor(); // it is processed
  await web.settle();
  t.deepEqual(await web.flaws('document-versions'), []);

  await versions.getByRole('button', { name: text('versions.compareOf', { number: '1' }) }).click();
  const dialog = page.getByRole('dialog', { name: text('versions.compareTitle', { older: '1', newer: '2' }) });
  await dialog.locator('del').getByText('800').waitFor();
  await dialog.locator('ins').getByText('900').waitFor();
  t.is(
    await dialog.getByRole('heading', { name: text('versions.page', { number: '2' }) }).count(),
    0,
    'a page that is the same is left out',
  );
  t.deepEqual(await web.flaws('compare-versions'), []);
  t.deepEqual(await web.flawsInTheDark('compare-versions'), []);
  await page.keyboard.press('Escape');

  const view = versions.getByRole('link', { name: text('versions.viewOf', { number: '1' }) });
  t.is(await view.getAttribute('href'), `/api/documents/${id}/versions/1/preview`);
  t.is(await versions.getByRole('link', { name: text('versions.viewOf', { number: '2' }) }).count(), 0, 'the page shows it');
  const download = page.waitForEvent('download');
  await versions.getByRole('link', { name: text('versions.downloadOf', { number: '1' }) }).click();
  t.is((await download).suggestedFilename(), 'lease.pdf');
  await versions.getByRole('button', { name: text('versions.restoreOf', { number: '1' }) }).click();
  await versions.getByText(text('versions.version', { number: '3' })).waitFor();
  await page.getByText('The rent is 800 a month.').first().waitFor();

  await versions.getByRole('button', { name: text('versions.join') }).click();
  const join = page.getByRole('dialog', { name: text('versions.join') });
  await join.getByRole('combobox', { name: text('versions.older') }).fill('draft');
  await page.getByRole('option', { name: 'draft' }).click();
  t.deepEqual(await web.flaws('join-versions'), []);
  await join.getByRole('button', { name: text('versions.joinNow') }).click();
  await versions.getByText('draft.pdf').waitFor();
  t.is((await admin.get(`/api/documents/${older}`)).status, 404);

  await using reader = await open();
  await reader.signIn({ username: 'reader', password: ADMIN.password });
  await reader.go(`/documents/${id}`);
  await reader.page
    .getByRole('region', { name: text('versions.title') })
    .getByText('draft.pdf')
    .waitFor();
  t.is(await reader.page.getByTestId('new-version').count(), 0);
  t.is(await reader.page.getByRole('button', { name: text('versions.restoreOf', { number: '1' }) }).count(), 0);

  // what somebody else changes appears by itself
  await admin.send('POST', `/api/documents/${id}/versions/1/restore`, {});
  await waitFor(async () => (await admin.get(`/api/documents/${id}/versions`)).status === 200, {
    description: 'the versions',
    limitMs: 10_000,
  });
  const count = ((await admin.get(`/api/documents/${id}/versions`)).body['data'] as unknown[]).length;
  await reader.page.getByText(text('versions.version', { number: String(count) })).waitFor();
  t.deepEqual([...web.offences, ...reader.offences], []);
});
