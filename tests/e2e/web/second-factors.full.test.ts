// Second factors in the client: passkeys of a real browser, and what is asked of those who have one or need one.
import type { Page } from 'playwright-core';
import { enroll } from '../../support/enrolled.ts';
import { type ApiAlone, apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { proveByPassword } from '../../support/prove-by-password.ts';
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
  await page.getByLabel(text('signIn.username')).fill(username);
  await page.getByLabel(text('profile.password'), { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: text('signIn.title') }).click();
};

test('a passkey is added, asked for at the next sign-in, and removed; who closes the browser’s window loses nothing', async (t) => {
  const { open, served } = t.context;
  await served.admin.register('petra', 'editor');
  await using web = await open();
  const { page } = web;
  const key = await SecurityKey.plugIn(page);
  await web.signIn({ username: 'petra', password: PASSWORD });
  await web.go('/profile');
  const add = page.getByRole('button', { name: text('profile.addPasskey') });
  await page.getByLabel(text('profile.displayName')).fill('Petra, half typed');

  const create = 'CredentialsContainer.prototype.create';
  const decline = '() => Promise.reject(new DOMException("The user closed the window", "NotAllowedError"))';
  await page.evaluate(`globalThis.kept = ${create}; ${create} = ${decline}`);
  await add.click();
  await proveByPassword(page, PASSWORD);
  await page.getByText(text('profile.passkeyFailed')).waitFor();
  await page.evaluate(`${create} = globalThis.kept`);
  t.is(await page.getByLabel(text('profile.displayName')).inputValue(), 'Petra, half typed');
  t.is(await page.getByRole('button', { name: text('profile.removeOf', { name: 'Chrome · Linux' }) }).count(), 0);

  await add.click();
  await proveByPassword(page, PASSWORD);
  const codes = page.getByRole('dialog', { name: text('profile.codesTitle') });
  await codes.getByRole('button', { name: text('profile.done') }).click();
  await page.getByText(text('profile.factorsOn')).waitFor();
  t.is(await page.getByLabel(text('profile.displayName')).inputValue(), 'Petra, half typed');
  await add.click();
  const prove = page.getByRole('dialog', { name: text('profile.confirm') });
  await prove.getByLabel(text('profile.password'), { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText(text('profile.passkeyKnown')).waitFor();
  await prove.waitFor({ state: 'detached' });
  t.deepEqual(await web.flaws('profile-passkey'), []);

  await web.context.clearCookies();
  await web.go('/labels?q=tax');
  await signInByForm(page, 'petra');
  await page.getByText(text('signIn.secondHintPasskey')).waitFor();
  const usePasskey = page.getByRole('button', { name: text('profile.usePasskey') });
  await key.without(async () => {
    await page.getByLabel(text('profile.code'), { exact: true }).fill('half a code');
    await usePasskey.click();
    await page.getByText(text('profile.passkeyNotUsed')).waitFor();
  });
  t.is(await page.getByLabel(text('profile.code'), { exact: true }).inputValue(), 'half a code');
  t.deepEqual(await web.flaws('second-step-passkey'), []);
  await usePasskey.click();
  await page.getByRole('heading', { name: text('shell.labels'), level: 1 }).waitFor();
  t.is(new URL(page.url()).search, '?q=tax');

  await web.go('/profile');
  await page.getByRole('button', { name: text('profile.removeOf', { name: 'Chrome · Linux' }) }).click();
  await prove.getByLabel(text('profile.password'), { exact: true }).fill('wrong');
  await page.keyboard.press('Enter');
  await prove.getByRole('alert').waitFor();
  t.deepEqual(await web.flaws('prove-it-is-you'), []);
  await prove.getByLabel(text('profile.password'), { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText(text('profile.factorsOff')).waitFor();
  await web.context.clearCookies();
  await web.go('/labels');
  await signInByForm(page, 'petra');
  await page.getByRole('heading', { name: text('shell.labels'), level: 1 }).waitFor();
  t.deepEqual(web.offences, []);
});

test('an administrator whose days are over sets up a factor before anything else, and then is where they wanted to be', async (t) => {
  const { open, served } = t.context;
  const ways = {
    desktop: async (page: Page): Promise<void> => {
      await page.getByRole('button', { name: text('profile.addTotp') }).click();
      await proveByPassword(page, PASSWORD);
      const dialog = page.getByRole('dialog');
      const secret = (await dialog.locator('code').textContent()) ?? '';
      const field = dialog.getByLabel(text('profile.enterCode'));
      await field.fill('000000');
      await page.keyboard.press('Enter');
      await dialog.getByRole('alert').waitFor();
      await field.fill(codeOf(secret, new Date()));
      await page.keyboard.press('Enter');
    },
    telephone: async (page: Page): Promise<void> => {
      await SecurityKey.plugIn(page);
      await page.getByRole('button', { name: text('profile.addPasskey') }).click();
      await proveByPassword(page, PASSWORD);
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
    await page.getByRole('heading', { name: text('entry.factorTitle'), level: 1 }).waitFor();
    t.is(await page.getByRole('navigation').count(), 0, 'there is no way past it');
    t.deepEqual(await web.flaws('factor-needed'), []);
    await web.go('/users');
    await page.getByRole('heading', { name: text('entry.factorTitle'), level: 1 }).waitFor();
    await web.go('/labels?q=tax');
    await ways[size](page);
    const codes = page.getByRole('dialog', { name: text('profile.codesTitle') });
    await codes.waitFor();
    await web.settle();
    t.true((await codes.locator('code').count()) >= 8, 'they stay until they are kept');
    await codes.getByRole('button', { name: text('profile.done') }).click();
    await page.getByRole('heading', { name: text('shell.labels'), level: 1 }).waitFor();
    t.is(new URL(page.url()).search, '?q=tax');
    await page
      .getByRole('button', { name: text('labels.create') })
      .first()
      .waitFor();
    t.deepEqual(web.offences, []);
  }
});

test('who is at work when their days end sets up a factor above what they typed, and goes on', async (t) => {
  const { open, served } = t.context;
  await served.admin.register('late-boss', 'admin');
  await using web = await open();
  const { page } = web;
  await web.signIn({ username: 'late-boss', password: PASSWORD });
  await web.go('/labels');
  await page
    .getByRole('button', { name: text('labels.create') })
    .first()
    .click();
  await page.getByLabel(text('profile.keyName'), { exact: true }).fill('Typed with care');
  await served.database.pool.query("update users set mfa_required_since = now() - interval '8 days' where username = 'late-boss'");
  const demand = page.getByRole('dialog', { name: text('entry.factorTitle') });
  // the answer to something that the page asked by itself may have brought the demand before the click
  await page
    .getByRole('dialog')
    .getByRole('button', { name: text('profile.save') })
    .click({ timeout: 5_000 })
    .catch(() => demand.waitFor());
  await demand.waitFor();
  await page.keyboard.press('Escape');
  t.deepEqual(await web.flaws('factor-demanded'), []);
  await demand.getByRole('button', { name: text('profile.addTotp') }).click();
  await proveByPassword(page, PASSWORD);
  const app = page.getByRole('dialog', { name: text('profile.addTotp') });
  const secret = (await app.locator('code').textContent()) ?? '';
  await app.getByLabel(text('profile.enterCode')).fill(codeOf(secret, new Date()));
  await page.keyboard.press('Enter');
  await page
    .getByRole('dialog', { name: text('profile.codesTitle') })
    .getByRole('button', { name: text('profile.done') })
    .click();
  await demand.waitFor({ state: 'detached' });
  t.is(await page.getByLabel(text('profile.keyName'), { exact: true }).inputValue(), 'Typed with care');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: text('profile.save') })
    .click();
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
  await page.getByLabel(text('profile.code'), { exact: true }).fill(codeOf(secret, new Date(), 1));
  await served.database.pool.query("delete from one_time_tokens where purpose = 'mfa_step'");
  await page.keyboard.press('Enter');
  await page.getByText(text('signIn.stepExpired')).waitFor();
  t.is(await page.getByLabel(text('signIn.username')).inputValue(), 'tina');
  t.deepEqual(await web.flaws('second-step-too-late'), []);
  await page.getByLabel(text('profile.password'), { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: text('signIn.second'), level: 1 }).waitFor();
  t.is(await page.getByRole('alert').count(), 0);
  await page.getByLabel(text('profile.code'), { exact: true }).fill(codeOf(secret, new Date(), 1));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: text('shell.labels'), level: 1 }).waitFor();
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
  await page
    .getByRole('button', { name: text('labels.create') })
    .first()
    .click();
  await page.getByLabel(text('profile.keyName'), { exact: true }).fill('Typed with care');
  await client.delete('/api/auth/sessions');
  const again = page.getByRole('dialog', { name: text('signIn.again') });
  await again.getByLabel(text('profile.password'), { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  const code = again.getByLabel(text('profile.code'), { exact: true });
  await code.fill('000000');
  await page.keyboard.press('Enter');
  await again.getByText(text('signIn.wrongCode')).waitFor();
  t.deepEqual(await web.flaws('sign-in-again-code'), []);
  await code.fill(codeOf(secret, new Date(), 1));
  await page.keyboard.press('Enter');
  await again.waitFor({ state: 'detached' });
  t.is(await page.getByLabel(text('profile.keyName'), { exact: true }).inputValue(), 'Typed with care');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: text('profile.save') })
    .click();
  await page.getByRole('cell', { name: 'Typed with care', exact: true }).waitFor();
  t.deepEqual(web.offences, []);
});
