import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';

const test = testInChromium(async (own) => {
  const folder = own.use(await mkdtempDisposable(join(tmpdir(), 'sheaf-roles-')));
  const path = join(folder.path, 'roles.yml');
  await writeFile(path, 'roles:\n  clerk: {permissions: [documents.read]}\n');
  return apiAlone({ ROLES_FILE: path })(own);
});

test('with ROLES_FILE roles are shown, and the screen says why they cannot be changed', async (t) => {
  await using web = await t.context.open();
  const { page } = web;
  await web.signIn({ username: 'admin', password: 'correct horse battery' });
  await web.go('/users/roles');
  await page.getByText(text('roleScreen.fromFile')).waitFor();
  await page.getByRole('region', { name: 'clerk' }).getByText(text('permissions.documents.read')).waitFor();
  for (const button of [text('roleScreen.create'), text('roleScreen.editOf', { name: 'clerk' })])
    t.is(await page.getByRole('button', { name: button }).count(), 0);
});
