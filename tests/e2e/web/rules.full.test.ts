import { savePages } from '@sheaf/documents/pages';
import { indexDocument } from '@sheaf/search';
import { givenDocument } from '@sheaf/testkit';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { waitFor } from '../../support/wait-for.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };

const test = testInChromium(apiAlone());

test('a rule is written, tried, saved, applied, told with the document, and undone', async (t) => {
  const { open, served } = t.context;
  const { admin, database } = served;
  const { body: me } = await admin.get('/api/auth/me');
  const { id } = await givenDocument(database.db, { ownerId: String(me['id']), title: 'Letter of the walrus', status: 'completed' });
  await savePages(database.db, id, [{ page: 1, content: 'a walrus invoice', confidence: 1, origin: 'text' }]);
  await indexDocument(database.db, id);
  await admin.post('/api/labels', { name: 'sea', color: '#123456' });
  const labels = async (): Promise<unknown> => (await admin.get(`/api/documents/${id}`)).body['labels'];
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/rules');
  await page
    .getByRole('button', { name: text('rules.create') })
    .first()
    .click();
  const form = page.getByRole('dialog');
  await form.getByLabel(text('rules.name')).fill('Sea');
  await form.getByLabel(text('rules.query')).fill('walrus -draft');
  const picker = form.getByRole('group', { name: text('rules.sets') }).getByLabel(text('rules.addLabels'));
  await picker.fill('sea');
  await picker.press('Enter');
  await form.getByText('sea', { exact: true }).first().waitFor();
  await form.getByRole('button', { name: text('rules.try') }).click();
  const result = form.getByRole('status').filter({ hasText: 'Letter of the walrus' });
  await result.getByText(text('rules.wouldChange', { count: 1 })).waitFor();
  t.deepEqual(await web.flaws('rules-form'), []);
  t.deepEqual(await labels(), [], 'trying changes nothing');
  await form.getByLabel(text('rules.query')).fill('walrus');
  await result.waitFor({ state: 'detached' });
  await form.getByRole('button', { name: text('rules.save') }).click();
  await form.waitFor({ state: 'detached' });
  await page.getByRole('table').getByText('walrus').waitFor();
  t.deepEqual(await web.flaws('rules'), []);

  await page.getByRole('button', { name: text('rules.applyOf', { name: 'Sea' }) }).press('Enter');
  await page.getByText(text('rules.applied', { count: 1 })).waitFor();
  t.deepEqual(await labels(), ['sea']);
  await web.go(`/documents/${id}`);
  const history = page.getByRole('region', { name: text('document.history') });
  await history.getByText(text('document.setByRule', { name: 'Sea' })).waitFor();
  t.deepEqual(await web.flaws('document-rule-changes'), []);

  await web.go('/rules');
  await page.getByRole('button', { name: text('rules.undoOf', { name: 'Sea' }) }).click();
  await page.getByText(text('rules.undone', { count: 1 })).waitFor();
  t.deepEqual(await labels(), []);
  await page.getByRole('switch', { name: text('rules.isEnabledOf', { name: 'Sea' }) }).press('Space');
  await waitFor(async () => ((await admin.get('/api/rules')).body['rules'] as { is_enabled: boolean }[])[0]?.is_enabled === false, {
    description: 'the rule to be disabled',
    limitMs: 10_000,
  });
});

test('a rule sets a correspondent that is chosen by name, and names it when it is edited', async (t) => {
  const { open, served } = t.context;
  const { admin } = served;
  const { body: correspondent } = await admin.post('/api/correspondents', { name: 'Northwind Power' });
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/rules');
  await page
    .getByRole('button', { name: text('rules.create') })
    .first()
    .click();
  const form = page.getByRole('dialog');
  await form.getByLabel(text('rules.name')).fill('Power');
  await form.getByLabel(text('rules.query')).fill('kilowatt');
  const field = form.getByRole('textbox', { name: text('rules.setCorrespondent') });
  await field.fill('north');
  await page.getByRole('option', { name: 'Northwind Power' }).click();
  await form.getByRole('button', { name: text('rules.save') }).click();
  await form.waitFor({ state: 'detached' });
  const { body } = await admin.get('/api/rules');
  const rule = (body['rules'] as { name: string; actions: unknown[] }[]).find(({ name }) => name === 'Power');
  t.deepEqual(rule?.actions, [{ set: 'correspondent', id: correspondent['id'] }]);
  await page.getByRole('button', { name: text('rules.editOf', { name: 'Power' }) }).click();
  await waitFor(async () => (await field.inputValue()) === 'Northwind Power', { description: 'the name to be shown', limitMs: 20_000 });
  t.pass();
});

test('an administrator writes a rule that sets owner and custom field, and sees both when it is edited', async (t) => {
  const { open, served } = t.context;
  const { admin } = served;
  const ann = await admin.register('ann', 'editor');
  const { body: me } = await ann.get('/api/auth/me');
  const { body: field } = await admin.post('/api/fields', { name: 'Cost centre', type: 'text' });
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/rules');
  await page
    .getByRole('button', { name: text('rules.create') })
    .first()
    .click();
  const form = page.getByRole('dialog');
  await form.getByLabel(text('rules.name')).fill('Owned');
  await form.getByLabel(text('rules.query')).fill('narwhal');
  const owner = form.getByRole('combobox', { name: text('rules.setOwner') });
  await owner.fill('ann');
  await page.getByRole('option', { name: 'ann', exact: true }).click();
  await form.getByLabel(text('rules.addField')).selectOption('Cost centre');
  const value = form.getByRole('textbox', { name: 'Cost centre' });
  await value.fill('4711');
  await value.press('Enter');
  t.deepEqual(await web.flaws('rules-form-fields'), []);
  await form.getByRole('button', { name: text('rules.save') }).click();
  await form.waitFor({ state: 'detached' });
  const { body } = await admin.get('/api/rules');
  const rule = (body['rules'] as { name: string; actions: unknown[] }[]).find(({ name }) => name === 'Owned');
  t.deepEqual(rule?.actions, [
    { set: 'owner', id: me['id'] },
    { set: 'field', id: field['id'], value: '4711' },
  ]);
  await page.getByRole('button', { name: text('rules.editOf', { name: 'Owned' }) }).click();
  await waitFor(async () => (await owner.inputValue()) === 'ann', { description: 'the owner to be shown', limitMs: 20_000 });
  t.is(await value.inputValue(), '4711');
});
