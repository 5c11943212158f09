import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { freePort } from '../../support/free-port.ts';
import { testInChromium, wholeService } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { waitFor } from '../../support/wait-for.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

const test = testInChromium(async (own) => {
  const whole = await wholeService({ SERVER_ADDRESS: `127.0.0.1:${await freePort()}` })(own);
  return { ...whole, admin: await whole.anyone.register('admin') };
});

const countText = (count: number): string =>
  count === 1 ? text('documents.count', { count: 1 }) : text('documents.count', { count: count });

const LOST = text('shell.connectionLost');

/** Whether the page lets itself be left without asking. */
const mayBeLeft = (page: Page): Promise<unknown> => page.evaluate("dispatchEvent(new Event('beforeunload', { cancelable: true }))");

/** From which event on each subscription of a page asks to be told, undefined for those that begin anew. */
const notedSubscriptions = (page: Page): readonly (number | undefined)[] => {
  const noted: (number | undefined)[] = [];
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      const [, json] = /^42\d*(\["subscribe".*)$/s.exec(String(payload)) ?? [];
      if (json !== undefined) noted.push((JSON.parse(json) as [string, { readonly last_seq?: number }])[1].last_seq);
    }),
  );
  return noted;
};

test('a network that goes away is told at once, searches and uploads wait, and go on by themselves when it is back', async (t) => {
  t.timeout(3 * 60_000);
  const { open, served } = t.context;
  const { body } = await served.admin.upload({ name: 'sextant.txt', bytes: bytesOf('A sextant of brass') });
  await served.admin.waitForEnd(String(body['id']));
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  const isListening = page.waitForEvent('websocket'); // what may be needed later is fetched after the first screen
  await web.go('/search');
  await isListening;
  await web.settle();

  const folder = await mkdtemp(join(tmpdir(), 'sheaf-web-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const [octant = '', lost = ''] = ['octant.txt', 'lost.txt'].map((name) => join(folder, name));
  await writeFile(octant, 'An octant');
  await writeFile(lost, 'A paper that is thrown away');
  await web.context.setOffline(true);
  await page.getByText(LOST).waitFor();
  await page.getByRole('combobox', { name: text('search.placeholder') }).fill('sextant');
  await page.keyboard.press('Enter');
  await page.getByTestId('upload-files').first().setInputFiles([octant, lost]);
  await page.getByText(text('uploads.pausedOffline')).waitFor();
  await page.locator('[data-upload=waiting]').nth(1).waitFor();
  await rm(lost);
  t.false(await mayBeLeft(page), 'who leaves now is warned');
  t.deepEqual(await web.flaws('offline'), []);

  await web.context.setOffline(false);
  await page.getByText(LOST).waitFor({ state: 'detached' });
  await page.locator('main [data-hit]').waitFor();
  t.is(await page.getByRole('combobox', { name: text('search.placeholder') }).inputValue(), 'sextant');
  await page.locator('[data-upload=read]').getByText('octant.txt').waitFor({ timeout: 120_000 });
  await page.locator('[data-upload=failed]').getByText(text('uploads.unreadable')).waitFor();
  t.true(await mayBeLeft(page));
  t.deepEqual(web.offences, []);
});

test('a service that is restarted is missed: what is typed stays, what happened meanwhile is there afterwards without a key pressed', async (t) => {
  t.timeout(3 * 120_000);
  const { open, served } = t.context;
  const { given } = served;
  await using web = await open();
  const { page } = web;
  const subscriptions = notedSubscriptions(page);
  await web.signIn(ADMIN);
  const isListening = page.waitForEvent('websocket');
  await web.go('/labels');
  await isListening;
  await page
    .getByRole('button', { name: text('labels.create') })
    .first()
    .click();
  await page.getByLabel(text('fields.name'), { exact: true }).fill('Written without a service');

  await given.service.stop();
  await page.getByText(LOST).waitFor({ timeout: 120_000 });
  await page
    .getByRole('dialog')
    .getByRole('button', { name: text('document.save') })
    .click();
  await page.getByRole('dialog').getByText(text('problem.unreachable')).waitFor();
  t.is(await page.getByLabel(text('fields.name'), { exact: true }).inputValue(), 'Written without a service');
  t.deepEqual(await web.flaws('service-away'), []);

  const again = given.startAgain();
  await again.ready();
  await served.admin.post('/api/labels', { name: 'Made elsewhere' });
  await page.getByText(LOST).waitFor({ state: 'detached', timeout: 120_000 });
  await page
    .getByRole('dialog')
    .getByRole('button', { name: text('document.save') })
    .click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  for (const name of ['Written without a service', 'Made elsewhere']) await page.getByRole('cell', { name, exact: true }).waitFor();

  // the break is over when nobody touches the screen, too
  const { body: before } = await served.admin.get('/api/documents');
  const count = Number((before['pagination'] as Record<string, unknown>)['total']);
  await web.walk('/documents');
  await page.getByText(countText(count), { exact: true }).waitFor();
  const { body: heard } = await served.admin.upload({ name: 'backstaff.txt', bytes: bytesOf('A backstaff') });
  await served.admin.waitForEnd(String(heard['id']));
  await page.getByText(countText(count + 1), { exact: true }).waitFor();
  await again.stop();
  await page.getByText(LOST).waitFor({ timeout: 120_000 });
  await page.getByRole('link', { name: text('shell.queue') }).click();
  const third = given.startAgain();
  await third.ready();
  const { body } = await served.admin.upload({ name: 'quadrant.txt', bytes: bytesOf('A quadrant') });
  await served.admin.waitForEnd(String(body['id']));
  await page.getByRole('heading', { name: text('shell.queue'), level: 1 }).waitFor({ timeout: 120_000 });
  await page.getByRole('link', { name: 'quadrant' }).waitFor();
  await page.goBack();
  await page.getByText(countText(count + 2), { exact: true }).waitFor();
  await waitFor(async () => (await page.getByText(LOST).count()) === 0, { description: 'the note to go', limitMs: 20_000 });
  const asked = await served.given.database.pool.query<{ readonly seq: number }>('select max(seq)::int as seq from events');
  t.is(subscriptions[0], undefined, 'at first there is nothing to go on from');
  const last = subscriptions.at(-1);
  t.true(
    last !== undefined && last > 0 && last <= (asked.rows[0]?.seq ?? 0),
    `it goes on after the last event that it has heard: ${String(last)}`,
  );
  t.deepEqual(web.offences, []);
});
