import { givenDocument } from '@sheaf/testkit';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { waitFor } from '../../support/wait-for.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };

const test = testInChromium(apiAlone());

test('a note is added, shown with its author, and deleted; who may not change documents reads them', async (t) => {
  const { open, served } = t.context;
  const admin = served.admin;
  const { body: me } = await admin.get('/api/auth/me');
  const { id } = await givenDocument(served.database.db, { ownerId: String(me['id']) });
  await admin.register('reader', 'viewer');
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(`/documents/${id}`);
  const notes = page.getByRole('region', { name: text('document.notes') });
  await notes.getByRole('textbox').fill('<b>paid</b>\nin two parts');
  t.deepEqual(await web.flaws('document-notes'), []);
  await notes.getByRole('textbox').press('Control+Enter');
  const item = notes.getByRole('listitem');
  await item.getByText('<b>paid</b> in two parts').waitFor();
  await item.getByText('admin').waitFor();
  await waitFor(async () => (await notes.getByRole('textbox').inputValue()) === '', {
    description: 'an empty field for the next note',
    limitMs: 20_000,
  });
  t.is((await admin.get(`/api/documents/${id}`)).body['notes_count'], 1);

  await using other = await open();
  await other.signIn({ username: 'reader', password: ADMIN.password });
  await other.go(`/documents/${id}`);
  const read = other.page.getByRole('region', { name: text('document.notes') });
  await read.getByText('<b>paid</b> in two parts').waitFor();
  t.is(await read.getByRole('textbox').count(), 0);
  t.is(await read.getByRole('button').count(), 0);

  await item.getByRole('button', { name: text('document.deleteNote') }).click();
  await item.waitFor({ state: 'detached' });
  t.is((await admin.get(`/api/documents/${id}`)).body['notes_count'], 0);
});
