import { recordHeartbeat } from '@sheaf/program';
import type { Page } from 'playwright-core';
import { heartbeat } from '../../support/heartbeat.ts';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { linkIn, startMailServer } from '../../support/mail-server.ts';
import { germanText, text } from '../../support/messages.ts';
import { proveByPassword } from '../../support/prove-by-password.ts';
import { codeOf } from '../../support/second-factors.ts';
import { waitFor } from '../../support/wait-for.ts';

const PASSWORD = 'correct horse battery';

const test = testInChromium(async (own) => {
  const mail = own.use(await startMailServer());
  const api = await apiAlone({
    MFA_ENABLED: 'true',
    MFA_METHOD: 'totp',
    REQUIRE_EMAIL_VERIFICATION: 'true',
    FEATURE_PAPERLESS_API: 'true',
    ...mail.environment,
  })(own);
  await api.admin.register('ann', 'editor'); // whose address others cannot have
  await api.admin.register('audrey', 'auditor');
  return { ...api, mail };
});

const signInByForm = async (page: Page, username: string): Promise<void> => {
  await page.getByLabel(text('signIn.username')).fill(username);
  await page.getByLabel(text('signIn.password'), { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: text('signIn.title') }).click();
};

/** Answers the dialog that asks for the password once more. */
test('an authenticator app is set up with a code and asked for at the next sign-in; a recovery code does as well', async (t) => {
  const { open, served } = t.context;
  await served.admin.register('tom', 'editor');
  await using web = await open({ size: 'telephone' });
  const { page } = web;
  await web.signIn({ username: 'tom', password: PASSWORD });
  await web.go('/profile');
  await page.getByRole('button', { name: text('profile.addTotp') }).click();
  await proveByPassword(page, PASSWORD);
  const dialog = page.getByRole('dialog');
  const secret = (await dialog.locator('code').textContent()) ?? '';
  t.true(Number(await page.evaluate("document.querySelector('[role=dialog] img').naturalWidth")) > 0, 'the picture to scan is there');
  t.deepEqual(await web.flaws('totp'), []);
  await dialog.getByLabel(text('profile.enterCode')).fill('000000');
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel(text('profile.enterCode')).fill(codeOf(secret, new Date()));
  await page.keyboard.press('Enter');
  const codes = page.getByRole('dialog', { name: text('profile.codesTitle') });
  await codes.waitFor();
  const recovery = await codes.locator('code').allTextContents();
  t.true(recovery.length >= 8);
  t.deepEqual(await web.flaws('recovery-codes'), []);
  await codes.getByRole('button', { name: text('profile.done') }).click();
  await page.getByText(text('profile.factorsOn')).waitFor();

  for (const [wrong, right] of [
    ['000000', codeOf(secret, new Date(), 1)],
    ['aaaaa-aaaaa', recovery[0] ?? ''],
  ] as const) {
    await web.context.clearCookies();
    await web.go('/labels');
    await signInByForm(page, 'tom');
    const field = page.getByLabel(text('signIn.code'), { exact: true });
    await field.fill(wrong);
    await page.keyboard.press('Enter');
    await page.getByText(text('signIn.wrongCode')).waitFor();
    await field.fill(right);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: text('shell.labels'), level: 1 }).waitFor();
  }
  t.deepEqual(web.offences, []);
});

test('one sees where one is signed in and ends that, changes the password, and sees a new key once', async (t) => {
  const { open, served } = t.context;
  const elsewhere = await served.admin.register('paul', 'admin');
  await using web = await open();
  const { page } = web;
  await web.signIn({ username: 'paul', password: PASSWORD });
  await web.go('/profile');
  await page.getByRole('button', { name: text('profile.signOutOf', { where: 'node' }) }).click();
  await page.getByRole('button', { name: text('profile.signOutOf', { where: 'node' }) }).waitFor({ state: 'detached' });
  t.is((await elsewhere.get('/api/auth/me')).status, 401);

  const profile = page.getByRole('region', { name: text('profile.profile') });
  await profile.getByLabel(text('profile.displayName')).fill('Paul the Elder');
  await profile.getByLabel(text('profile.email')).fill('ann@example.org');
  await page.keyboard.press('Enter');
  await proveByPassword(page, PASSWORD);
  await profile.getByRole('alert').or(profile.locator('[aria-invalid=true]')).first().waitFor();
  t.is(await profile.getByLabel(text('profile.displayName')).inputValue(), 'Paul the Elder', 'a refusal loses nothing that was typed');
  await profile.getByLabel(text('profile.email')).fill('paul@example.org');
  await page.keyboard.press('Enter');
  await profile.getByText(text('profile.saved'), { exact: true }).waitFor();
  t.is(await profile.getByLabel(text('profile.role')).count(), 0, 'what cannot be changed is no field');
  await profile.getByRole('definition').filter({ hasText: 'paul' }).first().waitFor();
  const paul = await served.anyone.login('paul');
  t.like((await paul.get('/api/auth/me')).body, { display_name: 'Paul the Elder', email: 'paul@example.org' });

  await page.getByLabel(text('profile.currentPassword')).fill('wrong');
  await page.getByLabel(text('profile.newPassword')).fill('a new one, long enough');
  await page.keyboard.press('Enter');
  await page.getByText(text('errors.CURRENT_PASSWORD_WRONG')).waitFor();
  t.is(await page.getByRole('dialog').count(), 0, 'a wrong password ends no session');
  t.is(await page.getByLabel(text('profile.newPassword')).inputValue(), 'a new one, long enough');
  await page.getByLabel(text('profile.currentPassword')).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText(text('profile.passwordChanged')).waitFor();
  await served.anyone.login('paul', 'a new one, long enough');

  await page.getByRole('button', { name: text('profile.newKey') }).click();
  await page.getByRole('dialog').getByLabel(text('profile.keyName')).fill('Backup');
  await page.keyboard.press('Enter');
  const made = page.getByRole('dialog', { name: text('profile.keyMade') });
  const key = (await made.locator('pre').textContent()) ?? '';
  t.deepEqual(await web.flaws('new-key'), []);
  const answer = await served.anyone.request('/api/documents', { headers: { 'x-api-key': key } });
  t.is(answer.status, 200);
  await made
    .getByRole('button', { name: text('profile.close') })
    .last()
    .click();
  await page.getByRole('button', { name: `${text('profile.revoke')}: Backup` }).waitFor();
  t.false((await page.content()).includes(key));
  await page.getByRole('button', { name: `${text('profile.revoke')}: Backup` }).click();
  await page.getByText(text('profile.revoked', { name: 'Backup' })).waitFor();
  await page.goto('about:blank'); // who leaves the page has revoked
  await waitFor(async () => (await served.anyone.request('/api/documents', { headers: { 'x-api-key': key } })).status === 401, {
    description: 'the key to be revoked',
    limitMs: 20_000,
  });
  t.deepEqual(web.offences, []);
});

test('who changes their address follows the link of the mail, still signed in', async (t) => {
  const { open, served } = t.context;
  await served.admin.register('moritz', 'editor');
  await using web = await open();
  const { page } = web;
  await web.signIn({ username: 'moritz', password: PASSWORD });
  await web.go('/profile');
  await page.getByLabel(text('profile.email')).fill('new@example.org');
  await page.keyboard.press('Enter');
  await proveByPassword(page, PASSWORD);
  const letter = await waitFor(async () => served.mail.mails.find(({ to }) => to.includes('new@example.org')), {
    description: 'the mail that asks for the address',
    limitMs: 20_000,
  });
  const { pathname, search } = linkIn(letter);
  await web.go(pathname + search);
  await page.getByText(text('entry.verified', { email: 'new@example.org' })).waitFor();
  t.deepEqual(await web.flaws('address-confirmed'), []);
  await page.getByRole('link', { name: text('entry.goOn') }).click();
  await page.getByRole('heading', { name: text('shell.documents'), level: 1 }).waitFor();
  t.deepEqual(web.offences, []);
});

test('an administrator gives a new password to who lost theirs, and not to themselves', async (t) => {
  const { open, served } = t.context;
  const lost = await served.admin.register('lotte', 'viewer');
  await using web = await open();
  const { page } = web;
  await web.signIn({ username: 'admin', password: PASSWORD });
  await web.go('/users?q=lotte');
  await page.getByRole('button', { name: text('labels.editOf', { name: 'lotte' }) }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(text('profile.displayName')).fill('Lotte L.');
  await dialog.getByLabel(text('profile.newPassword')).fill('short');
  await page.keyboard.press('Enter');
  await dialog.getByText(text('issues.too_short', { minimum: 8 })).waitFor();
  t.deepEqual(await web.flaws('user-new-password'), []);
  await dialog.getByLabel(text('profile.newPassword')).fill('a new one, long enough');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Lotte L.').waitFor();
  t.is((await lost.get('/api/auth/me')).status, 401);
  await served.anyone.login('lotte', 'a new one, long enough');

  await web.go('/users?q=admin');
  await page.getByRole('button', { name: text('labels.editOf', { name: 'admin' }) }).click();
  await dialog.getByLabel(text('profile.displayName')).waitFor();
  t.is(await dialog.getByLabel(text('profile.newPassword')).count(), 0, 'one’s own is changed with the present one');
  t.deepEqual(web.offences, []);
});

test('colours and language are chosen, hold after a reload, and on another device', async (t) => {
  const { open, served } = t.context;
  const now = new Date();
  await recordHeartbeat(served.database.db, heartbeat(now, { name: 'ocr-worker', facts: { languages: ['deu', 'eng'] } }), now);
  await using web = await open();
  const { page } = web;
  await web.signIn({ username: 'audrey', password: PASSWORD });
  await web.go('/settings');
  await page
    .getByRole('radiogroup', { name: text('settings.theme') })
    .getByText(text('settings.dark'))
    .click();
  await page.getByLabel(text('settings.language'), { exact: true }).selectOption('de');
  await page.getByRole('combobox', { name: text('settings.ocrLanguage') }).fill('germ');
  await page.getByRole('option', { name: 'German' }).click();
  const rowsInLists = page.getByLabel(text('settings.perPage'));
  await rowsInLists.fill('');
  await page.keyboard.press('Enter');
  await page.locator('[aria-invalid=true]').waitFor();
  t.is(await rowsInLists.getAttribute('aria-invalid'), 'true', 'the refusal stands at the field');
  await page.getByText('German', { exact: true }).waitFor(); // and loses nothing
  await rowsInLists.fill('7');
  await page.getByRole('button', { name: text('profile.save') }).click();
  await page.getByRole('heading', { name: germanText('settings.title'), level: 1 }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: germanText('settings.title'), level: 1 }).waitFor();
  t.is(await page.getByLabel(germanText('settings.perPage')).inputValue(), '7');
  for (const name of ['Englisch', 'Deutsch']) await page.getByText(name, { exact: true }).and(page.locator('[class*=Pill] *')).waitFor();
  await web.walk('/audit');
  const rows = page.getByRole('table').locator('tbody tr');
  t.is(await rows.count(), 7);
  await page.getByRole('button', { name: germanText('table.next') }).click();
  await page.waitForURL('**/audit?page=2');
  await page.reload();
  await page.getByText(/^8\D+\d+\D+\d+$/).waitFor();
  await page.goBack();
  await page.getByText(/^1\D+7\D+\d+$/).waitFor();
  const scheme = (one: Page): Promise<unknown> => one.evaluate("document.documentElement.getAttribute('data-mantine-color-scheme')");
  t.is(await scheme(page), 'dark');
  t.is(await page.evaluate('document.documentElement.lang'), 'de');
  await using other = await open({ size: 'telephone' });
  await other.signIn({ username: 'audrey', password: PASSWORD });
  await other.go('/documents');
  await other.page.getByRole('heading', { name: germanText('shell.documents'), level: 1 }).waitFor();
  t.is(await scheme(other.page), 'dark');
  t.deepEqual([...web.offences, ...other.offences], []);
});

test('a change of the own password revokes API keys and app tokens where that is chosen, and lists them with their last use', async (t) => {
  const { open, served } = t.context;
  const client = await served.admin.register('quentin', 'admin');
  const { body } = await client.post('/api/keys', { name: 'Backup script', scope: ['documents.read'] });
  const key = { headers: { 'x-api-key': String(body['key']) } };
  await served.anyone.request('/api/documents', key);
  await served.anyone.post('/paperless/api/token/', { username: 'quentin', password: PASSWORD });
  await using web = await open({ size: 'telephone' });
  const { page } = web;
  await web.signIn({ username: 'quentin', password: PASSWORD });
  await web.go('/profile');
  const keys = page
    .getByRole('region', { name: text('profile.keys') })
    .getByRole('listitem')
    .filter({ hasText: /Backup script|Paperless app/ });
  await keys.filter({ hasText: text('profile.keyNoExpiry') }).waitFor();
  t.is(await keys.count(), 2);
  const card = page.getByRole('region', { name: text('profile.password'), exact: true });
  const offer = card.getByLabel(text('password.revokeKeys'));
  t.false(await offer.isChecked());
  const listed = card.getByRole('listitem');
  await listed
    .filter({ hasText: 'Backup script' })
    .filter({ hasNotText: text('profile.neverUsed') })
    .waitFor();
  await listed
    .filter({ hasText: 'Paperless app' })
    .filter({ hasText: text('profile.neverUsed') })
    .waitFor();
  await card.getByLabel(text('profile.currentPassword')).fill(PASSWORD);
  await card.getByLabel(text('profile.newPassword')).fill('a new one, long enough');
  await offer.press('Space');
  t.deepEqual(await web.flaws('own-password-with-keys'), []);
  await card.getByLabel(text('profile.newPassword')).press('Enter');
  await card.getByText(text('profile.passwordAndKeysChanged', { count: 2 })).waitFor();
  await keys.first().waitFor({ state: 'detached' });
  t.is(await keys.count(), 0);
  t.is(await offer.count(), 0, 'there is nothing to revoke any more');
  t.is((await served.anyone.request('/api/documents', key)).status, 401);
  t.deepEqual(web.offences, []);
});

test('a reset of a password revokes the keys of the user unless that is declined, says so, and the focus is where it was', async (t) => {
  const { open, served } = t.context;
  const lost = await served.admin.register('rosa', 'admin');
  await lost.post('/api/keys', { name: 'Script of Rosa', scope: ['documents.read'] });
  await using web = await open();
  const { page } = web;
  await web.signIn({ username: 'admin', password: PASSWORD });
  await web.go('/users?q=rosa');
  const edit = page.getByRole('button', { name: text('users.editOf', { name: 'rosa' }) });
  const dialog = page.getByRole('dialog');
  const reset = async (password: string): Promise<void> => {
    await edit.press('Enter');
    await dialog.getByLabel(text('users.newPassword')).fill(password);
  };
  const offer = dialog.getByLabel(text('password.revokeKeys'));
  await reset('a new one, long enough');
  await dialog.getByText('Script of Rosa').waitFor();
  t.true(await offer.isChecked());
  t.deepEqual(await web.flaws('user-password-with-keys'), []);
  await offer.press('Space');
  await page.keyboard.press('Enter');
  await page.getByText(text('users.passwordSet', { name: 'rosa', count: 0 })).waitFor();
  await dialog.waitFor({ state: 'detached' });
  await page.locator(':focus').and(edit).waitFor();
  await reset('another one, long enough');
  await dialog.getByRole('button', { name: text('users.save') }).press('Enter');
  await page.getByText(text('users.passwordSet', { name: 'rosa', count: 1 })).waitFor();
  t.deepEqual(web.offences, []);
});
