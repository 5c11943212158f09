import { readFile } from 'node:fs/promises';
import { fromBufferPromise } from 'yauzl';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };
const PAPERS = ['letter', 'invoice', 'contract'];

const test = testInChromium(async (own) => {
  const api = await apiAlone()(own);
  for (const name of PAPERS) await api.admin.upload({ name: `${name}.txt`, bytes: new TextEncoder().encode(`the ${name}`) });
  return api;
});

test('selected documents are saved by the browser as one ZIP', async (t) => {
  const { open } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/documents');
  for (const name of ['letter', 'contract']) await page.getByRole('checkbox', { name: text('documents.select', { name }) }).check();
  const bar = page.getByRole('region', { name: text('documents.selected', { count: 2 }) });
  const saved = page.waitForEvent('download');
  await bar.getByRole('button', { name: text('documents.download') }).click();
  const download = await saved;
  t.regex(download.suggestedFilename(), /^documents-.*\.zip$/);
  const zip = await fromBufferPromise(await readFile(await download.path()));
  const names: string[] = [];
  for await (const entry of zip.eachEntry()) names.push(entry.fileName);
  t.deepEqual(names, ['contract.txt', 'letter.txt']);
  await page.getByText(text('documents.downloading', { count: 2 })).waitFor();
  t.deepEqual(await web.flaws('bulk-download'), []);
});
