import { eq } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import { SignatureBacklog } from '@sheaf/filing/near-duplicates';
import { silentLogger } from '@sheaf/process';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { givenProcessedDocument } from '../../support/processed-document.ts';
import { waitFor } from '../../support/wait-for.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };

const test = testInChromium(apiAlone());

const LETTER = `Harbour Insurance Ltd, 12 Garden Row, 40213 Riverton, policy number 4471-10293, 17 May 2024. We regularly review the conditions of our
contracts so that they match the development of costs. The yearly premium is 318.40 EUR and the insured sum 65,000 EUR.`;

const OFFER = `Riverton Cycles, 4 Mill Lane, offers to the town library, offer 2024-118 of 3 June 2024. A bicycle with eleven gears, a basket and lights is
delivered in May for 812.00 EUR, payable within thirty days. The guarantee lasts five years and covers frame, fork, brakes and every part that is moved.`;

test('a second scan is shown beside its document, filtered by, and dismissed', async (t) => {
  const { open, served } = t.context;
  const { admin, database } = served;
  const owner = String((await admin.get('/api/auth/me')).body['id']);
  const [first, second] = [
    await givenProcessedDocument(database.db, owner, LETTER),
    await givenProcessedDocument(database.db, owner, LETTER.replace('Garden', 'Gardem')),
  ];
  await givenProcessedDocument(database.db, owner, 'something else');
  await new SignatureBacklog(database.db, silentLogger()).run(new AbortController().signal);
  await using web = await open();
  await web.signIn(ADMIN);
  await web.go('/documents?similar=yes');
  await web.page.getByRole('link', { name: first.title }).first().waitFor();
  await web.go(`/documents/${first.id}`);
  const similar = web.page.getByRole('region', { name: text('similar.title'), exact: true });
  await similar.getByRole('link', { name: second.title }).waitFor();
  t.deepEqual(await web.flaws('similar-documents'), []);
  await similar.getByRole('button', { name: text('similar.notDuplicate') }).press('Enter');
  await similar.waitFor({ state: 'detached' });
  const { body } = await admin.get('/api/documents?has_similar=true');
  t.deepEqual(body['data'], []);
});

test('two scans are compared page by page beside each other; one becomes an older version, one goes to the trash', async (t) => {
  const { open, served } = t.context;
  const { admin, database } = served;
  const owner = String((await admin.get('/api/auth/me')).body['id']);
  const given = async (from: string, pages: number) => {
    const made = await givenProcessedDocument(
      database.db,
      owner,
      OFFER.replace('gears', from),
      ...Array.from({ length: pages - 1 }, (_, page) => `page ${page + 2}`),
    );
    await database.db.update(documents).set({ pageCount: pages }).where(eq(documents.id, made.id));
    return { id: made.id, title: made.title };
  };
  const [first, second, third] = [await given('gears', 2), await given('gearz', 2), await given('geams', 1)];
  await new SignatureBacklog(database.db, silentLogger()).run(new AbortController().signal);
  for (const size of ['telephone', 'desktop'] as const) {
    await using web = await open({ size });
    const { page } = web;
    await web.signIn(ADMIN);
    await web.go(`/documents/${first.id}`);
    const similar = page.getByRole('region', { name: text('similar.title'), exact: true });
    const other = size === 'telephone' ? second : third;
    const item = similar.getByRole('listitem').filter({ hasText: other.title });
    await item.getByRole('button', { name: text('similar.compare') }).press('Enter');
    const dialog = page.getByRole('dialog');
    const pageOf = ({ title }: { readonly title: string }, number: string) => dialog.getByText(text('similar.pageOf', { number, title }));
    await dialog.getByRole('link', { name: other.title }).waitFor();
    await dialog.getByText('A bicycle with').first().waitFor(); // a text has no pictures: its words are shown
    t.deepEqual(await web.flaws('compare-documents'), []);
    t.deepEqual(await web.flawsInTheDark('compare-documents'), []);
    await page.keyboard.press('ArrowRight');
    await dialog.getByText(text('document.page', { page: '2', total: '2' })).waitFor();
    await dialog
      .getByText(other === second ? 'page 2' : text('similar.noPage', { number: '2' }))
      .first()
      .waitFor();
    t.is(await pageOf(first, '2').count(), 0);
    if (size === 'telephone') {
      await dialog.getByRole('button', { name: text('similar.olderVersionOf', { title: second.title }) }).press('Enter');
      await dialog.waitFor({ state: 'detached' });
      const { body } = await admin.get(`/api/documents/${first.id}/versions`);
      t.is((body['data'] as unknown[]).length, 2);
    } else {
      // what the screen is of goes: it becomes that of the other one
      await dialog.getByRole('button', { name: text('similar.removeOf', { title: first.title }) }).press('Enter');
      await page.waitForURL(`**/documents/${third.id}`);
      await page.getByRole('button', { name: text('common.undo') }).waitFor();
      await page.evaluate(`dispatchEvent(new Event('pagehide'))`); // the time to undo it is over
      await waitFor(async () => (await admin.get(`/api/documents/${first.id}`)).status === 404, {
        description: 'the document to go',
        limitMs: 10_000,
      });
    }
    t.deepEqual(web.offences, []);
  }
});
