import { givenDocument } from '@sheaf/testkit';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { waitFor } from '../../support/wait-for.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };

const test = testInChromium(apiAlone());

test('a label is put below another one, and taking that one off a document takes both', async (t) => {
  const { open, served } = t.context;
  const { admin, database } = served;
  const ownerId = String((await admin.get('/api/auth/me')).body['id']);
  const { id } = await givenDocument(database.db, { ownerId });
  await admin.post('/api/labels', { name: 'Taxes' });
  const { body: year } = await admin.post('/api/labels', { name: 'Year 2024' });
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/labels');
  await page.getByRole('button', { name: text('labels.editOf', { name: 'Year 2024' }) }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: text('labels.parent') }).fill('Tax');
  await page.getByRole('option', { name: 'Taxes', exact: true }).click();
  t.deepEqual(await web.flaws('nested-labels'), []);
  await dialog.getByRole('button', { name: text('labels.save') }).click();
  await page.getByText('Taxes /', { exact: true }).waitFor();
  t.deepEqual((await admin.get(`/api/labels/${String(year['id'])}`)).body['path'], ['Taxes', 'Year 2024']);

  await admin.send('PATCH', `/api/documents/${id}`, { labels: ['Year 2024'] });
  const isLabelled = (names: readonly string[]): Promise<true> =>
    waitFor(
      async () => {
        const { body } = await admin.get(`/api/documents/${id}`);
        return JSON.stringify(body['labels']) === JSON.stringify(names) ? true : undefined;
      },
      { description: `the document to have ${names.length} labels`, limitMs: 20_000 },
    );
  t.true(await isLabelled(['Taxes', 'Year 2024']));
  await web.go(`/documents/${id}`);
  await page.getByRole('button', { name: text('labelPicker.remove', { name: 'Taxes' }) }).click();
  t.true(await isLabelled([]));
});
