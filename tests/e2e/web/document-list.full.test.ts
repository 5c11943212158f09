import type { Page } from 'playwright-core';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { waitFor } from '../../support/wait-for.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };
const COUNT = 250;

const test = testInChromium(async (own) => {
  const api = await apiAlone({ ALLOWED_FILE_TYPES: 'txt' })(own);
  await api.database.pool.query(
    `insert into documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, status, ocr_language, source, page_count)
      select gen_random_uuid(), users.id, 'Paper ' || to_char(i, 'FM000'), i || '.txt', 'text/plain', i * 1000, lpad(i::text, 64, '0'),
        '/elsewhere/' || i, 'completed', 'eng', 'upload', i from users, generate_series(1, $1::int) as i where username = 'admin'`,
    [COUNT],
  );
  return api;
});

const BY_TITLE = '/documents?sort=byTitle';
const row = (page: Page, title: string) => page.getByRole('row', { name: new RegExp(`^${title},`) });
const titles = (page: Page): Promise<string[]> => page.locator('main a[href^="/documents/"]').allTextContents();
const focused = (page: Page): Promise<string> => page.evaluate("document.activeElement.getAttribute('aria-label') ?? ''");
const isFocused = (page: Page, title: string) =>
  waitFor(async () => (await focused(page)).startsWith(`${title},`), {
    description: `the focus on ${title}`,
    limitMs: 20_000,
    everyMs: 50,
  });
const selected = (page: Page, count: number) => page.getByText(text('documents.selected', { count })).first().waitFor();

test('keys move the focus from row to row, also out of the window, and only one row is reached with Tab', async (t) => {
  await using web = await t.context.open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(BY_TITLE);
  await row(page, 'Paper 001').focus();
  await page.keyboard.press('ArrowDown');
  await isFocused(page, 'Paper 002');
  await page.keyboard.press('j');
  await isFocused(page, 'Paper 003');
  await page.keyboard.press('k');
  await isFocused(page, 'Paper 002');
  t.regex(await focused(page), new RegExp(`^Paper 002, ${text('documents.completed')}, .*\\d{4}`), 'title, status and date are heard');
  await page.keyboard.press('End');
  await isFocused(page, 'Paper 250');
  await page.keyboard.press('PageUp');
  t.false((await focused(page)).startsWith('Paper 250'));
  await page.keyboard.press('Home');
  await isFocused(page, 'Paper 001');
  t.is(await page.locator('[role=row][tabindex="0"]').count(), 1);
  // the row that has the focus is there, however far one scrolls
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  await row(page, 'Paper 250').waitFor();
  t.true((await focused(page)).startsWith('Paper 001,'));
  await page.keyboard.press('ArrowDown');
  await isFocused(page, 'Paper 002');
  await page.keyboard.press('Tab');
  t.is(await focused(page), text('documents.select', { name: 'Paper 002' }));
  await page.keyboard.press('/');
  t.is(await focused(page), text('search.placeholder'));
  t.deepEqual(await web.flaws('document-list'), []);
});

test('Shift and arrows select from the first row to the focus, and less again on the way back', async (t) => {
  await using web = await t.context.open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(BY_TITLE);
  await row(page, 'Paper 003').focus();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await selected(page, 3);
  t.is(await row(page, 'Paper 005').getAttribute('aria-selected'), 'true');
  await page.keyboard.press('Shift+ArrowUp');
  await selected(page, 2);
  t.is(await row(page, 'Paper 005').getAttribute('aria-selected'), 'false');
  await page.keyboard.press('Shift+ArrowUp');
  await page.keyboard.press('Shift+ArrowUp');
  await selected(page, 2);
  t.is(await row(page, 'Paper 002').getAttribute('aria-selected'), 'true', 'over the first row to the other side');
  await page.keyboard.press('ArrowDown');
  await selected(page, 2);
  await page.keyboard.press('x');
  await selected(page, 1);
  await page.keyboard.press('Escape');
  await page
    .getByText(text('documents.selected', { count: 1 }))
    .first()
    .waitFor({ state: 'detached' });
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+End');
  await selected(page, COUNT); // rows between them were never on the screen
  t.deepEqual(web.offences, []);
});

test('who comes back from a document is at its row', async (t) => {
  await using web = await t.context.open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(BY_TITLE);
  await row(page, 'Paper 001').focus();
  await page.keyboard.press('End');
  await isFocused(page, 'Paper 250');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Paper 250', level: 1 }).waitFor();
  await page.goBack();
  await isFocused(page, 'Paper 250');
  t.true(await row(page, 'Paper 250').isVisible());
  await page.getByRole('link', { name: 'Paper 249', exact: true }).click();
  await page.getByRole('heading', { name: 'Paper 249', level: 1 }).waitFor();
  await page.goBack();
  await isFocused(page, 'Paper 249');
  t.deepEqual(web.offences, []);
});

test('in the grid the arrows go in four directions', async (t) => {
  await using web = await t.context.open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(`${BY_TITLE}&view=grid`);
  const tile = page.getByRole('gridcell', { name: /^Paper 001,/ });
  await tile.focus();
  await page.keyboard.press('ArrowRight');
  await isFocused(page, 'Paper 002');
  await page.keyboard.press('ArrowDown');
  const below = await focused(page);
  t.notRegex(below, /^Paper 00[123],/);
  await page.keyboard.press('ArrowUp');
  await isFocused(page, 'Paper 002');
  await page.keyboard.press('x');
  t.is(await page.getByRole('gridcell', { name: /^Paper 002,/ }).getAttribute('aria-selected'), 'true');
  t.deepEqual(await web.flaws('document-grid'), []);
});

test('columns are chosen, stay chosen, order the list, and are told below the title on a telephone', async (t) => {
  const { open } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(BY_TITLE);
  const heading = (name: string) => page.getByRole('columnheader', { name, exact: true });
  await heading(text('document.documentDate')).waitFor();
  t.is(await heading(text('document.filename')).count(), 0);
  const columns = page.getByRole('button', { name: text('documents.columns') });
  await columns.click();
  const popup = page.getByRole('dialog', { name: text('documents.columns') });
  await popup.getByRole('checkbox', { name: text('documents.labels') }).uncheck();
  await popup.getByRole('checkbox', { name: text('document.documentDate') }).uncheck();
  await popup.getByRole('checkbox', { name: text('document.size') }).check();
  await popup.getByRole('checkbox', { name: text('document.filename') }).check();
  await popup.getByRole('checkbox', { name: text('document.pages') }).check();
  await heading(text('document.filename')).waitFor();
  t.deepEqual(await web.flaws('document-columns'), []);
  await page.keyboard.press('Escape');
  await popup.waitFor({ state: 'detached' });
  await page.reload();
  await heading(text('document.pages')).waitFor();
  t.is(await heading(text('documents.labels')).count(), 0);
  t.true((await row(page, 'Paper 007').getByRole('gridcell').allTextContents()).includes('7.txt'));

  const size = heading(text('document.size'));
  t.is(await size.getAttribute('aria-sort'), 'none');
  await size.getByRole('button').click();
  await waitFor(async () => (await titles(page))[0] === 'Paper 250', { description: 'the largest first', limitMs: 20_000 });
  t.is(await size.getAttribute('aria-sort'), 'descending');
  await size.getByRole('button').click();
  await waitFor(async () => (await titles(page))[0] === 'Paper 001', { description: 'the smallest first', limitMs: 20_000 });
  t.is(new URL(page.url()).searchParams.get('sort'), 'smallest');

  await page.setViewportSize({ width: 390, height: 844 });
  await heading(text('document.size')).waitFor({ state: 'detached' });
  await row(page, 'Paper 007')
    .getByText(/7\.txt · 7 · 6\.8 kB · /)
    .waitFor();
  t.false(await web.scrollsSideways());
  t.deepEqual(web.offences, []);
});

test('what is deleted leaves no gap and no wrong number, and its message covers no upload', async (t) => {
  t.timeout(3 * 60_000);
  await using web = await t.context.open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(BY_TITLE);
  await row(page, 'Paper 001').waitFor();
  await page
    .getByTestId('upload-files')
    .first()
    .setInputFiles([{ name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) }]);
  const panel = page.getByRole('region', { name: text('uploads.upload') });
  await panel.waitFor();
  await row(page, 'Paper 002').focus();
  await page.keyboard.press('x');
  await page.keyboard.press('Delete');
  await page.getByText(text('documents.count', { count: COUNT - 1 }), { exact: true }).waitFor();
  t.deepEqual((await titles(page)).slice(0, 2), ['Paper 001', 'Paper 003']);
  await isFocused(page, 'Paper 003');
  const message = await page.getByText(text('documents.removed', { count: 1 })).boundingBox();
  const uploads = await panel.boundingBox();
  t.true(message !== null && uploads !== null && message.y + message.height <= uploads.y, JSON.stringify({ message, uploads }));
  await page.getByRole('button', { name: text('common.undo') }).click();
  await page.getByText(text('documents.count', { count: COUNT }), { exact: true }).waitFor();
  t.deepEqual((await titles(page)).slice(0, 2), ['Paper 001', 'Paper 002']);

  await row(page, 'Paper 001').focus();
  await page.keyboard.press('End');
  await isFocused(page, 'Paper 250');
  await page.keyboard.press('x');
  await page.keyboard.press('Delete');
  await isFocused(page, 'Paper 249');
  t.deepEqual(web.offences, []);
});
