import { givenDocument } from '@sheaf/testkit';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { waitFor } from '../../support/wait-for.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };

const test = testInChromium(apiAlone());

test('a document gets a date and the next archive number, and a number that is taken is refused in words', async (t) => {
  const { open, served } = t.context;
  const { admin, database } = served;
  const ownerId = String((await admin.get('/api/auth/me')).body['id']);
  const [{ id: first }, { id }] = [await givenDocument(database.db, { ownerId }), await givenDocument(database.db, { ownerId })];
  await admin.send('PATCH', `/api/documents/${first}`, { archive_number: 17 });
  const isStored = (fields: Readonly<Record<string, unknown>>): Promise<true> =>
    waitFor(
      async () => {
        const { body } = await admin.get(`/api/documents/${id}`);
        return Object.entries(fields).every(([name, value]) => body[name] === value) ? true : undefined;
      },
      { description: `the document to have ${JSON.stringify(fields)}`, limitMs: 20_000 },
    );
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(`/documents/${id}`);
  const filing = page.getByRole('region', { name: text('document.filing') });
  await filing.getByLabel(text('document.documentDate')).fill('2024-05-03');
  await filing.getByRole('button', { name: text('document.nextArchiveNumber') }).click();
  t.true(await isStored({ document_date: '2024-05-03', archive_number: 18 }));
  const number = filing.getByLabel(text('document.archiveNumber'));
  await waitFor(async () => (await number.inputValue()) === '18', { description: 'the number to be shown', limitMs: 20_000 });
  t.deepEqual(await web.flaws('document-filing'), []);
  await number.fill('17');
  await number.blur();
  await filing.getByText(text('errors.ARCHIVE_NUMBER_TAKEN')).waitFor();
  await number.fill('');
  await number.blur();
  t.true(await isStored({ document_date: '2024-05-03', archive_number: null }));
});
