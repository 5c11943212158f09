import { savePages } from '@sheaf/documents/pages';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { startApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

const PASSWORD = 'correct horse battery';
const ADMIN = { username: 'admin', password: PASSWORD };
const LINK_PASSWORD = 'open sesame';

const test = testInChromium(apiAlone());

test('a link is made in a dialog, opened by somebody without an account on a phone, seen in the list and revoked', async (t) => {
  const { open, served } = t.context;
  const { admin, database } = served;
  const title = 'Lease & <b>annex</b>';
  const { body } = await admin.upload({ name: 'lease.txt', bytes: new TextEncoder().encode('The rent is due on the third.') });
  const id = String(body['id']);
  await admin.send('PATCH', `/api/documents/${id}`, { title });
  await savePages(database.db, id, [{ page: 1, content: 'The rent is due on the third.', confidence: 1, origin: 'text' }]);

  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(`/documents/${id}`);
  await page.getByRole('button', { name: text('document.share'), exact: true }).press('Enter');
  const dialog = page.getByRole('dialog', { name: text('shares.shareOf', { name: title }) });
  await dialog.getByRole('combobox', { name: text('shares.expires') }).selectOption('30');
  await dialog.getByLabel(text('shares.password'), { exact: true }).fill(LINK_PASSWORD);
  await dialog.getByRole('checkbox', { name: text('shares.allowDownload') }).press('Space');
  t.deepEqual(await web.flaws('share-dialog'), []);
  await dialog.getByRole('button', { name: text('shares.create') }).press('Enter');
  const made = page.getByRole('dialog', { name: text('shares.created') });
  const url = await made.getByRole('textbox', { name: text('shares.link') }).inputValue();
  t.regex(url, /\/s\/[\w-]{43}$/);
  t.deepEqual(await web.flaws('share-link'), []);
  const { pathname } = new URL(url);

  await using visitor = await open({ size: 'telephone', dark: true });
  const visit = visitor.page;
  await visit.goto(pathname);
  t.deepEqual(await visitor.flaws('share-password'), []);
  const field = visit.getByLabel(text('sharePage.passwordField'));
  await field.fill('a wrong guess');
  await field.press('Enter');
  await visit.getByRole('alert').getByText(text('sharePage.passwordWrong')).waitFor();
  await field.fill(LINK_PASSWORD);
  await visit.getByRole('button', { name: text('sharePage.open') }).click();
  await visit.getByRole('heading', { name: title, level: 1 }).waitFor();
  t.is(new URL(visit.url()).pathname, pathname);
  const picture = visit.getByRole('img', { name: text('sharePage.page', { page: 1, total: 1 }) });
  await picture.waitFor();
  await waitFor(() => visit.evaluate<boolean>('[...document.images].every((image) => image.complete && image.naturalWidth > 0)'), {
    description: 'the picture to be there',
    limitMs: 30_000,
  });
  await visit.getByText(text('sharePage.text', { page: 1 })).click();
  await visit.getByText('The rent is due on the third.').waitFor();
  t.deepEqual(await visitor.flaws('share-page'), []);
  const cookies = await visitor.context.cookies();
  t.deepEqual(
    cookies.map(({ path, httpOnly, sameSite }) => ({ path, httpOnly, sameSite })),
    [{ path: pathname, httpOnly: true, sameSite: 'Lax' }],
  );
  const download = visit.waitForEvent('download');
  await visit.getByRole('link', { name: /Download/ }).click();
  t.is((await download).suggestedFilename(), 'lease.txt');
  t.deepEqual(visitor.offences, []);

  await made.getByRole('link', { name: text('shares.title') }).click();
  await page.getByRole('link', { name: title }).waitFor();
  await page.getByText(text('shares.active'), { exact: true }).waitFor();
  t.deepEqual(await web.flaws('shares'), []);
  await page.getByRole('button', { name: text('shares.revokeOf', { name: title }) }).press('Enter');
  await page.getByText(text('shares.revoked'), { exact: true }).waitFor();
  await visit.reload();
  await visit.getByRole('heading', { name: text('sharePage.notFound') }).waitFor();
  await page.getByRole('button', { name: text('shell.account') }).click();
  await page.getByRole('menuitem', { name: text('shell.shares') }).waitFor();
  t.deepEqual(web.offences, []);
});

test('a saved search is shared from its list, and who may not share is offered nothing', async (t) => {
  const { open, served } = t.context;
  const { admin } = served;
  await admin.post('/api/saved-searches', { name: 'Leases', query: 'rent', is_shared: true });
  await admin.register('reader', 'viewer');
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/saved-searches');
  await page.getByRole('button', { name: `${text('document.share')}: Leases` }).press('Enter');
  const dialog = page.getByRole('dialog', { name: text('shares.shareOf', { name: 'Leases' }) });
  await dialog.getByRole('button', { name: text('shares.create') }).click();
  const url = await page
    .getByRole('dialog', { name: text('shares.created') })
    .getByRole('textbox')
    .inputValue();
  await using visitor = await open({ language: 'de' });
  await visitor.page.goto(new URL(url).pathname);
  await visitor.page.getByRole('heading', { name: 'Leases' }).waitFor();
  t.is(await visitor.page.evaluate<string>('document.documentElement.lang'), 'de');
  t.deepEqual(await visitor.flaws('share-results'), []);

  await using reader = await open();
  await reader.signIn({ username: 'reader', password: PASSWORD });
  await reader.go('/saved-searches');
  await reader.page.getByRole('link', { name: 'Leases' }).waitFor();
  t.is(await reader.page.getByRole('button', { name: new RegExp(text('document.share')) }).count(), 0);
  await reader.page.getByRole('button', { name: text('shell.account') }).click();
  await reader.page.getByRole('menuitem', { name: text('shell.signOut') }).waitFor();
  t.is(await reader.page.getByRole('menuitem', { name: text('shell.shares') }).count(), 0);
});

test('where share links are off, nobody is offered any', async (t) => {
  const api = await startApi({ FEATURE_SHARE_LINKS: 'false' });
  t.teardown(() => api.stop());
  const { body } = await api.admin.upload({ name: 'lease.txt', bytes: new TextEncoder().encode('The rent is due on the third.') });
  await api.admin.post('/api/saved-searches', { name: 'Leases', query: 'rent' });
  await using web = await t.context.open({ url: api.anyone.url });
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(`/documents/${String(body['id'])}`);
  await page.getByRole('button', { name: text('document.remove'), exact: true }).waitFor();
  t.is(await page.getByRole('button', { name: text('document.share'), exact: true }).count(), 0);
  await web.walk('/saved-searches');
  await page.getByRole('link', { name: 'Leases' }).first().waitFor();
  t.is(await page.getByRole('button', { name: `${text('document.share')}: Leases` }).count(), 0);
  await page.getByRole('button', { name: text('shell.account') }).click();
  await page.getByRole('menuitem', { name: text('shell.signOut') }).waitFor();
  t.is(await page.getByRole('menuitem', { name: text('shell.shares') }).count(), 0);
  t.deepEqual(web.offences, []);
});
