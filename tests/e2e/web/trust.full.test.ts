// What makes people trust the client with their papers: nothing goes by accident, nothing waits for ever, pages are what they are.
import { drawScan, makePdf } from '@sheaf/testkit';
import type { Page } from 'playwright-core';
import { READING_ALONE } from '../../support/given-service.ts';
import { testInChromium, wholeService } from '../../support/in-chromium.ts';
import { text, textPattern } from '../../support/messages.ts';
import { makeScan } from '../../support/scan.ts';
import { waitFor } from '../../support/wait-for.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };
const bytesOf = (words: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(words);
/** Every third page lies on its side. */
const PAGES = 30;
const isWide = (page: number): boolean => page % 3 === 0;

const test = testInChromium(async (own) => {
  const whole = await wholeService({ ALLOWED_FILE_TYPES: 'pdf,txt,tiff,png' }, READING_ALONE)(own);
  const admin = await whole.anyone.register('admin');
  const wide = await drawScan(['A wide page']);
  const pages = Array.from({ length: PAGES }, (_, index) =>
    isWide(index + 1) ? { picture: wide } : { lines: [`Page ${index + 1} of many`, index + 1 === 20 ? 'the sextant' : 'a quadrant'] },
  );
  const files = {
    'mixed.pdf': new Uint8Array(makePdf(pages)),
    'sides.tiff': await makeScan(['front side', 'other side']),
    'first.txt': bytesOf('the first'),
    'second.txt': bytesOf('the second'),
  };
  const ids = new Map<string, string>();
  for (const [name, bytes] of Object.entries(files)) ids.set(name, String((await admin.upload({ name, bytes })).body['id']));
  for (const id of ids.values()) await admin.waitForEnd(id, 120_000);
  return { ...whole, admin, idOf: (name: keyof typeof files) => ids.get(name) ?? '' };
});

const shownPage = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const box = document.querySelector('.viewer-pages');
    const middle = (box?.getBoundingClientRect().top ?? 0) + (box?.clientHeight ?? 0) / 3;
    // the last page does not come as far up as the others
    if (box !== null && box.scrollTop + box.clientHeight >= box.scrollHeight - 1)
      return Math.max(...[...document.querySelectorAll<HTMLElement>('.viewer-page')].map(({ dataset }) => Number(dataset['page'])));
    const found = [...document.querySelectorAll<HTMLElement>('.viewer-page')].find((one) => {
      const { top, bottom } = one.getBoundingClientRect();
      return top <= middle && bottom >= middle;
    });
    return Number(found?.dataset['page'] ?? 0);
  });

const shapeOf = async (page: Page, number: number): Promise<number> => {
  const box = await page.locator(`.viewer-page[data-page="${number}"]`).boundingBox();
  return box === null ? 0 : box.height / box.width;
};

test('a link to a page shows that page each time, and pages have their own shapes', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  for (const wanted of [20, 30, 7, 20]) {
    await web.go(`/documents/${served.idOf('mixed.pdf')}?page=${wanted}`);
    await waitFor(async () => (await shownPage(page)) === wanted, { description: `page ${wanted} to be shown`, limitMs: 40_000 });
    t.is(new URL(page.url()).searchParams.get('page'), String(wanted), 'it was not taken for another one');
  }
  await web.go(`/documents/${served.idOf('mixed.pdf')}?page=9`);
  await waitFor(async () => (await shapeOf(page, 9)) > 0 && (await shapeOf(page, 9)) < 1, {
    description: 'the wide page to be wide',
    limitMs: 20_000,
  });
  t.true((await shapeOf(page, 8)) > 1);
  // the box of the page leads there too, and the next hit
  await page.getByLabel(text('viewer.page'), { exact: true }).fill('2');
  await page.keyboard.press('Enter');
  await page.waitForURL('**page=2');
  await page.getByLabel(text('viewer.find')).fill('sextant');
  await page.keyboard.press('Enter');
  await page.waitForURL('**page=20');
  await page.locator('.viewer-page[data-page="20"] mark').first().waitFor();
  await page.getByRole('button', { name: text('viewer.rotate') }).click();
  await waitFor(async () => (await shapeOf(page, 20)) < 1, { description: 'the page to be turned', limitMs: 20_000 });
  t.deepEqual(web.offences, []);
});

test('a picture with several pages shows each of them', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(`/documents/${served.idOf('sides.tiff')}?page=2&q=other`);
  const second = page.getByRole('img', { name: text('document.pageLabel', { page: '2' }) });
  await waitFor(async () => Number(await second.evaluate((image) => Reflect.get(image, 'naturalWidth'))) > 100, {
    description: 'the second page',
    limitMs: 20_000,
  });
  await page.locator('.viewer-page[data-page="2"] mark').first().waitFor();
  t.is(await page.locator('.viewer-page[data-page="1"] mark').count(), 0);
  t.deepEqual(web.offences, []);
});

test('many documents are deleted only after their number was typed', async (t) => {
  t.timeout(3 * 60_000);
  const { open, served } = t.context;
  const { admin } = served;
  const keeper = await admin.register('keeper', 'editor');
  const ids: string[] = [];
  for (let n = 1; n <= 22; n += 1)
    ids.push(String((await keeper.upload({ name: `pile ${n}.txt`, bytes: bytesOf(`pile ${n}`) }, { ocr_enabled: 'false' })).body['id']));
  const label = String((await keeper.post('/api/labels', { name: 'Pile' })).body['id']);
  await keeper.post('/api/documents/bulk', { ids, action: 'add_labels', labels: [label] });
  await using web = await open();
  const { page } = web;
  await web.signIn({ username: 'keeper', password: ADMIN.password });
  await web.go(`/documents?labels=${label}`);
  await page.getByText(text('documents.count', { count: 22 }), { exact: true }).waitFor();
  await page.locator('[role=row][tabindex="0"]').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  const confirm = dialog.getByRole('button', { name: text('documents.remove') });
  t.true(await confirm.isDisabled());
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  t.is(
    (await keeper.get(`/api/documents?label_ids=${label}`)).body['pagination'] && (await keeper.get(`/api/documents/${ids[0]}`)).status,
    200,
  );
  await page.locator('[role=row][tabindex="0"]').focus();
  await page.keyboard.press('Delete');
  await dialog.getByRole('textbox').fill('21');
  t.true(await confirm.isDisabled());
  await dialog.getByRole('textbox').fill('22');
  t.deepEqual(await web.flaws('delete-many'), []);
  await confirm.click();
  await page.getByText(text('documents.removed', { count: 22 })).waitFor();
  await waitFor(async () => (await keeper.get(`/api/documents/${ids[0]}`)).status === 404, {
    description: 'the pile to be deleted',
    limitMs: 30_000,
  });
  t.deepEqual(web.offences, []);
});

test('what cannot be taken is told before it is sent; what cannot be read is told with its reason, and goes from the panel', async (t) => {
  const { open } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await Promise.all([page.waitForResponse((response) => response.url().endsWith('/api/upload-limits')), web.go('/documents')]);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('upload')) sent.push(request.url());
  });
  await page
    .getByTestId('upload-files')
    .first()
    .setInputFiles([
      { name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
      { name: 'letter.docx', mimeType: 'application/octet-stream', buffer: Buffer.from('PK') },
    ]);
  const panel = page.getByRole('region', { name: text('uploads.upload') });
  await panel.getByText(text('errors.empty')).waitFor();
  await panel.getByText(textPattern('errors.type_not_allowed')).waitFor();
  t.deepEqual(sent, []);
  t.is(await panel.getByRole('button', { name: text('uploads.retry') }).count(), 0, 'it would be refused again');
  const damaged = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(2_000, 'x')]);
  await page.getByTestId('upload-files').first().setInputFiles({ name: 'damaged.pdf', mimeType: 'application/pdf', buffer: damaged });
  await panel.getByText(text('failures.corrupt')).waitFor({ timeout: 60_000 });
  await panel.getByRole('button', { name: text('uploads.clear') }).click();
  await panel.waitFor({ state: 'detached' });
  t.deepEqual(web.offences, []);
});

test('pages are seen small beside the document, and all of them are printed', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await page.addInitScript(() => {
    // what would be on paper
    globalThis.print = () => {
      document.title = [...document.querySelectorAll<HTMLImageElement>('.printed-pages img')]
        .map(({ naturalWidth, naturalHeight }) => (naturalWidth === 0 ? '?' : naturalWidth > naturalHeight ? 'w' : 'h'))
        .join('');
      globalThis.dispatchEvent(new Event('afterprint'));
    };
  });
  await web.signIn(ADMIN);
  for (const [name, sheets] of [
    ['mixed.pdf', 'hhw'.repeat(PAGES / 3)],
    ['sides.tiff', 'hh'],
  ] as const) {
    await web.go(`/documents/${served.idOf(name)}`);
    await page.getByRole('button', { name: text('viewer.print'), exact: true }).click();
    await page.waitForFunction((wanted) => document.title === wanted, sheets);
    await page.locator('.printed-pages').waitFor({ state: 'detached' });
  }
  await web.go(`/documents/${served.idOf('mixed.pdf')}`);
  await page.getByRole('button', { name: text('viewer.thumbnails') }).click();
  const strip = page.getByRole('navigation', { name: text('viewer.thumbnails') });
  await strip.getByRole('button').nth(11).click();
  await page.waitForURL('**page=12');
  await strip.locator('[aria-current="page"]', { hasText: '12' }).waitFor();
  await waitFor(
    async () =>
      strip
        .locator('img')
        .nth(11)
        .evaluate((picture) => (picture as HTMLImageElement).naturalWidth > 0),
    {
      description: 'the picture of page 12',
      limitMs: 20_000,
    },
  );
  t.deepEqual(await web.flaws('page-thumbnails'), []);
  t.deepEqual(web.offences, []);
});

test('what is typed into a field is kept, a label comes with Enter, and a document that somebody else deletes is gone here too', async (t) => {
  const { open, served } = t.context;
  const { admin, idOf } = served;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  const id = idOf('first.txt');
  await web.go(`/documents/${id}`);
  await page.getByRole('button', { name: text('document.addField') }).click();
  await page.getByLabel(text('document.field'), { exact: true }).last().fill('Folder');
  await page.getByLabel(`${text('document.value')}: Folder`).fill('Blue');
  await page.getByRole('heading', { level: 1 }).click();
  await waitFor(async () => ((await admin.get(`/api/documents/${id}`)).body['metadata'] as Record<string, unknown>)['Folder'] === 'Blue', {
    description: 'the field to be kept',
    limitMs: 20_000,
  });
  // an Enter while the choices are still those of before: they come only after it
  await admin.post('/api/labels', { name: 'Bills' });
  const pressed = Promise.withResolvers<void>();
  await page.route(/\/api\/labels\?.*q=Travel/, async (route) => {
    await pressed.promise;
    await route.continue();
  });
  await page.getByRole('textbox', { name: text('document.labels') }).click();
  await page.getByRole('option', { name: 'Bills' }).waitFor();
  await page.getByRole('textbox', { name: text('document.labels') }).fill('Travel');
  await page.getByRole('option', { name: text('labelPicker.create', { name: 'Travel' }) }).waitFor();
  await page.keyboard.press('Enter');
  pressed.resolve();
  await waitFor(async () => JSON.stringify((await admin.get(`/api/documents/${id}`)).body['labels']).includes('Travel'), {
    description: 'the label to be there',
    limitMs: 20_000,
  });
  t.false(JSON.stringify((await admin.get(`/api/documents/${id}`)).body['labels']).includes('Bills'));
  // an Enter that comes before the choices do
  await page.getByRole('textbox', { name: text('document.labels') }).fill('Invoices');
  await page.keyboard.press('Enter');
  await waitFor(async () => JSON.stringify((await admin.get(`/api/documents/${id}`)).body['labels']).includes('Invoices'), {
    description: 'the other label to be there',
    limitMs: 20_000,
  });
  await admin.delete(`/api/documents/${id}`);
  await page.getByRole('heading', { name: text('document.gone') }).waitFor();
  t.deepEqual(web.offences, []);
});

test('one walks from document to document, and filters by type and missing labels', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/documents?labelled=none&status=completed&kinds=application/pdf,image/tiff&sort=byTitle');
  await page.locator('main a', { hasText: 'mixed' }).waitFor();
  t.deepEqual(await page.locator('main a[href^="/documents/"]').allTextContents(), ['mixed', 'sides']);
  await page.locator('main a', { hasText: 'mixed' }).click();
  await page.getByRole('button', { name: text('document.nextDocument') }).click();
  await page.waitForURL(`**/documents/${served.idOf('sides.tiff')}`);
  await page.getByRole('heading', { level: 1, name: 'sides' }).waitFor();
  await page.getByRole('button', { name: text('document.previousDocument') }).click();
  await page.waitForURL(`**/documents/${served.idOf('mixed.pdf')}`);
  t.deepEqual(web.offences, []);
});

test('a key has its permissions ticked, and an end', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/profile');
  await page.getByRole('button', { name: text('profile.newKey') }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(text('profile.keyName')).fill('Scanner');
  await dialog.getByRole('checkbox', { name: text('permissions.documents.create'), exact: true }).check();
  await dialog.getByRole('checkbox', { name: text('permissions.search.query'), exact: true }).uncheck();
  await dialog.getByLabel(text('profile.keyExpiry')).selectOption('7');
  t.deepEqual(await web.flaws('new-key'), []);
  await dialog.getByRole('button', { name: text('profile.newKey') }).click();
  await dialog.getByText(text('profile.keyMadeHint')).waitFor();
  const [key] = (await served.admin.get('/api/keys')).body['data'] as { scope: string[]; expires_at: string }[];
  t.deepEqual(key?.scope.toSorted(), ['documents.create', 'documents.read']);
  const days = (Date.parse(key?.expires_at ?? '') - Date.now()) / 86_400_000;
  t.true(days > 6.9 && days <= 7, String(days));
  t.deepEqual(web.offences, []);
});

test('a user is invited with a link, and the list says so', async (t) => {
  const { open } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/users');
  await page.getByRole('button', { name: text('users.create') }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(text('users.username')).fill('guest');
  await dialog.getByLabel(text('users.email')).fill('guest@example.org');
  t.deepEqual(await web.flaws('new-user'), []);
  await dialog.getByRole('button', { name: text('users.save') }).click();
  const link = (await dialog.locator('pre').textContent()) ?? '';
  t.regex(link, /\/invitation\?token=[\w-]+$/);
  await dialog
    .getByRole('button', { name: text('users.close') })
    .last()
    .click();
  const row = page.getByRole('row').filter({ hasText: 'guest' });
  await row.getByText(text('users.isInvited')).waitFor();
  await row.getByRole('button', { name: text('users.inviteAgainOf', { name: 'guest' }) }).click();
  await dialog.getByRole('button', { name: text('users.inviteAgain') }).click();
  await waitFor(
    async () =>
      !['', link].includes(
        (await dialog
          .locator('pre')
          .textContent()
          .catch(() => '')) ?? '',
      ),
    {
      description: 'another link',
      limitMs: 20_000,
    },
  );
  t.deepEqual(web.offences, []);
});

test('the keys are told with a question mark, and lines can be close together', async (t) => {
  const { open } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/documents?view=compact');
  await page.locator('.document-line[data-compact]').first().waitFor();
  const height = (await page.locator('.document-line[data-compact]').first().boundingBox())?.height ?? 0;
  t.true(height > 20 && height < 45, String(height));
  t.deepEqual(await web.flaws('compact'), []);
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: text('shortcuts.title') }).waitFor();
  t.deepEqual(await web.flaws('shortcuts'), []);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  t.deepEqual(web.offences, []);
});
