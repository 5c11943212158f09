import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';

const PASSWORD = 'correct horse battery';
const ADMIN = { username: 'admin', password: PASSWORD };

const test = testInChromium(apiAlone());

test('an administrator adds a role, gives it to a user, changes it, and removes it once nobody has it', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/users');
  await page.getByRole('link', { name: text('roleScreen.title') }).click();
  await page.getByRole('heading', { name: text('roleScreen.title'), level: 1 }).waitFor();
  const card = (name: string) => page.getByRole('region', { name, exact: true });
  await card(text('roles.admin')).getByText(text('roleScreen.everything')).waitFor();
  await card(text('roles.viewer')).getByText(text('permissions.documents.read')).waitFor();
  t.is(await page.getByRole('button', { name: text('roleScreen.editOf', { name: text('roles.admin') }) }).count(), 0);

  const dialog = page.getByRole('dialog');
  const tick = (permission: string) => dialog.getByRole('checkbox', { name: permission, exact: true });
  await page.getByRole('button', { name: text('roleScreen.create') }).click();
  await dialog.getByLabel(text('roleScreen.name')).fill('a clerk');
  await tick(text('permissions.documents.read')).check();
  await tick(text('permissions.labels.read')).check();
  await tick(text('roleScreen.ownOnlyOf', { permission: text('permissions.documents.read') })).check();
  t.deepEqual(await web.flaws('role-form'), []);
  await dialog.getByRole('button', { name: text('roleScreen.save') }).click();
  await dialog.getByText(text('issues.not_role_name')).waitFor();
  await dialog.getByLabel(text('roleScreen.name')).fill('clerk');
  await dialog.getByRole('button', { name: text('roleScreen.save') }).click();
  await dialog.waitFor({ state: 'detached' });
  await card('clerk').getByText(text('roleScreen.ownOnly')).waitFor();
  await card('clerk')
    .getByText(text('roleScreen.userCount', { count: 0 }))
    .waitFor();

  await page
    .getByRole('link', { name: text('roleScreen.users'), exact: true })
    .last()
    .click();
  await page.getByRole('button', { name: text('users.create') }).click();
  await dialog.getByLabel(text('users.username')).fill('carl');
  await dialog.getByLabel(text('users.email')).fill('carl@example.org');
  await dialog.getByText(text('roleHints.viewer')).waitFor();
  await dialog.getByRole('radio', { name: 'clerk' }).check();
  await dialog.getByLabel(text('users.password'), { exact: true }).fill(PASSWORD);
  t.deepEqual(await web.flaws('user-form-roles'), []);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  const carl = await served.anyone.login('carl');
  t.deepEqual((await carl.get('/api/auth/me')).body['permissions'], ['documents.read.own', 'labels.read']);

  await web.walk('/users/roles');
  await card('clerk')
    .getByText(text('roleScreen.userCount', { count: 1 }))
    .waitFor();
  t.is(await page.getByRole('button', { name: text('roleScreen.removeOf', { name: 'clerk' }) }).count(), 0);
  await page.getByRole('button', { name: text('roleScreen.editOf', { name: 'clerk' }) }).click();
  await tick(text('permissions.labels.read')).uncheck();
  await dialog.getByRole('button', { name: text('roleScreen.save') }).click();
  await dialog.waitFor({ state: 'detached' });
  t.deepEqual((await carl.get('/api/auth/me')).body['permissions'], ['documents.read.own']);

  const { body: me } = await carl.get('/api/auth/me');
  await served.admin.delete(`/api/users/${String(me['id'])}`);
  await page.reload();
  await page.getByRole('button', { name: text('roleScreen.removeOf', { name: 'clerk' }) }).click();
  await dialog.getByRole('button', { name: text('roleScreen.remove'), exact: true }).click();
  await card('clerk').waitFor({ state: 'detached' });
  t.deepEqual(web.offences, []);
});
