import { eq } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import { type ApiClient, drawScan, makePdf, makeSignedPdf } from '@sheaf/testkit';
import type { Locator } from 'playwright-core';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { processWaiting } from '../../support/processed-document.ts';
import type { RunningApi } from '../../support/running-api.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };

/** A document as the worker leaves it, with the words of each page. */
const given = async ({ admin, database }: RunningApi, name: string, pdf: Buffer, words: readonly string[]): Promise<string> => {
  const id = String((await admin.upload({ name, bytes: new Uint8Array(pdf) })).body['id']);
  await processWaiting(database.db, id, ...words);
  await database.db.update(documents).set({ pageCount: words.length }).where(eq(documents.id, id));
  return id;
};

const pdfOf = (words: readonly string[]): Buffer => makePdf(words.map((word) => ({ lines: [word] })));

const LEASE = ['first', 'second', 'third', 'fourth'];
const STACK = ['letter', 'letter two', 'invoice', 'receipt'];

const test = testInChromium(async (own) => {
  const api = await apiAlone()(own);
  const lease = await given(api, 'lease.pdf', pdfOf(LEASE), LEASE);
  await given(api, 'annex.pdf', pdfOf(['annex']), ['annex']);
  await given(api, 'memo.txt', Buffer.from('a memo'), ['a memo']);
  const stack = await given(api, 'stack.pdf', pdfOf(STACK), STACK);
  const signed = await given(api, 'contract.pdf', await makeSignedPdf([{ picture: await drawScan(['contract']) }], 'Ada Lovelace'), [
    'contract',
  ]);
  await api.database.db.update(documents).set({ isSigned: true }).where(eq(documents.id, signed));
  return { ...api, lease, stack, signed };
});

const wordsOf = async (admin: ApiClient, id: string): Promise<string[]> =>
  ((await admin.get(`/api/documents/${id}/pages`)).body['pages'] as { readonly content: string }[]).map(({ content }) => content);

/** The pages in order, as they are heard. */
const heard = (pages: Locator): Promise<string[]> =>
  pages.getByRole('option').evaluateAll((tiles) => tiles.map(({ textContent }) => textContent.replaceAll(/\s+/g, ' ').trim()));

test('pages are turned, moved, deleted and appended, steps undone, and all is saved as one version', async (t) => {
  const { open, served } = t.context;
  const { admin, lease: id } = served;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(`/documents/${id}`);
  await page.getByRole('link', { name: text('document.editPages') }).click();
  const pages = page.getByRole('listbox', { name: text('pageEditor.pages') });
  const option = (at: number): Locator => pages.getByRole('option').nth(at);
  const tool = (name: string): Locator => page.getByRole('button', { name, exact: true });
  const save = tool(text('pageEditor.save'));
  await page.getByText(text('pageEditor.kept', { number: '1' })).waitFor();
  t.true(await save.isDisabled(), 'nothing has changed');
  await web.settle();
  t.deepEqual(await web.flaws('page-editor'), []);

  // with the keyboard: select the second and third, move them to the beginning, delete one, take that back
  await option(0).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+ArrowRight');
  await page.getByText(text('pageEditor.selected', { count: 2 })).waitFor();
  await page.keyboard.press('Alt+ArrowLeft');
  t.true((await heard(pages))[0]?.startsWith('Page 1') ?? false);
  t.deepEqual(await pages.getByRole('option').evaluateAll((tiles) => tiles.map((tile) => (tile as HTMLElement).dataset['key'])), [
    '0-2',
    '0-3',
    '0-1',
    '0-4',
  ]);
  await page.keyboard.press('Delete');
  t.is(await pages.getByRole('option').count(), 2);
  await page.keyboard.press('Control+z');
  t.is(await pages.getByRole('option').count(), 4);
  await page.keyboard.press('Escape');

  // with the pointer: turn one, drag the last one before it, delete another
  await option(0).click();
  await tool(text('pageEditor.turnRight')).click();
  await option(0).click();
  await option(3).dragTo(option(0), { targetPosition: { x: 5, y: 60 } });
  t.regex((await heard(pages))[1] ?? '', /rotated by 90/);
  await tool(text('documents.selectNone')).click();
  await option(2).click();
  await tool(text('pageEditor.remove')).click();

  await tool(text('pageEditor.append')).click();
  const dialog = page.getByRole('dialog', { name: text('pageEditor.append') });
  const picker = dialog.getByRole('combobox');
  await picker.fill('memo');
  await page.getByRole('option', { name: 'memo' }).click();
  await dialog.getByText(text('pageEditor.notAppendable')).waitFor();
  await picker.fill('annex');
  await page.getByRole('option', { name: 'annex' }).click();
  t.deepEqual(await web.flaws('append-document'), []);
  await dialog.getByRole('button', { name: text('pageEditor.appendPages', { count: 1 }) }).click();
  await dialog.waitFor({ state: 'detached' });
  t.is((await heard(pages)).length, 4);
  t.deepEqual(await web.flaws('pages-edited'), []);
  t.deepEqual(await web.flawsInTheDark('pages-edited'), []);
  await save.click();
  await page.waitForURL(`**/documents/${id}`);
  t.like(await admin.document(id), { version: 2, page_count: 4 });
  t.deepEqual(await wordsOf(admin, id), ['fourth', 'second', 'first', 'annex']);
  const { body } = await admin.get(`/api/documents/${id}/versions`);
  t.is((body['data'] as unknown[]).length, 2);
  t.deepEqual(web.offences, []);
});

test('a document is split on a telephone and put together again; what was changed meanwhile is loaded again', async (t) => {
  const { open, served } = t.context;
  const { admin, stack: id } = served;
  await using web = await open({ size: 'telephone' });
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(`/documents/${id}/pages`);
  const pages = page.getByRole('listbox', { name: text('pageEditor.pages') });
  await pages.getByRole('option').first().waitFor();
  await admin.send('POST', `/api/documents/${id}/pages/edit`, { operations: [{ op: 'rotate', pages: [1], by: 180 }] });
  await served.database.db.update(documents).set({ status: 'completed' }).where(eq(documents.id, id));
  await page.getByRole('button', { name: text('pageEditor.reload') }).tap();
  await page.getByText(text('pageEditor.kept', { number: '2' })).waitFor();
  for (const at of [2, 3]) await pages.getByRole('option').nth(at).tap();
  await page.getByRole('button', { name: text('pageEditor.split') }).tap();
  await page.getByText(text('pageEditor.willSplit', { count: 3 })).waitFor();
  await web.settle();
  t.deepEqual(await web.flaws('page-editor-split'), []);
  await page.getByRole('button', { name: text('pageEditor.save'), exact: true }).tap();
  const result = page.getByRole('status').filter({ hasText: text('pageEditor.splitDone', { count: 3 }) });
  await result.waitFor();
  t.is(await result.getByRole('link').count(), 3);
  t.deepEqual(await web.flaws('split-done'), []);
  t.deepEqual(await wordsOf(admin, id), ['letter', 'letter two']);
  await result.getByRole('link').last().tap();
  await page.getByText('receipt', { exact: true }).first().waitFor();

  // the parts and the whole lead to each other, and so does the import log; the split is undone
  await page.getByText(text('split.from')).waitFor();
  await page.getByRole('alert').getByRole('link', { name: 'stack', exact: true }).tap();
  await page.getByText(text('split.into', { count: 3 }), { exact: true }).waitFor();
  await web.settle();
  t.deepEqual(await web.flaws('split-note'), []);
  t.is(await page.getByLabel(`${text('document.value')}: split_into`).count(), 0, 'what the service notes is no metadata of users');
  await web.go('/ingest?state=split');
  await page.getByRole('link', { name: text('split.part', { number: '3' }) }).waitFor();
  t.deepEqual(await web.flaws('split-import-log'), []);
  await page.getByRole('link', { name: text('split.part', { number: '1' }) }).tap();
  await page.getByRole('button', { name: text('split.undo') }).tap();
  const dialog = page.getByRole('dialog', { name: text('split.undoTitle') });
  t.deepEqual(await web.flaws('split-undo'), []);
  await dialog.getByRole('button', { name: text('split.undo') }).tap();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText(text('split.into', { count: 3 }), { exact: true }).waitFor({ state: 'detached' });
  t.deepEqual(await wordsOf(admin, id), STACK);
  t.deepEqual(web.offences, []);
});

test('who edits a signed PDF is asked first; who may not change a document cannot edit its pages', async (t) => {
  const { open, served } = t.context;
  const { admin, signed: id } = served;
  {
    await using web = await open();
    const { page } = web;
    await web.signIn(ADMIN);
    await web.go(`/documents/${id}/pages`);
    await page.getByText(text('pageEditor.signed')).waitFor();
    await page.getByRole('option').first().press('Space');
    await page.getByRole('button', { name: text('pageEditor.remove') }).click();
    await page.getByRole('alert').getByText(text('errors.no_pages_left')).waitFor();
    t.true(await page.getByRole('button', { name: text('pageEditor.save'), exact: true }).isDisabled());
    await page.getByRole('button', { name: text('pageEditor.undoAll') }).click();
    await page.getByRole('button', { name: text('pageEditor.turnLeft') }).click();
    await page.getByRole('button', { name: text('pageEditor.save'), exact: true }).click();
    const dialog = page.getByRole('dialog', { name: text('pageEditor.signedTitle') });
    t.deepEqual(await web.flaws('signed-pages'), []);
    await dialog.getByRole('button', { name: text('common.cancel') }).click();
    await dialog.waitFor({ state: 'detached' });
    t.like(await admin.document(id), { version: 1 });
    await page.getByRole('button', { name: text('pageEditor.save'), exact: true }).click();
    await dialog.getByRole('button', { name: text('pageEditor.signedSave') }).click();
    await page.waitForURL(`**/documents/${id}`);
    t.like(await admin.document(id), { version: 2 });
  }
  await admin.register('reader', 'viewer');
  await using reader = await open();
  await reader.signIn({ username: 'reader', password: ADMIN.password });
  await reader.go(`/documents/${id}`);
  await reader.settle();
  t.is(await reader.page.getByRole('link', { name: text('document.editPages') }).count(), 0);
  await reader.go(`/documents/${id}/pages`);
  await reader.page.getByText(text('pageEditor.notAllowed')).waitFor();
  t.is(await reader.page.getByRole('option').count(), 0);
});
