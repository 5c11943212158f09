import { recordHeartbeat } from '@sheaf/program';
import type { ApiClient } from '@sheaf/testkit';
import type { Page } from 'playwright-core';
import { heartbeat } from '../../support/heartbeat.ts';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { linkIn, startMailServer } from '../../support/mail-server.ts';
import { germanText, text, textPattern } from '../../support/messages.ts';
import { codeOf } from '../../support/second-factors.ts';
import { waitFor } from '../../support/wait-for.ts';

const PASSWORD = 'correct horse battery';
const ANN = { username: 'ann', password: PASSWORD };

const test = testInChromium(async (own) => {
  const mail = own.use(await startMailServer());
  const api = await apiAlone({ MFA_ENABLED: 'true', MFA_METHOD: 'totp', REQUIRE_EMAIL_VERIFICATION: 'true', ...mail.environment })(own);
  for (const [name, role] of [
    ['ann', 'editor'],
    ['viktor', 'viewer'],
    ['audrey', 'auditor'],
  ] as const)
    await api.admin.register(name, role);
  return { ...api, mail };
});

const signInByForm = async (page: Page, username: string, password: string): Promise<void> => {
  await page.getByLabel(text('signIn.username')).fill(username);
  await page.getByLabel(text('signIn.password'), { exact: true }).fill(password);
  await page.getByRole('button', { name: text('signIn.title') }).click();
};

/** Answers the dialog that asks for the password once more. */
const proveByPassword = async (page: Page): Promise<void> => {
  const dialog = page.getByRole('dialog', { name: text('profile.confirm') });
  await dialog.getByLabel(text('signIn.password'), { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
};

/** Ends all sessions of somebody, as he does it from another device. */
const endSessions = async (anyone: ApiClient, username: string): Promise<void> => {
  const elsewhere = await anyone.login(username);
  await elsewhere.delete('/api/auth/sessions');
};

test('a wrong password is told and loses nothing; the right one leads to where one wanted to go, and out again', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.go('/labels?q=tax');
  await signInByForm(page, 'ann', 'wrong');
  await page.getByText(text('signIn.wrong')).waitFor();
  t.is(await page.getByLabel(text('signIn.username')).inputValue(), 'ann');
  t.deepEqual(await web.flaws('sign-in-wrong'), []);
  await page.getByLabel(text('signIn.password'), { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: text('shell.labels'), level: 1 }).waitFor();
  t.is(await page.getByLabel(text('labelPicker.find')).inputValue(), 'tax');
  const kept = await page.evaluate<string[]>('[...Object.keys(localStorage), ...Object.keys(sessionStorage)]');
  t.deepEqual(
    kept.filter((name) => name !== 'mantine-color-scheme-value'),
    [],
    'nothing of the session is where scripts find it',
  );
  const cookies = await web.context.cookies();
  t.true(cookies.length > 1 && cookies.every(({ sameSite }) => sameSite !== 'None'));
  t.deepEqual(
    cookies.filter(({ httpOnly }) => !httpOnly).map(({ name }) => name),
    [(await served.anyone.get('/api/auth/config')).body['csrf_cookie']],
    'the token against forgery is all that scripts can read',
  );

  await page.getByRole('button', { name: text('shell.account') }).click();
  await page.getByRole('menuitem', { name: text('profile.signOut') }).click();
  await page.getByRole('heading', { name: text('signIn.title') }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: text('signIn.title') }).waitFor();
  t.deepEqual(web.offences, []);
});

test('an authenticator app is set up with a code and asked for at the next sign-in; a recovery code does as well', async (t) => {
  const { open, served } = t.context;
  await served.admin.register('tom', 'editor');
  await using web = await open({ size: 'telephone' });
  const { page } = web;
  await web.signIn({ username: 'tom', password: PASSWORD });
  await web.go('/profile');
  await page.getByRole('button', { name: text('profile.addTotp') }).click();
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
    await signInByForm(page, 'tom', PASSWORD);
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

test('a session that ends while one types asks to sign in again above the screen; what was typed is still there and goes', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ANN);
  await web.go('/labels');
  await page
    .getByRole('button', { name: text('labels.create') })
    .first()
    .click();
  await page.getByLabel(text('profile.keyName'), { exact: true }).fill('Typed with care');
  await endSessions(served.anyone, 'ann');
  const again = page.getByRole('dialog', { name: text('signIn.again') });
  await again.waitFor();
  t.is(await again.getByLabel(text('signIn.username')).inputValue(), 'ann');
  t.deepEqual(await web.flaws('sign-in-again'), []);
  await again.getByLabel(text('signIn.password'), { exact: true }).fill('wrong');
  await page.keyboard.press('Enter');
  await again.getByText(text('signIn.wrong')).waitFor();
  await again.getByLabel(text('signIn.password'), { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await again.waitFor({ state: 'detached' });
  t.is(await page.getByLabel(text('profile.keyName'), { exact: true }).inputValue(), 'Typed with care');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: text('profile.save') })
    .click();
  await page.getByRole('cell', { name: 'Typed with care', exact: true }).waitFor();

  // the change itself may be what learns of it
  await page
    .getByRole('button', { name: text('labels.create') })
    .first()
    .click();
  await page.getByLabel(text('profile.keyName'), { exact: true }).fill('Typed again');
  await endSessions(served.anyone, 'ann');
  await page.keyboard.press('Enter');
  await again.getByLabel(text('signIn.password'), { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await again.waitFor({ state: 'detached' });
  t.is(await page.getByLabel(text('profile.keyName'), { exact: true }).inputValue(), 'Typed again');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: text('profile.save') })
    .click();
  await page.getByRole('cell', { name: 'Typed again', exact: true }).waitFor();
  t.deepEqual(web.offences, []);
});

test('a refusal that comes late asks nobody to sign in again who has done so; who comes back to a window signed in goes on', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page, context } = web;
  await web.signIn(ANN);
  await web.go('/labels');
  const again = page.getByRole('dialog', { name: text('signIn.again') });

  await page.route('**/api/labels', (route) => route.fulfill({ status: 401, json: { error: 'UNAUTHORIZED' } }), { times: 1 });
  const isLooked = page.waitForResponse('**/api/auth/me');
  await page
    .getByRole('button', { name: text('labels.create') })
    .first()
    .click();
  await page.getByLabel(text('profile.keyName'), { exact: true }).fill('Typed late');
  await page.keyboard.press('Enter');
  t.is((await isLooked).status(), 200);
  await page.getByLabel(text('profile.keyName'), { exact: true }).press('End'); // the form is still there to be typed in
  t.is(await again.count(), 0);

  await endSessions(served.anyone, 'ann');
  await again.waitFor();
  // another window signs in, and its word is lost
  const answer = await context.request.post('/api/auth/login', { data: { ...ANN, cookie: true } });
  t.is(answer.status(), 200);
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await again.waitFor({ state: 'detached' });
  await page
    .getByRole('dialog')
    .getByRole('button', { name: text('profile.save') })
    .click();
  await page.getByRole('cell', { name: 'Typed late', exact: true }).waitFor();
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
  await proveByPassword(page);
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
  await page.getByText('Backup').waitFor();
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

test('who changes his address follows the link of the mail, still signed in', async (t) => {
  const { open, served } = t.context;
  await served.admin.register('moritz', 'editor');
  await using web = await open();
  const { page } = web;
  await web.signIn({ username: 'moritz', password: PASSWORD });
  await web.go('/profile');
  await page.getByLabel(text('profile.email')).fill('new@example.org');
  await page.keyboard.press('Enter');
  await proveByPassword(page);
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

test('an administrator gives a new password to who lost his, and not to himself', async (t) => {
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

test('a viewer sees no way to what he may not do, and an address typed by hand is refused in words', async (t) => {
  const { open, served } = t.context;
  const { body } = await served.admin.upload({ name: 'paper.txt', bytes: new TextEncoder().encode('some words') });
  await served.admin.post('/api/labels', { name: 'Everybody’s' });
  await using web = await open();
  const { page } = web;
  await web.signIn({ username: 'viktor', password: PASSWORD });
  await web.go('/documents');
  await page.getByText('paper').first().waitFor();
  const ways = await page.getByRole('navigation').getByRole('link').allTextContents();
  t.deepEqual(ways, [
    text('shell.documents'),
    text('shell.search'),
    text('shell.savedSearches'),
    text('shell.labels'),
    text('shell.correspondents'),
    text('shell.documentTypes'),
    text('shell.queue'),
    text('shell.ingest'),
    text('shell.notifications'),
  ]);
  t.is(await page.getByRole('button', { name: text('uploads.upload') }).count(), 0);
  await page.getByRole('checkbox', { name: text('documents.select', { name: 'paper' }) }).click();
  await page
    .getByText(text('documents.selected', { count: 1 }))
    .first()
    .waitFor();
  for (const name of [text('document.remove'), text('documents.addLabels'), text('document.readAgain')])
    t.is(await page.getByRole('button', { name, exact: true }).count(), 0, name);

  await web.walk(`/documents/${String(body['id'])}`);
  for (const name of [text('document.remove'), text('document.editTitle'), text('document.readAgain'), text('document.addField')])
    t.is(await page.getByRole('button', { name, exact: true }).count(), 0, name);
  await web.walk('/labels');
  await page.getByText('Everybody’s').waitFor();
  for (const name of [
    text('labels.create'),
    text('labels.removeOf', { name: 'Everybody’s' }),
    text('labels.editOf', { name: 'Everybody’s' }),
  ])
    t.is(await page.getByRole('button', { name }).count(), 0, name);
  await web.walk('/queue');
  t.is(await page.getByRole('button', { name: text('queue.pause') }).count(), 0);

  const flaws: string[] = [];
  for (const path of ['/users', '/audit', '/service-health', '/system', '/imports', '/deliveries', '/analytics', '/sources']) {
    await web.walk(path);
    await page.getByText(textPattern('refused.hint')).first().waitFor();
    flaws.push(...(await web.flaws(`refused-${path.slice(1)}`)));
  }
  t.deepEqual(flaws, []);
});
