// Second factors in the client: passkeys of a real browser, and what is asked of those who have one or need one.
import type { Page } from 'playwright-core';
import { enroll } from '../../support/enrolled.ts';
import { type ApiAlone, apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { codeOf } from '../../support/second-factors.ts';
import { SecurityKey } from '../../support/security-key.ts';

const PASSWORD = 'correct horse battery';

const test = testInChromium(async (own): Promise<ApiAlone> => {
  const api = await apiAlone({
    MFA_ENABLED: 'true',
    MFA_METHOD: 'totp,webauthn',
    WEBAUTHN_RP_ID: 'localhost',
    MFA_ENFORCE_FOR_ADMINS: 'true',
    MFA_GRACE_PERIOD_DAYS: '7',
  })(own);
  // browsers have passkeys for names alone, not for numbers
  return { ...api, url: api.url.replace('127.0.0.1', 'localhost') };
});

const signInByForm = async (page: Page, username: string): Promise<void> => {
  await page.getByLabel('Name or e-mail address').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
};

test('a passkey is added, asked for at the next sign-in, and removed; who closes the browser’s window loses nothing', async (t) => {
  const { open, served } = t.context;
  await served.admin.register('petra', 'editor');
  await using web = await open();
  const { page } = web;
  const key = await SecurityKey.plugIn(page);
  await web.signIn({ username: 'petra', password: PASSWORD });
  await web.go('/profile');
  const add = page.getByRole('button', { name: 'Add a passkey' });
  await page.getByLabel('Name that others see').fill('Petra, half typed');

  const create = 'CredentialsContainer.prototype.create';
  const decline = '() => Promise.reject(new DOMException("The user closed the window", "NotAllowedError"))';
  await page.evaluate(`globalThis.kept = ${create}; ${create} = ${decline}`);
  await add.click();
  await page.getByText('No passkey was made.').waitFor();
  await page.evaluate(`${create} = globalThis.kept`);
  t.is(await page.getByLabel('Name that others see').inputValue(), 'Petra, half typed');
  t.is(await page.getByRole('button', { name: 'Remove Chrome · Linux' }).count(), 0);

  await add.click();
  const codes = page.getByRole('dialog', { name: 'Your recovery codes' });
  await codes.getByRole('button', { name: 'I have kept them' }).click();
  await page.getByText('A second factor is asked for when you sign in.').waitFor();
  t.is(await page.getByLabel('Name that others see').inputValue(), 'Petra, half typed');
  await add.click();
  const prove = page.getByRole('dialog', { name: 'Please prove that it is you' });
  await prove.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('This key has a passkey for your account already.').waitFor();
  await prove.waitFor({ state: 'detached' });
  t.deepEqual(await web.flaws('profile-passkey'), []);

  await web.context.clearCookies();
  await web.go('/labels?q=tax');
  await signInByForm(page, 'petra');
  await page.getByText('Use your passkey, or enter one of your recovery codes.').waitFor();
  const usePasskey = page.getByRole('button', { name: 'Use a passkey' });
  await key.without(async () => {
    await page.getByLabel('Code', { exact: true }).fill('half a code');
    await usePasskey.click();
    await page.getByText('The passkey was not used.').waitFor();
  });
  t.is(await page.getByLabel('Code', { exact: true }).inputValue(), 'half a code');
  t.deepEqual(await web.flaws('second-step-passkey'), []);
  await usePasskey.click();
  await page.getByRole('heading', { name: 'Labels', level: 1 }).waitFor();
  t.is(new URL(page.url()).search, '?q=tax');

  await web.go('/profile');
  await page.getByRole('button', { name: 'Remove Chrome · Linux' }).click();
  await prove.getByLabel('Password', { exact: true }).fill('wrong');
  await page.keyboard.press('Enter');
  await prove.getByRole('alert').waitFor();
  t.deepEqual(await web.flaws('prove-it-is-you'), []);
  await prove.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('A password alone opens your account.').waitFor();
  await web.context.clearCookies();
  await web.go('/labels');
  await signInByForm(page, 'petra');
  await page.getByRole('heading', { name: 'Labels', level: 1 }).waitFor();
  t.deepEqual(web.offences, []);
});

test('an administrator whose days are over sets up a factor before anything else, and then is where he wanted to be', async (t) => {
  const { open, served } = t.context;
  const ways = {
    desktop: async (page: Page): Promise<void> => {
      await page.getByRole('button', { name: 'Add an authenticator app' }).click();
      const dialog = page.getByRole('dialog');
      const secret = (await dialog.locator('code').textContent()) ?? '';
      const field = dialog.getByLabel('Then enter the code that it shows');
      await field.fill('000000');
      await page.keyboard.press('Enter');
      await dialog.getByRole('alert').waitFor();
      await field.fill(codeOf(secret, new Date()));
      await page.keyboard.press('Enter');
    },
    telephone: async (page: Page): Promise<void> => {
      await SecurityKey.plugIn(page);
      await page.getByRole('button', { name: 'Add a passkey' }).click();
    },
  } as const;
  for (const size of ['desktop', 'telephone'] as const) {
    const username = `boss-${size}`;
    await served.admin.register(username, 'admin');
    await served.database.pool.query("update users set mfa_required_since = now() - interval '8 days' where username = $1", [username]);
    await using web = await open({ size });
    const { page } = web;
    await web.go('/labels?q=tax');
    await signInByForm(page, username);
    await page.getByRole('heading', { name: 'Set up a second factor', level: 1 }).waitFor();
    t.is(await page.getByRole('navigation').count(), 0, 'there is no way past it');
    t.deepEqual(await web.flaws('factor-needed'), []);
    await web.go('/users');
    await page.getByRole('heading', { name: 'Set up a second factor', level: 1 }).waitFor();
    await web.go('/labels?q=tax');
    await ways[size](page);
    const codes = page.getByRole('dialog', { name: 'Your recovery codes' });
    await codes.waitFor();
    await web.settle();
    t.true((await codes.locator('code').count()) >= 8, 'they stay until they are kept');
    await codes.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByRole('heading', { name: 'Labels', level: 1 }).waitFor();
    t.is(new URL(page.url()).search, '?q=tax');
    await page.getByRole('button', { name: 'New label' }).first().waitFor();
    t.deepEqual(web.offences, []);
  }
});

test('who is at work when his days end sets up a factor above what he typed, and goes on', async (t) => {
  const { open, served } = t.context;
  await served.admin.register('late-boss', 'admin');
  await using web = await open();
  const { page } = web;
  await web.signIn({ username: 'late-boss', password: PASSWORD });
  await web.go('/labels');
  await page.getByRole('button', { name: 'New label' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('Typed with care');
  await served.database.pool.query("update users set mfa_required_since = now() - interval '8 days' where username = 'late-boss'");
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  const demand = page.getByRole('dialog', { name: 'Set up a second factor' });
  await demand.waitFor();
  await page.keyboard.press('Escape');
  t.deepEqual(await web.flaws('factor-demanded'), []);
  await demand.getByRole('button', { name: 'Add an authenticator app' }).click();
  const app = page.getByRole('dialog', { name: 'Add an authenticator app' });
  const secret = (await app.locator('code').textContent()) ?? '';
  await app.getByLabel('Then enter the code that it shows').fill(codeOf(secret, new Date()));
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Your recovery codes' }).getByRole('button', { name: 'I have kept them' }).click();
  await demand.waitFor({ state: 'detached' });
  t.is(await page.getByLabel('Name', { exact: true }).inputValue(), 'Typed with care');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: 'Typed with care', exact: true }).waitFor();
  t.deepEqual(web.offences, []);
});

test('a second step that took too long leads back to the first one in words, and the name is still there', async (t) => {
  const { open, served } = t.context;
  const client = await served.admin.register('tina', 'editor');
  const { secret } = await enroll(client);
  await using web = await open({ size: 'telephone' });
  const { page } = web;
  await web.go('/labels');
  await signInByForm(page, 'tina');
  await page.getByLabel('Code', { exact: true }).fill(codeOf(secret, new Date(), 1));
  await served.database.pool.query("delete from one_time_tokens where purpose = 'mfa_step'");
  await page.keyboard.press('Enter');
  await page.getByText('The sign-in took too long. Please start again.').waitFor();
  t.is(await page.getByLabel('Name or e-mail address').inputValue(), 'tina');
  t.deepEqual(await web.flaws('second-step-too-late'), []);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Second step', level: 1 }).waitFor();
  t.is(await page.getByRole('alert').count(), 0);
  await page.getByLabel('Code', { exact: true }).fill(codeOf(secret, new Date(), 1));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Labels', level: 1 }).waitFor();
  t.deepEqual(web.offences, []);
});

test('above the screen on which a session ended the second factor is asked for too, and what was typed is still there', async (t) => {
  const { open, served } = t.context;
  const client = await served.admin.register('sonja', 'editor');
  await using web = await open();
  const { page } = web;
  await web.signIn({ username: 'sonja', password: PASSWORD });
  const { secret } = await enroll(client);
  await web.go('/labels');
  await page.getByRole('button', { name: 'New label' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('Typed with care');
  await client.delete('/api/auth/sessions');
  const again = page.getByRole('dialog', { name: 'Please sign in again' });
  await again.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  const code = again.getByLabel('Code', { exact: true });
  await code.fill('000000');
  await page.keyboard.press('Enter');
  await again.getByText('The code is wrong').waitFor();
  t.deepEqual(await web.flaws('sign-in-again-code'), []);
  await code.fill(codeOf(secret, new Date(), 1));
  await page.keyboard.press('Enter');
  await again.waitFor({ state: 'detached' });
  t.is(await page.getByLabel('Name', { exact: true }).inputValue(), 'Typed with care');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: 'Typed with care', exact: true }).waitFor();
  t.deepEqual(web.offences, []);
});
