import { recordEvent } from '@sheaf/events';
import { isFullRun } from '@sheaf/testkit';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { waitFor } from '../../support/wait-for.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };
const COUNT = 3_000;

/** The usual run tries one in so many lists. */
const STEP = isFullRun ? 1 : 4;

/** Every list: its screen, what it asks, and what it says where there is nothing. */
const LISTS = [
  ['/documents', '/api/documents', text('documents.none')],
  ['/labels', '/api/labels', text('labels.none')],
  ['/correspondents', '/api/correspondents', text('filing.none.correspondent')],
  ['/document-types', '/api/document-types', text('filing.none.document_type')],
  ['/sources', '/api/sources', text('sourceScreen.none')],
  ['/queue', '/api/ocr/queue', text('queue.none')],
  ['/ingest', '/api/ingest', text('importLogScreen.none')],
  ['/notifications', '/api/notifications', text('notificationScreen.none')],
  ['/imports', '/api/imports', text('imports.none')],
  ['/deliveries', '/api/deliveries', text('deliveries.none')],
  ['/users?q=nobody', '/api/users', text('users.none')],
  ['/audit?action=nothing', '/api/audit', text('audit.none')],
  ['/search?q=nothing', '/api/search', text('search.nothing')],
] as const;

// nothing is read here: what comes in waits
const test = testInChromium(async (own) => apiAlone({ ALLOWED_FILE_TYPES: 'txt' })(own));

test('a list says that it is being loaded, why it could not be, as text, and that there is nothing; one can try again', async (t) => {
  t.timeout(3 * 60_000);
  const { open } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  const error = { code: 'INVALID_PARAMETER', message: 'The <b>disk</b> is on fire', request_id: 'r-1' };
  for (const [path, asked, none] of LISTS.filter((_, number) => number % STEP === 0)) {
    const isAsked = (url: URL): boolean => url.pathname === asked;
    const gate = Promise.withResolvers<void>();
    await page.route(isAsked, async (route) => {
      await gate.promise;
      await route.fulfill({ status: 400, json: { error } });
    });
    await page.goto(path);
    await page.locator('main .mantine-Skeleton-root:visible').first().waitFor();
    gate.resolve();
    const alert = page.locator('main').getByRole('alert');
    await alert.getByText('The <b>disk</b> is on fire').waitFor();
    t.is(await alert.getByText('r-1').count(), 0, 'the log says no more of what is refused');
    await web.settle(); // what asks by itself, as the events do when they are there, has asked
    const again = alert.getByRole('button', { name: text('problem.again') });
    const heading = page.getByRole('heading', { name: none });
    await page.unroute(isAsked);
    // an event may ask for the list in this very moment: then the button is gone, or there once more
    await waitFor(
      async () => {
        await again.evaluateAll((buttons) => buttons.forEach((button) => (button as HTMLElement).click()));
        return heading.isVisible();
      },
      { description: `the list of ${path}`, limitMs: 30_000 },
    );
    t.is(await alert.count(), 0, path);
  }
  t.deepEqual(web.offences, []);
});

test('of a long list only what is near the window exists, wherever one scrolls to; the keys reach its end and open what is there', async (t) => {
  const { open, served } = t.context;
  await served.database.pool.query(
    `insert into documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, status, ocr_language, source)
      select gen_random_uuid(), users.id, 'Paper ' || to_char(i, 'FM0000'), i || '.txt', 'text/plain', i, lpad(i::text, 64, '0'), '/elsewhere/' || i,
        'completed', 'eng', 'upload' from users, generate_series(1, $1::int) as i where username = 'admin'`,
    [COUNT],
  );
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/documents?sort=byTitle');
  await page.getByText(text('labels.count', { count: 3000 }), { exact: true }).waitFor();
  const links = page.locator('main a[href^="/documents/"]');
  const mostRows = 60;
  for (const [share, title] of [
    [0, 'Paper 0001'],
    [0.5, 'Paper 1500'],
    [1, 'Paper 3000'],
  ] as const) {
    await page.evaluate(`scrollTo(0, document.documentElement.scrollHeight * ${share})`);
    await page.getByRole('link', { name: title, exact: true }).waitFor();
    t.true((await links.count()) < mostRows, `${await links.count()} rows at ${title}`);
  }
  const list = page.locator('[role=row][tabindex="0"]'); // the row that the focus is on
  await list.press('Home');
  await page.getByRole('link', { name: 'Paper 0001' }).waitFor();
  await list.press('End');
  await list.press('ArrowUp');
  await page.getByRole('link', { name: 'Paper 2999' }).waitFor();
  await list.press(' ');
  t.true(await page.getByRole('checkbox', { name: text('documents.select', { name: 'Paper 2999' }) }).isChecked());
  await list.press('Escape');
  t.false(await page.getByRole('checkbox', { name: text('documents.select', { name: 'Paper 2999' }) }).isChecked());
  await list.press('Enter');
  await page.getByRole('heading', { name: 'Paper 2999', level: 1 }).waitFor();
  t.deepEqual(web.offences, []);
});

test('what others put in, read and delete shows in the list without a reload, the reading with how far it has come', async (t) => {
  const { open, served } = t.context;
  const { admin, database } = served;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  const isListening = page.waitForEvent('websocket');
  await web.go('/documents');
  await isListening;
  const { body } = await admin.upload({ name: 'astrolabe.txt', bytes: new TextEncoder().encode('An astrolabe') });
  const id = String(body['id']);
  const row = page.locator('.document-line').filter({ has: page.getByRole('link', { name: 'astrolabe', exact: true }) });
  await row.getByText(text('documents.pending'), { exact: true }).waitFor();
  const owner = String((await admin.get('/api/auth/me')).body['id']);
  const tell = (progress: number, status: 'processing' | 'completed'): Promise<void> =>
    recordEvent(database.db, { type: 'ocr_progress', document_id: id, progress, status }, owner);
  await tell(40, 'processing');
  await row.getByText(text('documents.page', { percent: '40%' })).waitFor();
  t.is(await row.getByRole('progressbar').getAttribute('aria-valuenow'), '40');
  await tell(80, 'processing');
  await row.getByText(text('documents.page', { percent: '80%' })).waitFor();
  await database.pool.query(`update documents set status = 'completed' where id = $1`, [id]);
  await tell(100, 'completed');
  await row.getByText(new RegExp(`${text('status.pending')}|${text('status.processing')}`)).waitFor({ state: 'detached' });
  await admin.send('PATCH', `/api/documents/${id}`, { title: 'Renamed elsewhere' });
  await page.getByRole('link', { name: 'Renamed elsewhere' }).waitFor();
  await admin.delete(`/api/documents/${id}`);
  await page.getByRole('link', { name: 'Renamed elsewhere' }).waitFor({ state: 'detached' });
  t.deepEqual(web.offences, []);
});
