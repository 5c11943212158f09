import { givenDocument } from '@sheaf/testkit';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { waitFor } from '../../support/wait-for.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };

const test = testInChromium(apiAlone());

test('an administrator makes a field, a document gets values, and the field goes with the number of these', async (t) => {
  const { open, served } = t.context;
  const { admin, database } = served;
  const { id } = await givenDocument(database.db, { ownerId: String((await admin.get('/api/auth/me')).body['id']) });
  for (const [name, type] of [
    ['Price', 'amount'],
    ['Due', 'date'],
    ['Pages', 'number'],
    ['Site', 'url'],
    ['Paid', 'boolean'],
  ] as const)
    await admin.post('/api/fields', { name, type });
  const isStored = (fields: Readonly<Record<string, unknown>>): Promise<true> =>
    waitFor(
      async () => (JSON.stringify((await admin.get(`/api/documents/${id}`)).body['fields']) === JSON.stringify(fields) ? true : undefined),
      { description: `the document to have ${JSON.stringify(fields)}`, limitMs: 20_000 },
    );
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/system');
  await page.getByRole('link', { name: text('customFields.title') }).click();
  await page.getByRole('button', { name: text('customFields.create') }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel(text('customFields.name')).fill('price');
  await form.getByRole('button', { name: text('customFields.save') }).click();
  await form.getByText(text('errors.field_exists', { name: 'price' })).waitFor();
  await form.getByLabel(text('customFields.name')).fill('State');
  await form.getByLabel(text('customFields.type')).selectOption('choice');
  await form.getByLabel(text('customFields.choices')).fill('open\n\n two words ');
  t.deepEqual(await web.flaws('custom-field-form'), []);
  await form.getByRole('button', { name: text('customFields.save') }).click();
  await page.getByRole('cell', { name: 'State', exact: true }).waitFor();
  t.deepEqual(await web.flaws('custom-fields'), []);

  await web.go(`/documents/${id}`);
  const card = page.getByRole('region', { name: text('customFields.title') });
  const add = (name: string) => card.getByLabel(text('customFields.add')).selectOption({ label: name });
  const isEmpty = (names: readonly string[]): Promise<true> =>
    waitFor(
      async () =>
        JSON.stringify((await admin.get(`/api/documents/${id}`)).body['empty_fields']) === JSON.stringify(names) ? true : undefined,
      { description: `the document to have ${JSON.stringify(names)} without a value`, limitMs: 20_000 },
    );
  await add('Pages');
  t.true(await isEmpty(['Pages']));
  await page.reload();
  await card.getByLabel('Pages', { exact: true }).fill('3');
  await card.getByLabel('Pages', { exact: true }).blur();
  t.true(await isStored({ Pages: 3 }));
  await page.reload();
  await card.getByLabel('Pages', { exact: true }).fill('');
  await card.getByLabel('Pages', { exact: true }).blur();
  t.true(await isEmpty(['Pages']));
  t.true(await isStored({}));
  await card.getByRole('button', { name: text('customFields.removeValue', { name: 'Pages' }) }).click();
  t.true(await isEmpty([]));
  await card.getByLabel('Pages', { exact: true }).waitFor({ state: 'detached' });
  await add('State');
  await card.getByLabel('State', { exact: true }).selectOption('two words');
  t.true(await isStored({ State: 'two words' }));
  await add('Price');
  // what was added has the focus, and Tab leads on
  await page.keyboard.type('12,5');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  t.true(await isStored({ Price: { amount: '12.50', currency: 'EUR' }, State: 'two words' }));
  await add('Site');
  await card.getByLabel('Site', { exact: true }).fill('javascript:alert(1)');
  await card.getByLabel('Site', { exact: true }).blur();
  await card.getByText(text('issues.not_address')).waitFor();
  await card.getByLabel('Site', { exact: true }).fill('https://example.org/');
  await card.getByLabel('Site', { exact: true }).blur();
  t.is(await card.getByRole('link', { name: text('customFields.open', { name: 'Site' }) }).getAttribute('href'), 'https://example.org/');
  await add('Paid');
  await card.getByLabel('Paid', { exact: true }).selectOption('false');
  t.true(await isStored({ Paid: false, Price: { amount: '12.50', currency: 'EUR' }, Site: 'https://example.org/', State: 'two words' }));
  t.deepEqual(await web.flaws('document-fields'), []);
  for (const name of ['Price', 'Site', 'Paid'])
    await card.getByRole('button', { name: text('customFields.removeValue', { name }) }).click();
  t.true(await isStored({ State: 'two words' }));

  await web.go('/system/fields');
  await page.getByRole('button', { name: text('customFields.removeOf', { name: 'State' }) }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(text('customFields.removeHint', { count: 1 })).waitFor();
  await dialog.getByRole('button', { name: text('customFields.remove') }).click();
  await page.getByRole('cell', { name: 'State', exact: true }).waitFor({ state: 'detached' });
  t.true(await isStored({}));
});

test('a field is offered for a document type, and merged into another one of its type', async (t) => {
  const { open, served } = t.context;
  const { admin, database } = served;
  const ownerId = String((await admin.get('/api/auth/me')).body['id']);
  const { id } = await givenDocument(database.db, { ownerId });
  const make = async (path: string, body: Readonly<Record<string, unknown>>): Promise<string> =>
    String((await admin.post(path, body)).body['id']);
  const contract = await make('/api/document-types', { name: 'Contract' });
  await make('/api/fields', { name: 'Client number', type: 'text' });
  const kept = await make('/api/fields', { name: 'Customer number', type: 'text' });
  await make('/api/fields', { name: 'Length', type: 'number' });
  await admin.send('PATCH', `/api/documents/${id}`, { fields: { 'Client number': '4711' } });
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/system/fields');
  const dialog = page.getByRole('dialog');
  const edit = page.getByRole('button', { name: text('customFields.editOf', { name: 'Customer number' }) });
  const offered = dialog.getByLabel(text('customFields.offeredFor'), { exact: true });
  await edit.click();
  await offered.fill('contr');
  await page.getByRole('option', { name: 'Contract' }).click();
  t.deepEqual(await web.flaws('custom-field-offered'), []);
  await dialog.getByRole('button', { name: text('customFields.save') }).click();
  await dialog.waitFor({ state: 'detached' });
  t.is((await admin.get(`/api/fields/${kept}`)).body['document_type_id'], contract);
  await edit.click();
  await waitFor(async () => (await offered.inputValue()) === 'Contract', { description: 'the type of the field', limitMs: 20_000 });
  await dialog.getByRole('button', { name: text('filing.clear', { field: text('customFields.offeredFor') }) }).click();
  await dialog.getByRole('button', { name: text('customFields.save') }).click();
  await dialog.waitFor({ state: 'detached' });
  t.is((await admin.get(`/api/fields/${kept}`)).body['document_type_id'], null);

  await page.getByRole('button', { name: text('filing.mergeOf', { name: 'Client number' }) }).click();
  await dialog.getByText(text('customFields.mergeHint', { name: 'Client number', count: 1 })).waitFor();
  await dialog.getByLabel(text('filing.mergeInto'), { exact: true }).click();
  await page.getByRole('option', { name: 'Customer number' }).waitFor();
  t.is(await page.getByRole('option', { name: 'Length' }).count(), 0, 'of another type');
  await page.getByRole('option', { name: 'Customer number' }).click();
  const merge = dialog.getByRole('button', { name: text('filing.merge'), exact: true });
  await merge.click({ trial: true }); // once it is enabled its colours are its own
  t.deepEqual(await web.flaws('custom-field-merge'), []);
  await merge.click();
  await page.getByRole('cell', { name: 'Client number', exact: true }).waitFor({ state: 'detached' });
  t.deepEqual((await admin.get(`/api/documents/${id}`)).body['fields'], { 'Customer number': '4711' });
});

test('who may not change documents reads what stands in their fields', async (t) => {
  const { open, served } = t.context;
  const { admin, database } = served;
  const { id } = await givenDocument(database.db, { ownerId: String((await admin.get('/api/auth/me')).body['id']) });
  await admin.post('/api/fields', { name: 'Contract <b>number</b>', type: 'text' });
  await admin.send('PATCH', `/api/documents/${id}`, { fields: { 'Contract <b>number</b>': '<i>7</i>' } });
  await admin.register('field-reader', 'viewer');
  await using web = await open();
  const { page } = web;
  await web.signIn({ username: 'field-reader', password: ADMIN.password });
  await web.go(`/documents/${id}`);
  const card = page.getByRole('region', { name: text('customFields.title') });
  t.is(await card.getByLabel('Contract <b>number</b>').inputValue(), '<i>7</i>');
  t.is(await card.getByRole('button').count(), 0);
  t.is(await card.getByRole('combobox').count(), 0);
});

test('integers are whole, a new amount has the currency of its field, and a choice in use goes only when that is confirmed', async (t) => {
  const { open, served } = t.context;
  const { admin, database } = served;
  const { id } = await givenDocument(database.db, { ownerId: String((await admin.get('/api/auth/me')).body['id']) });
  await using web = await open({ size: 'telephone' });
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/system/fields');
  const form = page.getByRole('dialog');
  const save = form.getByRole('button', { name: text('customFields.save') });
  const create = async (name: string, type: string): Promise<void> => {
    await page
      .getByRole('button', { name: text('customFields.create') })
      .first()
      .press('Enter');
    await form.getByLabel(text('customFields.name')).fill(name);
    await form.getByLabel(text('customFields.type')).selectOption(type);
  };
  await create('Fee', 'amount');
  await form.getByLabel(text('customFields.defaultCurrency')).fill('fr');
  await save.press('Enter');
  await form.getByText(text('issues.not_currency')).waitFor();
  t.deepEqual(await web.flaws('custom-field-currency'), []);
  await form.getByLabel(text('customFields.defaultCurrency')).fill('chf');
  await save.press('Enter');
  await form.waitFor({ state: 'detached' });
  await create('Pieces', 'integer');
  await save.press('Enter');
  await form.waitFor({ state: 'detached' });
  await create('Shelf', 'choice');
  await form.getByLabel(text('customFields.choices')).fill('left\nright');
  await save.press('Enter');
  await form.waitFor({ state: 'detached' });

  await web.go(`/documents/${id}`);
  const card = page.getByRole('region', { name: text('customFields.title') });
  const add = (name: string) => card.getByLabel(text('customFields.add')).selectOption({ label: name });
  await add('Pieces');
  await page.keyboard.type('3.5');
  await page.keyboard.press('Tab');
  await card.getByText(text('customFields.notInteger')).waitFor();
  await card.getByLabel('Pieces', { exact: true }).fill('3');
  await page.keyboard.press('Tab');
  await card.getByText(text('customFields.notInteger')).waitFor({ state: 'detached' });
  await add('Fee');
  await page.keyboard.type('20');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await add('Shelf');
  await card.getByLabel('Shelf', { exact: true }).selectOption('right');
  const fields = { Fee: { amount: '20.00', currency: 'CHF' }, Pieces: 3, Shelf: 'right' };
  await waitFor(async () => JSON.stringify((await admin.get(`/api/documents/${id}`)).body['fields']) === JSON.stringify(fields), {
    description: 'the values to be stored',
    limitMs: 20_000,
  });

  await web.go('/system/fields');
  const edit = page.getByRole('button', { name: text('customFields.editOf', { name: 'Shelf' }) });
  await edit.press('Enter');
  await form.getByLabel(text('customFields.choices')).fill('left');
  await save.press('Enter');
  await form
    .getByRole('alert')
    .filter({ hasText: text('customFields.choiceInUse', { count: 1 }) })
    .waitFor();
  t.deepEqual([...(await web.flaws('custom-field-choice-in-use')), ...(await web.flawsInTheDark('custom-field-choice-in-use'))], []);
  await form.getByLabel(text('customFields.removeValues', { count: 1 })).press('Space');
  await save.press('Enter');
  await form.waitFor({ state: 'detached' });
  t.deepEqual((await admin.get(`/api/documents/${id}`)).body['fields'], { Fee: fields.Fee, Pieces: 3 });
  await page.locator(':focus').and(edit).waitFor();
  await page.getByRole('button', { name: text('customFields.removeOf', { name: 'Pieces' }) }).press('Enter');
  await form.getByText(text('customFields.removeHint', { count: 1 })).waitFor();
  t.deepEqual(await web.flawsInTheDark('custom-field-delete'), []);
  await form.getByRole('button', { name: text('customFields.remove') }).press('Enter');
  await form.waitFor({ state: 'detached' });
  t.deepEqual((await admin.get(`/api/documents/${id}`)).body['fields'], { Fee: fields.Fee });
  t.deepEqual(web.offences, []);
});
