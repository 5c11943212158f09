import { givenDocument } from '@sheaf/testkit';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { waitFor } from '../../support/wait-for.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };
const WAIT = { limitMs: 20_000 };

const test = testInChromium(apiAlone());

test('with the keyboard, a document gets a correspondent that is new and a type that is there, and loses one again', async (t) => {
  const { open, served } = t.context;
  const { admin, database } = served;
  const ownerId = String((await admin.get('/api/auth/me')).body['id']);
  const { id } = await givenDocument(database.db, { ownerId });
  await admin.post('/api/document-types', { name: 'Invoice' });
  await admin.post('/api/document-types', { name: 'Letter' });
  const becomes = (expected: readonly unknown[]): Promise<true> =>
    waitFor(
      async () => {
        const { body } = await admin.get(`/api/documents/${id}`);
        const names = [body['correspondent'], body['document_type']].map((entry) => (entry as { name: string } | null)?.name);
        return JSON.stringify(names) === JSON.stringify(expected) ? true : undefined;
      },
      { ...WAIT, description: `the document to be filed under ${JSON.stringify(expected)}` },
    );
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(`/documents/${id}`);
  const filing = page.getByRole('region', { name: text('document.filing') });
  const correspondent = filing.getByLabel(text('filing.one.correspondent'), { exact: true });
  await correspondent.focus();
  await page.keyboard.type('Waterworks');
  await page.getByRole('option', { name: text('filing.createNamed', { name: 'Waterworks' }) }).waitFor();
  await page.keyboard.press('Enter');
  t.true(await becomes(['Waterworks', undefined]));
  t.deepEqual(await web.flaws('document-filed'), []);
  const type = filing.getByLabel(text('filing.one.document_type'), { exact: true });
  await type.focus();
  await page.keyboard.type('lett');
  await page.keyboard.press('Enter');
  t.true(await becomes(['Waterworks', 'Letter']));
  await waitFor(async () => (await type.inputValue()) === 'Letter', { ...WAIT, description: 'the type to be shown' });
  await type.fill('nobody chose this');
  await type.blur();
  await waitFor(async () => (await type.inputValue()) === 'Letter', { ...WAIT, description: 'the type to be as it was' });
  await type.fill('');
  await type.blur();
  t.true(await becomes(['Waterworks', undefined]));
  await filing.getByRole('button', { name: text('filing.clear', { field: text('filing.one.correspondent') }) }).click();
  t.true(await becomes([undefined, undefined]));
});

test('correspondents are made, renamed, merged and deleted on their screen, which names the documents', async (t) => {
  const { open, served } = t.context;
  const { admin, database } = served;
  const ownerId = String((await admin.get('/api/auth/me')).body['id']);
  const ids = [(await givenDocument(database.db, { ownerId })).id, (await givenDocument(database.db, { ownerId })).id];
  const made = async (name: string): Promise<string> => String((await admin.post('/api/correspondents', { name })).body['id']);
  const [shop] = [await made('Corner Shop'), await made('Shop & Co')];
  await admin.post('/api/documents/bulk', { ids, action: 'set_correspondent', correspondent_id: shop });
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/documents');
  await page.getByRole('link', { name: text('shell.correspondents') }).click();
  const dialog = page.getByRole('dialog');
  await page
    .getByRole('button', { name: text('filing.create.correspondent') })
    .first()
    .click();
  await dialog.getByLabel(text('labels.name'), { exact: true }).fill('Corner shop');
  await dialog.getByRole('button', { name: text('labels.save') }).click();
  await dialog.getByText(text('errors.correspondent_exists', { name: 'Corner shop' })).waitFor();
  await dialog.getByLabel(text('labels.name'), { exact: true }).fill('Gas Station');
  await dialog.getByLabel(text('filing.domains')).fill('gas.example');
  await page.keyboard.press('Enter');
  t.deepEqual(await web.flaws('correspondent-form'), []);
  await dialog.getByRole('button', { name: text('labels.save') }).click();
  await page.getByRole('row', { name: 'Gas Station' }).waitFor();
  const found = (await admin.get('/api/correspondents?q=gas')).body['data'] as { domains: string[] }[];
  t.deepEqual(found[0]?.domains, ['gas.example']);

  await page.getByRole('button', { name: text('filing.mergeOf', { name: 'Corner Shop' }) }).click();
  await dialog.getByText(text('filing.mergeHint', { name: 'Corner Shop', count: 2 })).waitFor();
  await dialog.getByLabel(text('filing.mergeInto'), { exact: true }).fill('shop');
  await page.getByRole('option', { name: 'Shop & Co' }).click();
  await dialog.getByRole('button', { name: text('filing.merge'), exact: true }).click();
  await page.getByRole('row', { name: 'Corner Shop' }).waitFor({ state: 'detached' });
  const row = page.getByRole('row', { name: 'Shop & Co' });
  await row.getByRole('link', { name: text('labels.count', { count: 2 }) }).click();
  const filter = page.getByLabel(text('filing.one.correspondent'), { exact: true });
  await waitFor(async () => (await filter.inputValue()) === 'Shop & Co', { ...WAIT, description: 'the filter to be shown' });
  await page
    .getByText(text('documents.count', { count: 2 }))
    .first()
    .waitFor();

  await page.goBack();
  await page.getByRole('button', { name: text('labels.removeOf', { name: 'Shop & Co' }) }).click();
  await dialog.getByText(text('filing.removalHint', { count: 2 })).waitFor();
  await dialog.getByRole('button', { name: text('labels.remove') }).click();
  await page.getByRole('row', { name: 'Shop & Co' }).waitFor({ state: 'detached' });
  t.is((await admin.get(`/api/documents/${ids[0]}`)).body['correspondent'], null);
});

test('the list shows and sorts by correspondent and type, and many documents are filed at once', async (t) => {
  const { open, served } = t.context;
  const { admin, database } = served;
  const ownerId = String((await admin.get('/api/auth/me')).body['id']);
  const titles = ['first', 'second'];
  for (const title of titles) await givenDocument(database.db, { ownerId, title: `${title} of many` });
  await admin.post('/api/document-types', { name: 'Contract' });
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/documents?sort=byDocumentTypeBack&document_type=none');
  for (const title of titles)
    await page.getByRole('checkbox', { name: text('documents.select', { name: `${title} of many` }), exact: true }).check();
  await page.getByRole('button', { name: text('documents.set.document_type') }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(text('filing.one.document_type'), { exact: true }).fill('contr');
  await page.getByRole('option', { name: 'Contract' }).click();
  await dialog.getByRole('button', { name: text('documents.apply') }).click();
  await page.getByText('first of many').waitFor({ state: 'detached' });
  const { body } = await admin.get('/api/documents?has_document_type=true&sort=title&order=asc');
  t.deepEqual(
    (body['data'] as { title: string; document_type: { name: string } }[]).map(({ title, document_type: { name } }) => [title, name]),
    [
      ['first of many', 'Contract'],
      ['second of many', 'Contract'],
    ],
  );
  await web.go('/documents');
  await page.getByRole('button', { name: text('documents.columns') }).click();
  await page.getByRole('checkbox', { name: text('filing.one.document_type') }).check();
  await page.keyboard.press('Escape');
  await page.getByRole('gridcell', { name: 'Contract' }).first().waitFor();
});
