import { readFile } from 'node:fs/promises';
import { eq } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import { savePages } from '@sheaf/documents/pages';
import { drawScan, makePdf, makeSignedPdf } from '@sheaf/testkit';
import { encodePageWords } from '@sheaf/vocabulary/page-words';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { layOut } from '../../support/searchable-pdf.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };

const test = testInChromium(apiAlone());

test('a scan is downloaded as it is and as a searchable PDF, and a signed PDF says who signed it', async (t) => {
  const { open, served } = t.context;
  const { admin, database } = served;
  const given = async (name: string, pdf: Buffer): Promise<string> => {
    const id = String((await admin.upload({ name, bytes: new Uint8Array(pdf) })).body['id']);
    const words = encodePageWords('harbour office', { width: 504, height: 200, words: layOut([['harbour', 'office']]) });
    await savePages(database.db, id, [{ page: 1, content: 'harbour office', confidence: 0.9, origin: 'ocr', words }]);
    await database.db.update(documents).set({ status: 'completed', pageCount: 1 }).where(eq(documents.id, id));
    return id;
  };
  const picture = await drawScan(['harbour office']);
  const file = makePdf([{ picture }]);
  const scan = await given('scan.png.pdf', file);
  const signed = await given('contract.pdf', await makeSignedPdf([{ picture }], 'Ada Lovelace'));

  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(`/documents/${scan}`);
  const menu = page.getByRole('button', { name: text('document.download'), exact: true });
  const downloadAs = async (name: string): Promise<Buffer> => {
    await menu.press('Enter');
    const item = page.getByRole('menuitem', { name, exact: true });
    await item.waitFor();
    t.deepEqual(await web.flaws('download-menu', 'but axe'), []);
    const [download] = await Promise.all([page.waitForEvent('download'), item.press('Enter')]);
    t.is(download.suggestedFilename(), 'scan.png.pdf');
    await item.waitFor({ state: 'detached' });
    return readFile(await download.path());
  };
  t.deepEqual(await downloadAs(text('document.original')), file);
  t.notDeepEqual(await downloadAs(text('document.searchablePdf')), file);

  await web.go('/documents');
  await web.go(`/documents/${signed}`);
  const card = page.getByRole('region', { name: text('signatures.title') });
  await card.getByText('Ada Lovelace').waitFor();
  await card.getByText(text('signatures.valid'), { exact: true }).waitFor();
  t.deepEqual(await web.flaws('document-signatures'), []);
});
