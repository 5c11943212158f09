import { SignatureBacklog } from '@sheaf/near-duplicates';
import { silentLogger } from '@sheaf/process';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { givenProcessedDocument } from '../../support/processed-document.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };

const test = testInChromium(apiAlone());

const LETTER = `Harbour Insurance Ltd, 12 Garden Row, 40213 Riverton, policy number 4471-10293, 17 May 2024. We regularly review the conditions of our
contracts so that they match the development of costs. The yearly premium is 318.40 EUR and the insured sum 65,000 EUR.`;

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
