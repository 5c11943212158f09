// Making an account by oneself, with an e-mail address that has to be confirmed.

import type { Page } from 'playwright-core';
import { freePort } from '../../support/free-port.ts';
import { type ApiAlone, apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { linkIn, type MailServer, startMailServer } from '../../support/mail-server.ts';
import { germanText, text } from '../../support/messages.ts';
import { waitFor } from '../../support/wait-for.ts';

const PASSWORD = 'correct horse battery 1';

interface WithMail extends ApiAlone {
  readonly mail: MailServer;
}

const test = testInChromium(async (own): Promise<WithMail> => {
  const mail = own.use(await startMailServer());
  const address = `127.0.0.1:${await freePort()}`;
  const api = await apiAlone({
    SERVER_ADDRESS: address,
    PUBLIC_URL: `http://${address}`,
    ENABLE_REGISTRATION: 'true',
    REQUIRE_EMAIL_VERIFICATION: 'true',
    PASSWORD_REQUIRE_NUMBERS: 'true',
    ADMIN_PASSWORD: PASSWORD,
    ...mail.environment,
  })(own);
  return { ...api, mail };
});

/** The link of the newest mail to somebody, once there are so many. */
const linkTo = async ({ mail }: WithMail, address: string, count = 1): Promise<string> => {
  const mails = (): MailServer['mails'] => mail.mails.filter(({ to }) => to.includes(address));
  await waitFor(() => mails().length >= count, { description: `mail ${count} to ${address}`, limitMs: 20_000 });
  const last = mails().at(-1);
  return last === undefined ? '' : linkIn(last).href;
};

const fillIn = async (page: Page, [username, email, password]: readonly [string, string, string]): Promise<void> => {
  const [first = '', second = '', third = ''] = (await page.evaluate('document.documentElement.lang')) === 'de' ? DE : EN;
  await page.getByLabel(first).fill(username);
  await page.getByLabel(second).fill(email);
  await page.getByLabel(third, { exact: true }).fill(password);
  await page.keyboard.press('Enter');
};
const EN = [text('registration.username'), text('entry.email'), text('entry.newPassword')];
const DE = [germanText('registration.username'), germanText('registration.email'), germanText('registration.password')];

const signInByForm = async (page: Page, username: string): Promise<void> => {
  await page.getByLabel(text('signIn.username')).fill(username);
  await page.getByLabel(text('entry.newPassword'), { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: text('signIn.title') }).click();
};

test('who registers is told what is wrong beside the field, confirms their address by the link of a mail, and gets in', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.go('/');
  t.deepEqual(await web.flaws('sign-in-open'), []);
  await page.getByRole('link', { name: text('entry.registerTitle') }).click();
  await page.getByRole('heading', { name: text('entry.registerTitle'), level: 1 }).waitFor();
  await page.getByText(text('registration.passwordHint', { minimum: 8, number: 'yes', special: 'no' })).waitFor();
  await fillIn(page, ['a newcomer', 'nowhere', 'short']);
  await page.locator('[aria-invalid=true]').nth(2).waitFor(); // all at once
  await fillIn(page, ['newcomer', 'newcomer@example.org', 'short']);
  await page.locator('[aria-invalid=true]').nth(1).waitFor({ state: 'detached' });
  const password = page.getByLabel(text('entry.newPassword'), { exact: true });
  await page.locator('[aria-invalid=true]').waitFor();
  const [error = ''] = (await password.getAttribute('aria-describedby'))?.split(' ') ?? [];
  const told = (await page.locator(`[id="${error}"]`).textContent()) ?? '';
  t.regex(told, /at least 8 characters.*digit/);
  t.is(await page.getByRole('alert').count(), 0, 'it is told once, beside the field');
  t.is(await page.evaluate('document.activeElement.id'), await password.getAttribute('id'), 'one is led to where it is to be mended');
  t.is(await page.getByLabel(text('registration.username')).inputValue(), 'newcomer');
  t.deepEqual([...(await web.flaws('register-weak')), ...(await web.flawsInTheDark('register-weak'))], []);

  await password.fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: text('entry.waitingTitle'), level: 1 }).waitFor();
  t.deepEqual(await web.flaws('register-waiting'), []);
  await page.getByRole('link', { name: text('entry.toSignIn') }).click();
  await signInByForm(page, 'newcomer');
  await page.getByText(text('signIn.notConfirmed')).waitFor();
  t.deepEqual(await web.flaws('sign-in-unconfirmed'), []);
  await page.getByRole('link', { name: text('entry.resend') }).click();
  await page.getByLabel(text('entry.email')).fill('newcomer@example.org');
  t.is(await page.getByText(text('entry.verifyFailed')).count(), 0, 'nobody spoke of a link');
  await page.keyboard.press('Enter');
  await page.getByText(text('entry.resent')).waitFor();
  t.deepEqual(await web.flaws('resend'), []);

  await page.goto(await linkTo(served, 'newcomer@example.org', 2));
  await page.getByText(text('entry.verified', { email: 'newcomer@example.org' })).waitFor();
  t.deepEqual(await web.flaws('confirmed'), []);
  await page.getByRole('link', { name: text('entry.toSignIn') }).click();
  await signInByForm(page, 'newcomer');
  await page.getByRole('heading', { name: text('shell.documents'), level: 1 }).waitFor();

  // a new address is to be confirmed by who is signed in
  await web.go('/profile');
  await page.getByLabel(text('entry.email')).fill('moved@example.org');
  await page.getByRole('button', { name: text('document.save') }).click();
  await page
    .getByRole('dialog', { name: text('profile.confirm') })
    .getByLabel(text('profile.password'), { exact: true })
    .fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.goto(await linkTo(served, 'moved@example.org'));
  await page.getByText(text('entry.verified', { email: 'moved@example.org' })).waitFor();
  await page.getByRole('link', { name: text('entry.goOn') }).click();
  await page.getByRole('heading', { name: text('shell.documents'), level: 1 }).waitFor();
  t.deepEqual(web.offences, []);
});

test('on a telephone, in German: a link that is over leads to another one', async (t) => {
  const { open, served } = t.context;
  await using web = await open({ size: 'telephone', language: 'de' });
  const { page } = web;
  await web.go('/register');
  await fillIn(page, ['neuling', 'neuling@example.org', 'kurz']);
  await page.locator('[aria-invalid=true]').waitFor();
  t.deepEqual(await web.flaws('register-weak-de'), []);
  await page.getByLabel(germanText('entry.newPassword'), { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: germanText('entry.waitingTitle'), level: 1 }).waitFor();
  const link = await linkTo(served, 'neuling@example.org');
  await served.database.pool.query("update one_time_tokens set expires_at = now() where purpose = 'verify_email'");
  await page.goto(link);
  await page.getByText(germanText('entry.verifyFailed')).waitFor();
  t.deepEqual(await web.flaws('link-over-de'), []);
  await page.getByLabel(germanText('entry.email')).fill('neuling@example.org');
  await page.keyboard.press('Enter');
  await page.getByText(germanText('entry.resent')).waitFor();
  await page.goto(await linkTo(served, 'neuling@example.org', 2));
  await page.getByText(germanText('entry.verified', { email: 'neuling@example.org' })).waitFor();
  t.deepEqual(await web.flaws('confirmed-de'), []);
});

test('where registration is disabled there is no way to it', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  const way = page.getByRole('link', { name: text('entry.registerTitle') });
  await web.go('/');
  t.is(await way.count(), 1);
  const { status } = await served.admin.send('PUT', '/api/settings', { enable_registration: false });
  t.is(status, 200);
  for (const path of ['/', '/register']) {
    await web.go(path);
    await page.getByRole('heading', { name: text('signIn.title'), level: 1 }).waitFor();
    t.is(await way.count(), 0, path);
  }
  t.deepEqual(web.offences, []);
});
