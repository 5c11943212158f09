import { readFile } from 'node:fs/promises';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text, textPattern } from '../../support/messages.ts';
import { waitFor } from '../../support/wait-for.ts';

const PASSWORD = 'correct horse battery';
const ADMIN = { username: 'admin', password: PASSWORD };
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

// nothing is read here: what comes in waits, which is what a queue is for
const test = testInChromium(async (own) => {
  const api = await apiAlone({ ALLOWED_FILE_TYPES: 'txt' })(own);
  const ids: string[] = [];
  for (const name of ['first', 'second', 'third'])
    ids.push(String((await api.admin.upload({ name: `${name}.txt`, bytes: bytesOf(`the ${name} paper`) })).body['id']));
  await api.admin.upload({ name: 'again.txt', bytes: bytesOf('the first paper') });
  return { ...api, idOfFirst: ids[0] ?? '' };
});

test('the queue shows whose turn it is; another priority changes that, reading is paused for all to see, and one is taken out', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/queue');
  const row = (name: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name: `${name}.txt` }) });
  await row('third')
    .getByText(text('queue.position', { position: '3' }))
    .waitFor();
  await page.getByRole('combobox', { name: text('queue.priorityOf', { name: 'third.txt' }) }).click();
  await page.getByRole('option', { name: text('queue.urgent') }).click();
  await row('third')
    .getByText(text('queue.position', { position: '1' }))
    .waitFor();
  await row('first')
    .getByText(text('queue.position', { position: '2' }))
    .waitFor();

  await page.getByRole('button', { name: text('queue.pause') }).click();
  await page.getByText(text('queue.paused')).waitFor();
  await page.reload();
  await page.getByText(text('queue.paused')).waitFor();
  await page.getByRole('button', { name: text('queue.resume') }).click();
  await page.getByText(text('queue.paused')).waitFor({ state: 'detached' });
  t.is((await served.admin.get('/api/ocr/queue')).body['paused'], false);

  await page.getByRole('combobox', { name: text('users.state') }).click();
  await page.getByRole('option', { name: text('queue.failed') }).click();
  await page.getByText(text('queue.none')).waitFor();
  await page.reload();
  await page.getByText(text('queue.none')).waitFor();
  t.is(new URL(page.url()).search, '?status=failed');
  await page.goBack();
  await row('second')
    .getByRole('button', { name: `${text('queue.cancel')}: second.txt` })
    .click();
  await page.getByText(text('queue.cancelled', { name: 'second.txt' })).waitFor();
  await web.go('/queue?status=pending'); // who leaves has decided
  await row('first').waitFor();
  await row('second').waitFor({ state: 'detached' });
  t.deepEqual(web.offences, []);
});

test('the ledger tells what became of each file, with the reason and the way to its document, and is filtered in the address', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/ingest');
  const rows = page.getByRole('table').getByRole('row');
  await rows.filter({ hasText: 'again.txt' }).getByText(text('importLogScreen.duplicate'), { exact: true }).waitFor();
  t.is(await rows.count(), 1 + 4);
  await page.getByRole('combobox', { name: text('importLogScreen.state') }).click();
  await page.getByRole('option', { name: text('importLogScreen.duplicate') }).click();
  await rows.nth(2).waitFor({ state: 'detached' });
  await page.reload();
  await rows.filter({ hasText: 'again.txt' }).waitFor();
  t.is(await rows.count(), 1 + 1);
  await page.getByLabel(text('importLogScreen.find')).fill('no such file');
  await page.getByText(text('importLogScreen.noneFound')).waitFor();
  await page.getByLabel(text('importLogScreen.find')).fill('again');
  t.is(await page.getByRole('link', { name: 'again.txt' }).getAttribute('href'), `/documents/${served.idOfFirst}`);
  t.is(new URL(page.url()).search, '?state=duplicate&q=again');
  t.deepEqual(web.offences, []);
});

test('a label is renamed, refused in words where there is one of that name, leads to its documents, and is deleted', async (t) => {
  const { open, served } = t.context;
  const { admin, idOfFirst } = served;
  const names = async (): Promise<string[]> =>
    ((await admin.get('/api/labels')).body['labels'] as { name: string }[]).map(({ name }) => name);
  const label = String((await admin.post('/api/labels', { name: 'Bills' })).body['id']);
  await admin.post('/api/labels', { name: 'Rent' });
  await admin.send('PATCH', `/api/documents/${idOfFirst}`, { labels: ['Bills'] });
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/labels');
  await page.getByRole('button', { name: text('users.editOf', { name: 'Bills' }) }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(text('users.name'), { exact: true }).fill('Rent');
  await page.keyboard.press('Enter');
  await dialog.getByText(textPattern('errors.label_exists')).first().waitFor();
  t.is(await dialog.getByLabel(text('users.name'), { exact: true }).inputValue(), 'Rent');
  await dialog.getByLabel(text('users.name'), { exact: true }).fill('Invoices');
  await page.keyboard.press('Enter');
  const row = page.getByRole('row').filter({ has: page.getByRole('cell', { name: 'Invoices', exact: true }) });
  await row.getByRole('link', { name: text('documents.count', { count: 1 }) }).click();
  await page.waitForURL(`**/documents?labels=${label}`);
  await page.getByText(text('documents.count', { count: 1 }), { exact: true }).waitFor();
  await page.goBack();
  await page.getByRole('button', { name: text('users.removeOf', { name: 'Invoices' }) }).click();
  await page.getByRole('button', { name: text('common.undo') }).waitFor();
  t.is(await row.count(), 0, 'it is gone from sight at once');
  await page.goto('about:blank'); // who leaves the page has deleted
  await waitFor(async () => !(await names()).includes('Invoices'), { description: 'the label to be deleted', limitMs: 20_000 });
  t.deepEqual(await names(), ['Rent']);
  t.deepEqual(web.offences, []);
});

test('the bell counts without a reload; notifications are read one by one or all at once, and stay so', async (t) => {
  const { open, served } = t.context;
  const nora = await served.admin.register('nora', 'admin');
  await using web = await open();
  const { page } = web;
  await web.signIn({ username: 'nora', password: PASSWORD });
  const isListening = page.waitForEvent('websocket');
  await web.go('/notifications');
  await isListening;
  const bell = (unread: string) => page.getByRole('button', { name: unread, exact: true });
  const unread = async (): Promise<number> => Number((await nora.get('/api/notifications')).body['unread_count']);
  const before = await unread();
  await nora.post('/api/keys', { name: 'first key', scope: ['documents.read'] });
  await nora.post('/api/keys', { name: 'second key', scope: ['documents.read'] });
  await bell(text('notificationScreen.bell', { unread: before + 2 })).waitFor();
  await page
    .getByRole('button', { name: text('notificationScreen.markRead') })
    .first()
    .click();
  await bell(text('notificationScreen.bell', { unread: before + 1 })).waitFor();
  t.is(await unread(), before + 1);
  await page.getByRole('button', { name: text('notificationScreen.readAll') }).click();
  await bell(text('notificationScreen.bell', { unread: 0 })).waitFor();
  t.is(await unread(), 0);
  await page.getByLabel(text('notificationScreen.unreadOnly')).check();
  await page.getByText(text('notificationScreen.none')).waitFor();
  await page.reload();
  await page.getByText(text('notificationScreen.none')).waitFor();
  t.deepEqual(web.offences, []);
});

test('a user is made, refused in words where that is due, disabled, imported with others, and deleted', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/users');
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: text('users.create') }).click();
  await dialog.getByLabel(text('users.username')).fill('ursula');
  await dialog.getByLabel(text('users.email')).fill('ursula@example.org');
  await dialog.getByRole('radio', { name: text('roles.editor') }).check();
  await dialog.getByLabel(text('users.password'), { exact: true }).fill('short');
  await page.keyboard.press('Enter');
  await dialog.getByText(text('issues.too_short', { minimum: 8 })).waitFor();
  t.is(await dialog.getByLabel(text('users.username')).inputValue(), 'ursula', 'a refusal loses nothing that was typed');
  await dialog.getByLabel(text('users.password'), { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  const ursula = await served.anyone.login('ursula');
  t.is((await ursula.get('/api/auth/me')).body['role'], 'editor');

  await page.getByLabel(text('users.find')).fill('ursula');
  const row = page.getByRole('row').filter({ hasText: 'ursula@example.org' });
  await page.waitForURL('**/users?q=ursula');
  await page.getByRole('button', { name: text('users.editOf', { name: 'ursula' }) }).click();
  await dialog.getByLabel(text('users.isDisabled')).check();
  await dialog.getByRole('button', { name: text('users.save') }).click();
  await row.getByText(text('users.disabled')).waitFor();
  t.is((await ursula.get('/api/auth/me')).status, 401);
  await page.getByRole('button', { name: text('users.removeOf', { name: 'ursula' }) }).click();
  await dialog.getByRole('button', { name: text('users.deleteConfirm') }).click();
  await page.getByText(text('users.none')).waitFor();

  await page.getByLabel(text('users.find')).fill('');
  await page.getByRole('button', { name: text('users.import') }).click();
  const choose = (content: string) =>
    page
      .locator('input[type=file][accept*=json]')
      .setInputFiles({ name: 'users.json', mimeType: 'application/json', buffer: Buffer.from(content) });
  await choose('no json at all');
  await dialog.getByRole('button', { name: text('users.import') }).click();
  await dialog.getByText(text('users.notJson')).waitFor();
  await choose(
    JSON.stringify([
      { username: 'ines', email: 'ines@example.org' },
      { username: 'admin', email: 'elsewhere@example.org' },
    ]),
  );
  await dialog.getByRole('button', { name: text('users.import') }).click();
  await dialog.getByText(text('users.imported', { count: 1 })).waitFor();
  await dialog.getByText(text('users.skipped', { count: 1 })).waitFor();
  t.regex((await dialog.getByRole('listitem').textContent()) ?? '', /^admin: \S/);
  const invitation = (await dialog.locator('pre').textContent()) ?? '';
  t.true(invitation.startsWith(`ines: ${served.url}/invitation?token=`), invitation);
  await dialog
    .getByRole('button', { name: text('users.close') })
    .last()
    .click();
  await page.getByRole('row').filter({ hasText: 'ines@example.org' }).waitFor();
  t.deepEqual(web.offences, []);
});

test('the audit log is narrowed by action, outcome and user, in the address, leads to what was changed and is exported', async (t) => {
  const { open, served } = t.context;
  await served.anyone.post('/api/auth/login', { username: 'admin', password: 'wrong' });
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/audit');
  const actions = page.getByRole('table').locator('[title][data-action]');
  await actions.first().waitFor();
  const all = await actions.count();
  t.true(new Set(await actions.allTextContents()).size > 1);
  const action = ((await served.admin.get('/api/audit?outcome=failure')).body['data'] as { action: string }[])[0]?.action ?? '';
  await page.getByRole('combobox', { name: text('audit.outcome') }).click();
  await page.getByRole('option', { name: text('audit.failure') }).click();
  await page.waitForURL('**/audit?outcome=failure');
  await page.getByRole('combobox', { name: text('audit.what') }).click();
  await page.getByRole('option', { name: text(`auditActions.${action}` as 'auditActions.sign_in'), exact: true }).click();
  await page.waitForURL(`**/audit?outcome=failure&action=${action}`);
  await page.reload();
  await actions.first().waitFor();
  t.deepEqual(await actions.evaluateAll((all) => [...new Set(all.map((one) => (one as HTMLElement).title))]), [action]);
  t.true((await actions.count()) < all);
  t.is(await page.getByRole('table').getByText(text('audit.success'), { exact: true }).count(), 0);
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: text('audit.export') }).click()]);
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n');
  t.is(lines.length - 1, await actions.count());
  t.true(lines.slice(1).every((line) => line.includes(`,${action},failure,`)));
  await web.go('/audit');
  const mine = page.getByRole('button', { name: 'admin', exact: true }).and(page.locator('table *'));
  await mine.first().click();
  const { id } = (await served.admin.get('/api/auth/me')).body;
  await page.waitForURL(`**/audit?actor_id=${String(id)}`);
  await page.getByRole('button', { name: text('audit.anyUser') }).click();
  await page.waitForURL('**/audit');
  t.deepEqual(web.offences, []);
});

test('a delivery that failed says why and is sent again', async (t) => {
  const { open, served } = t.context;
  await served.database.pool.query(`
    insert into deliveries (id, channel, recipient, payload, state, attempts, last_error)
      select gen_random_uuid(), 'email', 'ada@example.org', jsonb_build_object('type', 'security', 'timestamp', now(), 'data', jsonb_build_object('user_id', id)),
        'failed', 5, '550 no such mailbox' from users where username = 'admin'`);
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/deliveries?state=failed');
  await page.getByText('550 no such mailbox').waitFor();
  await page.getByRole('button', { name: text('deliveries.retry') }).click();
  await page.getByText(text('deliveries.none')).waitFor();
  const { rows } = await served.database.pool.query('select state from deliveries');
  t.deepEqual(rows, [{ state: 'pending' }]);
  t.deepEqual(web.offences, []);
});

test('a system setting is found, refused in words at its field, changed, and set back', async (t) => {
  const { open, served } = t.context;
  const present = async (): Promise<unknown> =>
    ((await served.admin.get('/api/settings')).body['system'] as Record<string, unknown>)['max_document_pages'];
  const before = await present();
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/system');
  await page.getByLabel(text('system.find')).fill('max_document_pages');
  const field = page.getByRole('textbox', { name: text('settingNames.max_document_pages') });
  await field.fill('-5');
  await page.keyboard.press('Enter');
  await page.locator('[aria-invalid=true]').waitFor();
  t.is(await field.inputValue(), '-5');
  t.is(await present(), before);
  await field.fill('123');
  await page.keyboard.press('Enter');
  await page.getByText(text('system.changedHere')).waitFor();
  t.is(await present(), 123);
  t.is(await page.locator('[aria-invalid=true]').count(), 0);
  await page.getByRole('button', { name: text('system.resetOf', { name: text('settingNames.max_document_pages') }) }).click();
  await page.getByText(text('system.changedHere')).waitFor({ state: 'detached' });
  t.is(await field.inputValue(), String(before));
  t.deepEqual(web.offences, []);
});

test('analytics are figures of this library, charts that can be read as tables, for a period in the address', async (t) => {
  const { open, served } = t.context;
  const { admin, idOfFirst } = served;
  const { body: shop } = await admin.post('/api/correspondents', { name: 'Corner Shop' });
  await admin.send('PATCH', `/api/documents/${idOfFirst}`, { document_date: '2021-02-03', correspondent_id: String(shop['id']) });
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/analytics');
  await page.getByText(text('analytics.documents'), { exact: true }).locator('xpath=following-sibling::*').getByText('3').waitFor();
  t.is(
    await page
      .getByRole('region', { name: text('analytics.kinds') })
      .getByRole('listitem')
      .textContent(),
    'TXT3',
  );
  await page.getByRole('combobox', { name: text('analytics.days') }).click();
  await page.getByRole('option', { name: text('analytics.week') }).click();
  await page.waitForURL('**/analytics?days=7');
  const days = page.getByRole('region', { name: text('analytics.perDay') });
  const bars = days.locator('svg title');
  await bars.nth(7).waitFor({ state: 'detached' });
  const sum = (counts: readonly string[]): number => counts.reduce((before, count) => before + Number(/\d+$/.exec(count)?.[0]), 0);
  const drawn = await bars.allTextContents();
  await days.getByRole('button', { name: text('analytics.asTable') }).click();
  const listed = await days.locator('tbody td:last-child').allTextContents();
  t.deepEqual([drawn.length, listed.length], [7, 7], 'one for each day');
  t.deepEqual([sum(drawn), sum(listed)], [3, 3]);
  const shops = page.getByRole('region', { name: text('filing.title.correspondent') }).getByRole('listitem');
  t.is(await shops.textContent(), 'Corner Shop1');
  const years = page.getByRole('region', { name: text('analytics.perYear') });
  await years.getByRole('button', { name: text('analytics.asTable') }).click();
  t.deepEqual(await years.locator('tbody td').allTextContents(), ['2021', '1']);
  t.deepEqual(await web.flaws('analytics-tables'), []);
  t.deepEqual(web.offences, []);
});

test('an import of users that takes longer shows its progress, then its result, and creates the invitation links', async (t) => {
  const { open, served } = t.context;
  await using web = await open({ size: 'telephone' });
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/users');
  const opener = page.getByRole('button', { name: text('users.import'), exact: true });
  await opener.press('Enter');
  const dialog = page.getByRole('dialog', { name: text('users.importTitle') });
  const users = [
    { username: 'imported-with', email: 'imported-with@example.org', password: PASSWORD },
    { username: 'imported-without', email: 'imported-without@example.org' },
    { username: '', email: 'nobody@example.org' },
  ];
  await page
    .locator('input[type=file][accept*=json]')
    .setInputFiles({ name: 'users.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(users)) });
  await dialog.getByRole('button', { name: text('filing.clear', { field: text('users.importFile') }) }).waitFor();
  const blocker = await served.database.pool.connect();
  try {
    // no user can be written meanwhile, so that the import takes longer than its answer waits
    await blocker.query('begin; lock table users in share mode');
    await dialog.getByRole('button', { name: text('users.importGo'), exact: true }).press('Enter');
    await dialog.getByRole('progressbar').waitFor();
    t.deepEqual(await web.flaws('user-import-running'), []);
    await blocker.query('commit');
  } finally {
    blocker.release();
  }
  await dialog.getByText(text('users.imported', { count: 2 })).waitFor();
  await dialog.getByText(text('users.skipped', { count: 1 })).waitFor();
  t.regex((await dialog.getByRole('listitem').textContent()) ?? '', new RegExp(`^${text('users.entry', { number: '3' })}: `));
  await dialog.getByRole('button', { name: text('users.importInvite') }).press('Enter');
  const links = dialog.locator('pre');
  await links.getByText(`imported-without: ${served.url}/invitation?token=`).waitFor();
  t.deepEqual([...(await web.flaws('user-import-invitations')), ...(await web.flawsInTheDark('user-import-invitations'))], []);
  await dialog
    .getByRole('button', { name: text('users.close') })
    .last()
    .press('Enter');
  await page.getByText('imported-with@example.org').waitFor();
  await page.locator(':focus').and(opener).waitFor();
  t.deepEqual(web.offences, []);
});
