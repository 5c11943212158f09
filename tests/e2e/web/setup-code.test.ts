// The first form of a service that is not on this machine: it asks for the setup code of the log.

import { testInChromium } from '../../support/in-chromium.ts';
import { germanText, text } from '../../support/messages.ts';
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
  await web.page.getByLabel(text('registration.username')).waitFor();
  t.is(await web.page.getByLabel(text('registration.setupCode')).count(), 0);
});

test('from elsewhere it does, says so in words when the code is wrong, and keeps what was typed (de)', async (t) => {
  await using web = await t.context.open({ language: 'de', size: 'telephone' });
  await comeFromAfar(web);
  const { page } = web;
  await web.go('/');
  const code = page.getByLabel(germanText('registration.setupCode'));
  await code.waitFor();
  t.deepEqual(await web.flaws('setup-code-de'), []);
  await code.fill('aaaa-bbbb-cccc');
  await page.getByLabel(germanText('registration.email')).fill('ada@example.org');
  await page.getByLabel(germanText('registration.password'), { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText(germanText('errors.setup_code_wrong')).waitFor();
  t.is(await page.getByLabel(germanText('registration.email')).inputValue(), 'ada@example.org');
  t.deepEqual(await web.flaws('setup-code-wrong-de'), []);
});

test('the right code makes the administrator', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  await comeFromAfar(web);
  const { page } = web;
  await web.go('/');
  const code = page.getByLabel(text('registration.setupCode'));
  await code.waitFor();
  await page.locator('input:focus').and(code).waitFor();
  t.deepEqual(await web.flaws('setup-code-en'), []);
  await page.getByLabel(text('registration.email')).fill('ada@example.org');
  await page.getByLabel(text('registration.password'), { exact: true }).fill(PASSWORD);
  await code.fill('aaaa-bbbb-cccc');
  await page.keyboard.press('Enter');
  await page.getByText(text('errors.setup_code_wrong')).waitFor();
  t.deepEqual(await web.flaws('setup-code-wrong-en'), []);
  const right = /setup code (\S+)/.exec((await served.notices()).join('\n'))?.[1] ?? '';
  await code.fill(right.toUpperCase());
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: text('firstRun.ready') }).waitFor();
  t.like((await (await served.anyone.login('admin', PASSWORD)).get('/api/auth/me')).body, { role: 'admin' });
  t.deepEqual(web.offences, []);
});
