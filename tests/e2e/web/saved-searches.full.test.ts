import { indexDocument } from '@sheaf/search';
import { givenDocument } from '@sheaf/testkit';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';

const PASSWORD = 'correct horse battery';
const ADMIN = { username: 'admin', password: PASSWORD };

const test = testInChromium(apiAlone());

test('a search is saved, stands in the navigation with its results, opens, and is managed with the keyboard', async (t) => {
  const { open, served } = t.context;
  const { admin, database } = served;
  const { db } = database;
  const ownerId = String((await admin.get('/api/auth/me')).body['id']);
  const give = async (title: string): Promise<void> => {
    const { id } = await givenDocument(db, { ownerId, title, status: 'completed', completedAt: new Date() });
    await indexDocument(db, id);
  };
  await give('Rent of March');
  await give('Rent of April');
  await give('Invoice');
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/search?q=rent&kinds=application%2Fpdf&sort=byTitle');
  await page.getByRole('button', { name: text('savedSearches.save') }).press('Enter');
  const dialog = page.getByRole('dialog', { name: text('savedSearches.save') });
  const name = dialog.getByRole('textbox', { name: text('savedSearches.name') });
  t.is(await name.inputValue(), 'rent');
  await name.fill('Rents <b>of all</b> years');
  t.true(await dialog.getByRole('switch', { name: text('savedSearches.pin') }).isChecked());
  await dialog.getByRole('switch', { name: text('savedSearches.notify') }).press('Space');
  t.deepEqual(await web.flaws('save-search'), []);
  await name.press('Enter');
  await dialog.waitFor({ state: 'detached' });

  const pinned = page.getByRole('navigation', { name: text('shell.navigation') }).getByRole('link', { name: /Rents <b>of all<\/b> years/ });
  await pinned.getByText('2', { exact: true }).waitFor();
  await web.walk('/documents');
  const row = page.getByRole('navigation', { name: text('savedSearches.pinnedTitle') });
  await row.getByRole('link', { name: /Rents/ }).waitFor();
  t.deepEqual(await web.flaws('documents-with-pinned-searches'), []);
  await pinned.press('Enter');
  await page.waitForURL('**/search?q=rent&kinds=application%2Fpdf&sort=byTitle');
  await page.locator('main [data-hit]').first().waitFor();
  t.is(await page.locator('main [data-hit]').count(), 2);
  t.is(await pinned.getAttribute('aria-current'), 'page');

  await web.walk('/saved-searches');
  await page.getByRole('button', { name: text('savedSearches.editOf', { name: 'Rents <b>of all</b> years' }) }).press('Enter');
  const edit = page.getByRole('dialog');
  await edit.getByRole('textbox', { name: text('savedSearches.name') }).fill('Rents');
  await edit.getByRole('textbox', { name: text('savedSearches.query') }).fill('march');
  await edit.getByRole('button', { name: text('savedSearches.submit') }).press('Enter');
  await edit.waitFor({ state: 'detached' });
  await page
    .getByRole('navigation', { name: text('shell.navigation') })
    .getByRole('link', { name: 'Rents 1' })
    .waitFor();
  t.deepEqual(await web.flaws('saved-searches'), []);
  await page.getByRole('switch', { name: text('savedSearches.pinOf', { name: 'Rents' }) }).press('Space');
  await page.getByRole('heading', { name: text('shell.pinnedSearches') }).waitFor({ state: 'detached' });
  const { body } = await admin.get('/api/saved-searches');
  t.like(body['data'], [{ name: 'Rents', query: 'march', notify: true, is_pinned: false, is_shared: false }]);
  const [{ id } = { id: '' }] = body['data'] as { id: string }[];
  await web.go(`/saved-searches/${id}`);
  await page.waitForURL('**/search?q=march&kinds=application%2Fpdf&sort=byTitle');
});

test('others use a shared search within their own rights, and cannot change it', async (t) => {
  const { open, served } = t.context;
  const { admin } = served;
  await admin.register('reader', 'viewer');
  const { body } = await admin.post('/api/saved-searches', { name: 'For everybody', query: 'nothing of that', is_shared: true });
  await admin.post('/api/saved-searches', { name: 'Private', query: 'secret' });
  await using web = await open();
  const { page } = web;
  await web.signIn({ username: 'reader', password: PASSWORD });
  await web.go('/saved-searches');
  await page.getByRole('link', { name: 'For everybody' }).waitFor();
  t.is(await page.getByText('Private').count(), 0);
  t.is(await page.getByRole('button', { name: text('savedSearches.removeOf', { name: 'For everybody' }) }).count(), 0);
  await page.getByRole('switch', { name: text('savedSearches.pinOf', { name: 'For everybody' }) }).press('Space');
  await page
    .getByRole('navigation', { name: text('shell.navigation') })
    .getByRole('link', { name: /For everybody/ })
    .waitFor();
  await admin.send('PATCH', `/api/saved-searches/${String(body['id'])}`, { is_shared: false });
  await web.go(`/saved-searches/${String(body['id'])}`);
  await page.getByText(text('savedSearches.gone')).waitFor();
});

test('a filtered list is saved and opened as a list, with the columns chosen for it', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  const ownerId = String((await served.admin.get('/api/auth/me')).body['id']);
  const failed = await givenDocument(served.database.db, {
    ownerId,
    title: 'Unreadable',
    status: 'failed',
    errorCode: 'FILE_CORRUPT',
    errorMessage: 'damaged',
  });
  await served.admin.send('PATCH', `/api/documents/${failed.id}`, { document_date: '2021-03-04' });
  await web.signIn(ADMIN);
  await web.go('/documents?status=failed&sort=byTitle');
  await page.getByRole('button', { name: text('savedSearches.save') }).click();
  const dialog = page.getByRole('dialog', { name: text('savedSearches.save') });
  await dialog.getByRole('textbox', { name: text('savedSearches.name') }).fill('Failed ones');
  const choice = dialog.getByRole('switch', { name: text('savedSearches.columns') });
  t.false(await choice.isChecked());
  await choice.press('Space');
  t.true(await dialog.getByRole('checkbox', { name: text('document.documentDate') }).isChecked(), 'it begins with what the list shows');
  await dialog.getByRole('checkbox', { name: text('document.created') }).press('Space');
  await dialog.getByRole('checkbox', { name: text('document.size') }).press('Space');
  t.deepEqual(await web.flaws('save-search-with-columns'), []);
  await dialog.getByRole('button', { name: text('savedSearches.submit') }).click();
  await dialog.waitFor({ state: 'detached' });
  await web.walk('/saved-searches');
  await page.getByRole('main').getByRole('link', { name: 'Failed ones' }).click();
  await page.waitForURL('**/documents?sort=byTitle&status=failed&columns=labels%2Cdocument_date%2Csize%2Cstatus');
  const heading = (name: string) => page.getByRole('columnheader', { name, exact: true });
  await heading(text('document.size')).waitFor();
  t.is(await heading(text('document.created')).count(), 0);
  await page.getByRole('gridcell', { name: /2021/ }).waitFor();
  await page.getByRole('button', { name: text('documents.columns') }).click();
  const popup = page.getByRole('dialog', { name: text('documents.columns') });
  await popup.getByRole('checkbox', { name: text('document.archiveNumber') }).check();
  await page.waitForURL(/columns=[^&]*archive_number/);
  await popup.getByRole('button', { name: text('documents.ownColumns') }).click();
  await heading(text('document.created')).waitFor();
  t.is(await heading(text('document.size')).count(), 0, 'the own columns are as they were');

  const { body } = await served.admin.get('/api/saved-searches?pinned=true');
  t.like(body['data'], [{ name: 'Failed ones', query: '', filters: { status: 'failed' }, sort: 'title', order: 'asc' }]);
  const [{ columns } = { columns: [] }] = body['data'] as { columns: string[] }[];
  t.deepEqual(columns.toSorted(), ['document_date', 'labels', 'size', 'status']);
});
