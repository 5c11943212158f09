// The first form of a service that is not on this machine: it asks for the setup code of the log.

import { testInChromium } from '../../support/in-chromium.ts';
import { type EmptyApi, startEmptyApi } from '../../support/running-api.ts';
import type { WebPage } from '../../support/web-page.ts';

const PASSWORD = 'an astrolabe of brass';

const test = testInChromium(async (own): Promise<EmptyApi & { readonly url: string }> => {
  const api = own.adopt(await startEmptyApi(), ({ stop }) => stop());
  return { ...api, url: api.anyone.url };
});

/** As a proxy passes on what comes from another machine. */
const comeFromAfar = ({ context }: WebPage): Promise<void> => context.setExtraHTTPHeaders({ 'x-forwarded-for': '192.0.2.7' });

test('from this machine the first form asks for no setup code', async (t) => {
  await using web = await t.context.open();
  await web.go('/');
  await web.page.getByLabel('User name').waitFor();
  t.is(await web.page.getByLabel('Setup code').count(), 0);
});

test('from elsewhere it does, says so in words when the code is wrong, and keeps what was typed (de)', async (t) => {
  await using web = await t.context.open({ language: 'de', size: 'telephone' });
  await comeFromAfar(web);
  const { page } = web;
  await web.go('/');
  const code = page.getByLabel('Einrichtungscode');
  await code.waitFor();
  t.deepEqual(await web.flaws('setup-code-de'), []);
  await code.fill('aaaa-bbbb-cccc');
  await page.getByLabel('E-Mail-Adresse').fill('ada@example.org');
  await page.getByLabel('Passwort', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('Der Einrichtungscode ist falsch.').waitFor();
  t.is(await page.getByLabel('E-Mail-Adresse').inputValue(), 'ada@example.org');
  t.deepEqual(await web.flaws('setup-code-wrong-de'), []);
});

test('the right code makes the administrator', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  await comeFromAfar(web);
  const { page } = web;
  await web.go('/');
  const code = page.getByLabel('Setup code');
  await code.waitFor();
  await page.locator('input:focus').and(code).waitFor();
  t.deepEqual(await web.flaws('setup-code-en'), []);
  await page.getByLabel('E-mail address').fill('ada@example.org');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await code.fill('aaaa-bbbb-cccc');
  await page.keyboard.press('Enter');
  await page.getByText('The setup code is wrong.').waitFor();
  t.deepEqual(await web.flaws('setup-code-wrong-en'), []);
  const right = /setup code (\S+)/.exec((await served.notices()).join('\n'))?.[1] ?? '';
  await code.fill(right.toUpperCase());
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your library is ready' }).waitFor();
  t.like((await (await served.anyone.login('admin', PASSWORD)).get('/api/auth/me')).body, { role: 'admin' });
  t.deepEqual(web.offences, []);
});
