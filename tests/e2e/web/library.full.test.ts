import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '@sheaf/testkit';
import type { Page } from 'playwright-core';
import { testWhere } from '../../support/conditional-test.ts';
import { corpusPath } from '../../support/corpus.ts';
import { testInChromium, wholeService } from '../../support/in-chromium.ts';
import { text, textPattern } from '../../support/messages.ts';
import { waitFor } from '../../support/wait-for.ts';

const PASSWORD = 'correct horse battery';
const ADMIN = { username: 'admin', password: PASSWORD };
const LETTERS = [1, 2, 3, 4, 5, 6, 7].map((number) => `Letter ${number}`);
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

const test = testInChromium(async (own) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'sheaf-library-')));
  own.defer(() => rm(folder, { recursive: true, force: true }));
  const whole = await wholeService({ ALLOWED_FILE_TYPES: 'pdf,txt,jpg,docx', LOCAL_SOURCE_ROOTS: folder })(own);
  const admin = await whole.anyone.register('admin');
  const label = String((await admin.post('/api/labels', { name: 'Taxes', color: '#2f9e44' })).body['id']);
  const ids = new Map<string, string>();
  for (const title of LETTERS) {
    const { body } = await admin.upload(
      { name: `${title}.txt`, bytes: bytesOf(`This is ${title}`) },
      title === 'Letter 2' ? { labels: label } : {},
    );
    ids.set(title, String(body['id']));
  }
  for (const id of ids.values()) await admin.waitForEnd(id);
  return { ...whole, admin, folder, label, idOf: (title: string) => ids.get(title) ?? '' };
});

const statusOf = async (admin: ApiClient, id: string): Promise<number> => (await admin.get(`/api/documents/${id}`)).status;
const titles = (page: Page): Promise<string[]> => page.locator('main a[href^="/documents/"]').allTextContents();
const pathOf = (page: Page): string => new URL(page.url()).pathname + new URL(page.url()).search;

test('what the list shows stands in the address: order, view and filters survive a reload and are gone back through', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/documents');
  await page.getByText(text('documents.count', { count: 7 }), { exact: true }).waitFor();
  await waitFor(async () => (await titles(page))[0] === 'Letter 7', { description: 'the newest to be first', limitMs: 20_000 });

  await page.getByLabel(text('documents.sort')).selectOption('byTitle');
  await page.locator('main a', { hasText: 'Letter 1' }).waitFor();
  await waitFor(async () => (await titles(page))[0] === 'Letter 1', { description: 'the order by title', limitMs: 20_000 });
  t.is(pathOf(page), '/documents?sort=byTitle');
  await page
    .getByRole('radiogroup', { name: text('documents.view') })
    .locator('label')
    .nth(2)
    .click();
  await page.waitForURL('**/documents?sort=byTitle&view=grid');

  await page.getByRole('button', { name: text('documents.filters') }).click();
  await page.getByLabel(text('documents.labels'), { exact: true }).click();
  await page.getByRole('option', { name: 'Taxes' }).click();
  await page.getByText(text('documents.count', { count: 1 }), { exact: true }).waitFor();
  t.is(new URL(page.url()).searchParams.get('labels'), served.label);
  await page.reload();
  await page.getByText(text('documents.count', { count: 1 }), { exact: true }).waitFor();
  const isShown = (description: string, fits: (shown: readonly string[]) => boolean) =>
    waitFor(async () => fits(await titles(page)), { description, limitMs: 20_000 });
  await isShown('the one with the label', (shown) => shown.join() === 'Letter 2');

  await page.goBack();
  await page.getByText(text('documents.count', { count: 7 }), { exact: true }).waitFor();
  await page.goBack();
  await page.waitForURL('**/documents?sort=byTitle');
  await isShown('all of them', (shown) => shown.length === 7);
  await page.goto('/documents?status=failed');
  await page.getByRole('heading', { name: text('documents.noneFound') }).waitFor();
  await page.getByRole('button', { name: text('documents.clear') }).click();
  await page.getByText(text('documents.count', { count: 7 }), { exact: true }).waitFor();
  t.deepEqual(web.offences, []);
});

test('several documents are selected with shift, get a label at once, and are deleted unless that is taken back', async (t) => {
  t.timeout(3 * 60_000);
  const { open, served } = t.context;
  const { admin, idOf } = served;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/documents?sort=byTitle');
  const check = (title: string) => page.getByRole('checkbox', { name: text('documents.select', { name: title }) });

  await check('Letter 1').click();
  await check('Letter 3').click({ modifiers: ['Shift'] });
  const bar = page.getByRole('region', { name: text('documents.selected', { count: 3 }) });
  await bar.getByRole('button', { name: text('documents.addLabels') }).click();
  await page.getByRole('dialog').getByLabel('Labels').fill('Rent');
  await page.getByRole('option', { name: text('labelPicker.create', { name: 'Rent' }) }).click();
  await page.getByRole('dialog').getByText('Rent', { exact: true }).first().waitFor();
  t.deepEqual(await web.flaws('documents-label'), []);
  await page.getByRole('button', { name: text('documents.apply') }).click();
  for (const title of ['Letter 1', 'Letter 2', 'Letter 3'])
    await waitFor(async () => ((await admin.document(idOf(title)))['labels'] as string[]).includes('Rent'), {
      description: `${title} to be labelled`,
      limitMs: 20_000,
    });
  t.deepEqual((await admin.document(idOf('Letter 2')))['labels'], ['Rent', 'Taxes']);
  await page.getByRole('button', { name: text('documents.selectNone') }).click();

  // taken back by the button, and by the keys
  for (const undo of [() => page.getByRole('button', { name: text('common.undo') }).click(), () => page.keyboard.press('Control+z')]) {
    await check('Letter 5').click();
    await check('Letter 6').click();
    await page.getByRole('button', { name: text('documents.remove'), exact: true }).click();
    await page.getByText(text('documents.removed', { count: 2 })).waitFor();
    t.false((await titles(page)).includes('Letter 5'), 'it is gone from sight at once');
    await undo();
    await page.getByText(text('documents.removed', { count: 2 })).waitFor({ state: 'detached' });
    t.true((await titles(page)).includes('Letter 5'));
  }

  await check('Letter 4').click();
  await page.getByRole('button', { name: text('documents.remove'), exact: true }).click();
  await page.getByText(text('documents.removed', { count: 1 })).waitFor();
  await web.walk('/labels');
  await web.walk('/documents?sort=byTitle');
  t.false((await titles(page)).includes('Letter 4'), 'nor does it come back on another screen');
  t.is(await statusOf(admin, idOf('Letter 4')), 200, 'it can still be taken back');
  await waitFor(async () => (await statusOf(admin, idOf('Letter 4'))) === 404, { description: 'Letter 4 to be deleted', limitMs: 20_000 });
  await page.getByText(text('documents.count', { count: 6 }), { exact: true }).waitFor();
  t.deepEqual(
    await titles(page),
    LETTERS.filter((title) => title !== 'Letter 4'),
  );

  // who leaves the page has deleted
  await check('Letter 7').click();
  await page.getByRole('button', { name: text('documents.remove'), exact: true }).click();
  await page.getByText(text('documents.removed', { count: 1 })).waitFor();
  await page.goto('about:blank');
  await waitFor(async () => (await statusOf(admin, idOf('Letter 7'))) === 404, { description: 'Letter 7 to be deleted', limitMs: 20_000 });
  t.is(await statusOf(admin, idOf('Letter 5')), 200);
  t.deepEqual(web.offences, []);
});

test('what comes in while all documents are being deleted stays', async (t) => {
  t.timeout(3 * 60_000);
  const { open, served } = t.context;
  const { admin } = served;
  const editor = await admin.register('grace', 'editor');
  const note = async (text: string): Promise<string> => {
    const { body } = await editor.upload({ name: `${text}.txt`, bytes: bytesOf(text) });
    await editor.waitForEnd(String(body['id']));
    return String(body['id']);
  };
  const source = (id: string): string => `/documents?from=2020-01-01&status=completed&sort=byTitle&labels=${id}`;
  const label = String((await editor.post('/api/labels', { name: 'Notes' })).body['id']);
  const marked = async (id: string): Promise<string> => {
    await editor.send('PATCH', `/api/documents/${id}`, { labels: [label] });
    return id;
  };
  const old = await marked(await note('an old note'));
  await using web = await open();
  const { page } = web;
  await web.signIn({ username: 'grace', password: PASSWORD });
  await web.go(source(label));
  await page.getByText(text('documents.count', { count: 1 }), { exact: true }).waitFor();
  await page.locator('[role=row][tabindex="0"]').focus();
  await page.keyboard.press('Control+a');
  await page
    .getByText(text('documents.selected', { count: 1 }))
    .first()
    .waitFor();
  await page.keyboard.press('Delete');
  await page.getByText(text('documents.removed', { count: 1 })).waitFor();
  t.deepEqual(await titles(page), [], 'all of it is gone from sight');
  const young = await marked(await note('a young note'));
  await waitFor(async () => (await statusOf(admin, old)) === 404, { description: 'the old note to be deleted', limitMs: 20_000 });
  t.is(await statusOf(admin, young), 200);
  await page.locator('main a', { hasText: 'a young note' }).waitFor();
  t.deepEqual(web.offences, []);
});

test('files that are dropped anywhere become documents; a duplicate and a refused one are told, with words and a link', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/labels');
  const dropped = await page.evaluateHandle(`(() => {
    const data = new DataTransfer();
    data.items.add(new File(['A quadrant of wood'], 'quadrant.txt'));
    data.items.add(new File(['This is Letter 1'], 'again.txt'));
    data.items.add(new File(['MZ'], 'program.exe'));
    return data;
  })()`);
  await page.dispatchEvent('main', 'dragenter', { dataTransfer: dropped });
  await page.getByText(text('uploads.drop')).waitFor();
  await page.dispatchEvent('main', 'drop', { dataTransfer: dropped });
  const panel = page.getByRole('region', { name: text('uploads.upload') });
  await panel.locator('[data-upload=read]', { hasText: 'quadrant.txt' }).waitFor({ timeout: 120_000 });
  await panel.locator('[data-upload=duplicate]', { hasText: text('uploads.duplicate') }).waitFor();
  await panel.locator('[data-upload=failed]', { hasText: /exe/ }).waitFor();
  t.regex((await panel.locator('[data-upload=failed]').textContent()) ?? '', /program\.exe.*not/);
  t.deepEqual(await web.flaws('uploads'), []);
  await panel.getByRole('link', { name: `${text('uploads.show')}: again.txt` }).click();
  await page.waitForURL(`**/documents/${served.idOf('Letter 1')}`);
  await page.getByRole('heading', { name: 'Letter 1', level: 1 }).waitFor();
  await panel.getByRole('button', { name: text('uploads.clear') }).click();
  await panel.waitFor({ state: 'detached' });
  t.deepEqual(web.offences, []);
});

test('what is pasted and what lies in a chosen folder become documents, all but hidden files', async (t) => {
  const { open } = t.context;
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-chosen-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'inner'));
  await writeFile(join(folder, 'sundial.txt'), 'A sundial');
  await writeFile(join(folder, 'inner', 'gnomon.txt'), 'A gnomon');
  await writeFile(join(folder, '.hidden.txt'), 'Nothing for the library');
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/labels');
  await page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File(['A pasted note'], 'pasted.txt'));
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  })()`);
  const panel = page.getByRole('region', { name: text('uploads.upload') });
  await panel.locator('[data-upload=read]', { hasText: 'pasted.txt' }).waitFor({ timeout: 120_000 });
  await page.getByRole('button', { name: text('uploads.upload'), exact: true }).click();
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('menuitem', { name: text('uploads.folder') }).click(),
  ]);
  await chooser.setFiles(folder);
  for (const name of ['sundial.txt', 'gnomon.txt'])
    await panel.locator('[data-upload=read]', { hasText: name }).waitFor({ timeout: 120_000 });
  t.is(await panel.locator('[data-upload]').count(), 3, 'the hidden file stays where it is');
  t.deepEqual(web.offences, []);
});

test('a document gets a title, labels and fields, shows its text, is downloaded, and is read again in another language', async (t) => {
  t.timeout(3 * 60_000);
  const { open, served } = t.context;
  const { admin, idOf } = served;
  const id = idOf('Letter 2');
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(`/documents/${id}`);
  await page.getByRole('button', { name: text('document.editTitle') }).click();
  await page.getByLabel(text('document.titleLabel')).fill('A letter of no weight');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'A letter of no weight', level: 1 }).waitFor();
  t.is(await page.title(), 'A letter of no weight · Sheaf');

  await page.getByRole('button', { name: text('labelPicker.remove', { name: 'Taxes' }) }).click();
  await page.getByRole('button', { name: text('labelPicker.remove', { name: 'Taxes' }) }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: text('document.addField') }).click();
  await page.getByLabel(text('document.field'), { exact: true }).fill('shelf');
  await page.getByLabel(`${text('document.value')}: shelf`).fill('the upper one');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: text('document.save') }).waitFor({ state: 'detached' });
  t.like(await admin.document(id), { title: 'A letter of no weight', labels: ['Rent'], metadata: { shelf: 'the upper one' } });

  await page
    .getByRole('group', { name: text('document.text') })
    .getByText('This is Letter 2')
    .waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: text('document.download'), exact: true }).click(),
  ]);
  t.is(download.suggestedFilename(), 'Letter 2.txt');
  t.is(readFileSync(await download.path(), 'utf8'), 'This is Letter 2');

  await page.getByRole('button', { name: text('documents.readAgain') }).click();
  const dialog = page.getByRole('dialog');
  const language = dialog.getByRole('combobox', { name: text('document.ocrLanguage') });
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'combobox');
  t.is(await language.getAttribute('aria-expanded'), 'false', 'the buttons of the dialog are in sight');
  await language.fill('xyz');
  await page.getByText(text('ocrLanguages.none')).waitFor();
  await language.fill('');
  await page.keyboard.press('Backspace');
  t.true(await dialog.getByRole('button', { name: text('documents.readAgain') }).isDisabled(), 'nothing is chosen');
  await language.fill('engl');
  await page.getByRole('option', { name: 'English', exact: true }).click();
  const [answer] = await Promise.all([
    page.waitForResponse(/retry-ocr/),
    dialog.getByRole('button', { name: text('documents.readAgain') }).click(),
  ]);
  t.is((answer.request().postDataJSON() as { language: string }).language, 'eng');
  t.true(answer.ok());
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  t.is((await admin.waitForEnd(id)).status, 'completed');

  await page
    .getByRole('region', { name: text('document.history') })
    .getByText('Letter 2.txt')
    .waitFor();
  await page.getByRole('button', { name: text('documents.remove'), exact: true }).click();
  await page.waitForURL('**/documents');
  await page.getByRole('link', { name: 'Letter 1', exact: true }).waitFor();
  t.false((await titles(page)).includes('A letter of no weight'));
  await page.getByRole('button', { name: text('common.undo') }).click();
  await page.waitForURL(`**/documents/${id}`);
  t.is(await statusOf(admin, id), 200);
  t.deepEqual(web.offences, []);
});

test('a source is tried, kept, run, and tells how that went, also where it fails; it is deleted unless that is taken back', async (t) => {
  t.timeout(3 * 60_000);
  const { open, served } = t.context;
  const { admin, folder } = served;
  await writeFile(join(folder, 'minutes.txt'), 'Minutes of the meeting in March');
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  const isListening = page.waitForEvent('websocket');
  await web.go('/sources');
  await isListening;
  await page
    .getByRole('button', { name: text('sourceScreen.create') })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(text('sourceScreen.local_folder')).click();
  await dialog.getByLabel(text('fields.name'), { exact: true }).fill('Office');
  await dialog.getByLabel(text('fields.path'), { exact: true }).fill(join(folder, 'missing'));
  await dialog.getByRole('button', { name: text('sourceScreen.test') }).click();
  await dialog.getByText(text('issues.outside_roots')).first().waitFor();
  t.is(await dialog.getByLabel(text('fields.path'), { exact: true }).inputValue(), join(folder, 'missing'));
  await dialog.getByLabel(text('fields.path'), { exact: true }).fill(folder);
  await dialog.getByRole('button', { name: text('sourceScreen.test') }).click();
  await dialog.getByText(text('sourceScreen.works'), { exact: true }).waitFor();
  await dialog.getByRole('listitem').filter({ hasText: 'minutes.txt' }).waitFor();
  await dialog.getByRole('button', { name: text('document.save') }).click();
  await dialog.waitFor({ state: 'detached' });

  const card = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Office', exact: true }) });
  // it is run as soon as it is there
  await card.getByText(text('documents.count', { count: 1 })).waitFor({ timeout: 120_000 });
  await card.getByRole('link', { name: 'Office' }).click();
  await page.getByText(`1 ${text('sourceScreen.added')}`, { exact: true }).waitFor();
  await writeFile(join(folder, 'agenda.txt'), 'Agenda of the meeting in April');
  await page.getByRole('button', { name: text('sourceScreen.sync') }).click();
  await page.getByText(`1 ${text('sourceScreen.skipped')}`, { exact: true }).waitFor({ timeout: 120_000 });
  await page.getByText(`1 ${text('sourceScreen.added')}`, { exact: true }).waitFor();
  await page
    .getByRole('term')
    .filter({ hasText: text('sourceScreen.nextSync') })
    .locator('xpath=following-sibling::dd')
    .getByText(/\d{4}/)
    .waitFor();

  await rm(folder, { recursive: true });
  await page.getByRole('button', { name: text('sourceScreen.sync') }).click();
  await page.getByText(text('sourceScreen.error'), { exact: true }).waitFor({ timeout: 120_000 });
  await web.walk('/sources');
  await card.getByText(text('sources.not_found')).waitFor();

  await card.getByRole('link', { name: 'Office' }).click();
  await page.getByRole('button', { name: text('documents.remove'), exact: true }).click();
  await page.waitForURL('**/sources');
  await page.getByRole('heading', { name: text('shell.sources'), level: 1 }).waitFor();
  t.is(await card.count(), 0, 'it is gone from sight at once');
  await page.getByRole('button', { name: text('common.undo') }).click();
  await page.waitForURL('**/sources/*');
  await page.getByRole('button', { name: text('documents.remove'), exact: true }).click();
  await page.waitForURL('**/sources');
  await page.getByText(text('sourceScreen.removed', { name: 'Office' })).waitFor();
  await page.goto('about:blank'); // who leaves the page has deleted
  await waitFor(async () => ((await admin.get('/api/sources')).body['sources'] as unknown[]).length === 0, {
    description: 'the source to be deleted',
    limitMs: 20_000,
  });
  await web.go('/sources');
  await page.getByRole('heading', { name: text('sourceScreen.none') }).waitFor();
  t.deepEqual(web.offences, []);
});

const PICTURED = [
  corpusPath('ocr', 'sroie-000.jpg'),
  corpusPath('office', 'docspell-letter-de.pdf'),
  corpusPath('office', 'docspell-sample.docx'),
];

testWhere(
  PICTURED.every((path) => existsSync(path)),
  `there is no ${PICTURED.join(', or no ')}`,
  test,
)('a scan shows its picture beside the words that were recognised; an office document shows the pages that were made of it', async (t) => {
  t.timeout(3 * 120_000);
  const { open, served } = t.context;
  const { admin } = served;
  await using web = await open({ size: 'telephone' });
  const { page } = web;
  await web.signIn(ADMIN);
  const ids = await Promise.all(
    PICTURED.map(async (path) => {
      const { body } = await admin.upload(path);
      return (await admin.waitForEnd(String(body['id']), 90_000)).id;
    }),
  );
  await web.go('/documents?view=grid');
  const thumbnail = page.locator(`main img[src^="/api/documents/${ids[0]}/thumbnail"]`);
  await waitFor(async () => Number(await thumbnail.evaluate((image) => Reflect.get(image, 'naturalWidth'))) > 0, {
    description: 'a small picture of the scan',
    limitMs: 20_000,
    everyMs: 100,
  });
  await web.go(`/documents/${ids[0]}`);
  await page.getByText(textPattern('document.readByOcr')).waitFor();
  const scan = page.getByRole('img', { name: text('document.pageLabel', { page: '1' }) });
  await waitFor(async () => Number(await scan.evaluate((image) => Reflect.get(image, 'naturalWidth'))) > 100, {
    description: 'the scan to be shown',
    limitMs: 20_000,
  });
  for (const id of ids.slice(1)) {
    await web.go(`/documents/${id}`);
    const canvas = page.getByRole('img', { name: text('document.pageLabel', { page: '1' }) });
    await canvas.waitFor();
    await waitFor(async () => Number(await page.evaluate(DARK_PIXELS)) > 100, {
      description: 'words to be drawn',
      limitMs: 20_000,
      everyMs: 100,
    });
  }
  t.deepEqual(await web.flaws('document-office'), []);
});

/** How many pixels of the first canvas are dark. */
const DARK_PIXELS = `(() => {
  const canvas = document.querySelector('main canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return data.reduce((count, value, index) => count + (index % 4 === 0 && value < 128 && data[index + 3] > 0 ? 1 : 0), 0);
})()`;
