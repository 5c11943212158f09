import { makePdf } from '@sheaf/testkit';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { givenProcessedDocument } from '../../support/processed-document.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };

const test = testInChromium(apiAlone());

test('facts say how certain they are, and one click chooses another', async (t) => {
  const { open, served } = t.context;
  const { admin, database } = served;
  const { body: me } = await admin.get('/api/auth/me');
  const { id } = await givenProcessedDocument(
    database.db,
    String(me['id']),
    'Northwind Trading Ltd.\nInvoice date: 03/04/2024\nTotal GBP 12.00',
  );
  await admin.register('reader', 'viewer');
  await using web = await open();
  await web.signIn(ADMIN);
  await web.go(`/documents/${id}`);
  const facts = web.page.getByRole('region', { name: text('document.facts'), exact: true });
  const date = facts.getByRole('listitem').filter({ hasText: text('factKinds.document_date') });
  await date.getByText(text('document.factAmbiguous')).waitFor();
  t.deepEqual(await web.flaws('document-facts'), []);
  await date.getByRole('button', { name: text('document.chooseFact', { value: 'Mar 4, 2024' }) }).press('Enter');
  await date.getByText(text('document.factConfirmed')).waitFor();
  await date.getByText('Mar 4, 2024').first().waitFor();
  t.is((await admin.get(`/api/documents/${id}`)).body['document_date'], '2024-03-04');

  await using other = await open();
  await other.signIn({ username: 'reader', password: ADMIN.password });
  await other.go(`/documents/${id}`);
  const read = other.page.getByRole('region', { name: text('document.facts'), exact: true });
  await read.getByText(text('document.factConfirmed')).waitFor();
  t.is(await read.getByRole('button').count(), 0);
});

test('a fact is shown on its page', async (t) => {
  const { open, served } = t.context;
  const { admin, database } = served;
  const { body: me } = await admin.get('/api/auth/me');
  const bytes = new Uint8Array(makePdf([{ lines: ['A letter'] }, { lines: ['Invoice date: 17 May 2024'] }]));
  const { body } = await admin.upload({ name: 'letter.pdf', bytes });
  const id = String(body['id']);
  await database.pool.query(
    `insert into document_facts (id, document_id, kind, value, page, x, y, width, height, confidence, rule, rank)
     values (gen_random_uuid(), $1, 'document_date', '2024-05-17', 2, 0.2, 0.08, 0.2, 0.02, 0.95, 'date.document', 0)`,
    [id],
  );
  t.is(String(me['username']), 'admin');
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(`/documents/${id}`);
  await page.getByRole('button', { name: text('document.showFact', { value: 'May 17, 2024', page: '2' }) }).click();
  await page.locator('[data-page="2"] .viewer-highlight').waitFor();
  t.is(new URL(page.url()).searchParams.get('page'), '2');
});
