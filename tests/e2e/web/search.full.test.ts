import { makePdf } from '@sheaf/testkit';
import type { Page } from 'playwright-core';
import { READING_ALONE } from '../../support/given-service.ts';
import { testInChromium, wholeService } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { waitFor } from '../../support/wait-for.ts';

const PASSWORD = 'correct horse battery';
const ADMIN = { username: 'admin', password: PASSWORD };

const PAPERS = {
  'Lease of the flat': [
    ['Lease of a flat'],
    ['The landlord gives <b>the key</b> & two "spares" to the tenant.'],
    ['The rent is 800 a month.'],
  ],
  'Lease of the garage': [['The landlord rents out a garage, the tenant keeps a bicycle in it.']],
  'Invoice of the electricity works': [['Electricity used by the tenant: 1,200 kilowatt hours.']],
  'Rules of the house': [Array.from({ length: 48 }, (_, line) => (line < 47 ? 'Be good.' : 'Whistling is forbidden.'))],
} as const;

const test = testInChromium(async (own) => {
  const whole = await wholeService({}, READING_ALONE)(own);
  const admin = await whole.anyone.register('admin');
  const label = String((await admin.post('/api/labels', { name: 'Contracts' })).body['id']);
  const ids = new Map<string, string>();
  for (const [title, pages] of Object.entries(PAPERS)) {
    const bytes = new Uint8Array(makePdf(pages.map((lines) => ({ lines }))));
    const { body } = await admin.upload({ name: `${title}.pdf`, bytes }, title.startsWith('Lease') ? { labels: label } : {});
    ids.set(title, String(body['id']));
  }
  const note = await admin.upload({ name: 'note.txt', bytes: new TextEncoder().encode('Ask the tenant about the bicycle.') });
  for (const id of [...ids.values(), String(note.body['id'])]) await admin.waitForEnd(id);
  // the words of all documents are counted up a moment later
  await waitFor(async () => JSON.stringify((await admin.get('/api/search/suggest?q=landl')).body).includes('landlord'), {
    description: 'words to be suggested',
    limitMs: 30_000,
    everyMs: 200,
  });
  return { ...whole, admin, label, idOf: (title: string) => ids.get(title) ?? '' };
});

const hits = (page: Page): Promise<string[]> => page.locator('main [data-hit]').allTextContents();
const field = (page: Page) => page.getByRole('combobox', { name: text('search.placeholder') });

test('the keyboard alone: / goes to the field, words are suggested, results come while one types, arrows go through them, Esc leaves', async (t) => {
  const { open } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/labels');
  await page.keyboard.press('/');
  await page.keyboard.type('land');
  const list = page.getByRole('listbox', { name: text('search.placeholder') });
  await list.getByRole('option', { name: /^landlord/ }).waitFor();
  t.deepEqual(await web.flaws('search-suggestions'), []);
  await page.keyboard.press('ArrowDown');
  t.is(await list.getByRole('option', { selected: true }).count(), 1);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/search?q=landlord');
  await page
    .getByText(text('search.hits', { count: 2, isMore: false }))
    .first()
    .waitFor();
  t.deepEqual((await hits(page)).toSorted(), ['Lease of the flat', 'Lease of the garage']);

  await page.evaluate(`(() => {
    globalThis.fewestHits = Infinity;
    const count = () => { globalThis.fewestHits = Math.min(globalThis.fewestHits, document.querySelectorAll('main [data-hit]').length); };
    new MutationObserver(count).observe(document.querySelector('main'), { childList: true, subtree: true });
  })()`);
  await field(page).fill('landlord bicycle');
  await page.waitForURL('**/search?q=landlord+bicycle');
  await page
    .getByText(text('search.hits', { count: 1, isMore: false }), { exact: true })
    .first()
    .waitFor();
  t.deepEqual(await hits(page), ['Lease of the garage'], 'nobody has pressed Enter');
  await field(page).fill('tenant');
  await page
    .getByText(text('search.hits', { count: 4, isMore: false }), { exact: true })
    .first()
    .waitFor();
  t.is(await page.evaluate('globalThis.fewestHits'), 1, 'the old hits stay until the new ones are there');

  t.is(await page.getByRole('listbox').count(), 1);
  await page.keyboard.press('Escape');
  t.is(await page.getByRole('listbox').count(), 0, 'the suggestions go first');
  t.true(await field(page).evaluate((element) => element.matches(':focus')));
  await page.keyboard.press('Escape');
  t.false(await field(page).evaluate((element) => element.matches(':focus')));

  await page.locator('main [data-hit]').first().focus();
  await page.keyboard.press('ArrowDown');
  t.is(await page.locator('main [data-hit]:focus').textContent(), (await hits(page))[1] ?? null);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/documents/*');
  await page.goBack();
  await page.waitForURL('**/search?q=tenant');
  t.is(await field(page).inputValue(), 'tenant');
  t.deepEqual(web.offences, []);
});

test('a correspondent is suggested by the beginning of a word of its name, and choosing it finds its documents', async (t) => {
  const { open, served } = t.context;
  const { admin, idOf } = served;
  const { body } = await admin.post('/api/correspondents', { name: 'House & „Garden“ Zyx' });
  await admin.post('/api/documents/bulk', {
    ids: [idOf('Lease of the garage')],
    action: 'set_correspondent',
    correspondent_id: String(body['id']),
  });
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/labels');
  await field(page).fill('zy');
  const list = page.getByRole('listbox', { name: text('search.placeholder') });
  const option = list.getByRole('option', { name: /^House & „Garden“ Zyx/ });
  await option.getByText(text('filing.one.correspondent')).waitFor();
  t.deepEqual(await web.flaws('search-suggested-correspondent'), []);
  await page.keyboard.press('ArrowDown');
  t.is(await option.getAttribute('aria-selected'), 'true');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.searchParams.get('q') === 'from:"House &  Garden  Zyx"');
  await page.locator('main [data-hit]').first().waitFor();
  t.deepEqual(await hits(page), ['Lease of the garage']);
  await admin.delete(`/api/correspondents/${String(body['id'])}`);
});

test('documents are found while one types, with their pictures and the words marked, and open at the page of the hit', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/documents');
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/api/search') asked.push(searchParams.get('q') ?? '');
  });
  await field(page).click();
  await page.keyboard.type('the spar', { delay: 20 });
  const list = page.getByRole('listbox', { name: text('search.placeholder') });
  const option = list.getByRole('option', { name: /^Lease of the flat/ });
  await option.waitFor();
  t.deepEqual(asked, ['the spar*'], 'nothing is asked before a pause');
  t.deepEqual(await option.locator('mark').allTextContents(), ['spares']);
  t.is(await option.locator('.document-picture').count(), 1);
  t.deepEqual(await web.flaws('search-live-documents'), []);
  const options = await list.getByRole('option').count();
  for (let step = 0; step < options && (await option.getAttribute('aria-selected')) !== 'true'; step += 1)
    await page.keyboard.press('ArrowDown');
  t.is(await option.getAttribute('aria-selected'), 'true');
  t.deepEqual(await web.flaws('search-live-document-chosen'), []);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname === `/documents/${served.idOf('Lease of the flat')}` && url.searchParams.get('page') === '2');
  t.is(await page.getByRole('listbox').count(), 0);

  // an answer that comes too late is not waited for
  await web.go('/documents');
  const cancelled = page.waitForEvent('requestfailed', (request) => request.url().includes('q=garage'));
  await page.route('**/api/search?*q=garage*', () => undefined);
  await field(page).fill('garage');
  await page.waitForRequest((request) => request.url().includes('/api/search?q=garage'));
  await field(page).fill('kilowatt');
  await cancelled;
  await list.getByRole('option', { name: /^Invoice of the electricity works/ }).waitFor();
  t.true((await list.getByRole('option').count()) <= 10);
  t.deepEqual(web.offences, []);
});

test('hits are marked, what looks like markup is text, and a hit opens at its page with the words marked', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/search?q=spares');
  const snippet = page.locator('main li p').filter({ hasText: 'spares' });
  await snippet.waitFor();
  t.regex((await snippet.textContent()) ?? '', /<b>the key<\/b> & two "spares" to the tenant/);
  t.deepEqual(await snippet.locator('mark').allTextContents(), ['spares']);
  t.is(await snippet.locator('b').count(), 0);

  await page.locator('main [data-hit]').click();
  await page.waitForURL(`**/documents/${served.idOf('Lease of the flat')}?page=2&q=spares`);
  await page
    .getByText(text('document.page', { page: '2', total: '3' }))
    .first()
    .waitFor();
  const pageText = page.getByRole('group', { name: text('document.text') });
  await pageText.locator('mark', { hasText: 'spares' }).waitFor();
  // on the page itself too, where its words can be selected
  const marked = page.getByRole('group', { name: text('document.preview') }).locator('.pdf-text mark');
  await marked.waitFor();
  t.deepEqual(await marked.allTextContents(), ['spares']);
  await marked.dblclick();
  t.is((await page.evaluate(() => String(getSelection()))).trim(), 'spares');
  await page.getByRole('button', { name: text('search.nextPage') }).click();
  await pageText.getByText('The rent is 800 a month.').waitFor();
  await page.getByRole('link', { name: text('document.backToSearch') }).click();
  await page.waitForURL('**/search?q=spares');
  t.deepEqual(web.offences, []);
});

test('a hit at the foot of a page is scrolled to, and its mark is in sight', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(`/documents/${served.idOf('Rules of the house')}?page=1&q=whistling`);
  const preview = page.getByRole('group', { name: text('document.preview') });
  const mark = preview.locator('.pdf-text mark');
  const bottom = async (of: typeof mark): Promise<number> => {
    const box = await of.boundingBox();
    return (box?.y ?? Number.NaN) + (box?.height ?? Number.NaN);
  };
  await waitFor(async () => (await mark.count()) === 1 && (await bottom(mark)) < (await bottom(preview)), {
    description: 'the mark to be in sight',
    limitMs: 20_000,
  });
  t.deepEqual(web.offences, []);
});

test('facets narrow, with counts; typos are tolerated where that is asked for, and what was searched instead is told', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/search?q=tenant');
  await page
    .getByText(text('search.hits', { count: 4, isMore: false }), { exact: true })
    .first()
    .waitFor();
  const kinds = page.getByRole('group', { name: text('search.kinds') });
  t.regex((await kinds.textContent()) ?? '', /PDF3TXT1/);
  await kinds.getByLabel('TXT').check();
  await page
    .getByText(text('search.hits', { count: 1, isMore: false }), { exact: true })
    .first()
    .waitFor();
  t.deepEqual(await hits(page), ['note']);
  await page.getByRole('button', { name: text('search.clearFilters') }).click();
  await page
    .getByRole('group', { name: text('search.labels') })
    .getByLabel('Contracts')
    .check();
  await page
    .getByText(text('search.hits', { count: 2, isMore: false }), { exact: true })
    .first()
    .waitFor();
  t.is(new URL(page.url()).searchParams.get('labels'), served.label);
  await page.goBack();
  await page
    .getByText(text('search.hits', { count: 4, isMore: false }), { exact: true })
    .first()
    .waitFor();

  const year = String(new Date((await served.admin.document(served.idOf('Lease of the flat')))['created_at'] as string).getUTCFullYear());
  await page
    .getByRole('group', { name: text('search.years') })
    .getByLabel(year)
    .check();
  await page.waitForURL(`**/search?q=tenant&from=${year}-01-01&to=${year}-12-31`);
  await page
    .getByText(text('search.hits', { count: 4, isMore: false }), { exact: true })
    .first()
    .waitFor();
  await page.getByRole('textbox', { name: text('search.from') }).fill(`${Number(year) + 1}-01-01`);
  await page.getByRole('heading', { name: text('search.nothing') }).waitFor();
  await page.getByRole('button', { name: text('search.clearFilters') }).click();
  await page.getByRole('slider', { name: text('search.confidence') }).press('End');
  await page.waitForURL('**/search?q=tenant&confidence=100');
  await page.reload();
  const atLeast = page.getByText(new RegExp(`^${text('search.confidence')}: `)).filter({ visible: true });
  await atLeast.filter({ hasText: '100%' }).waitFor();
  await page.goBack();
  await page.waitForURL('**/search?q=tenant');
  await atLeast.filter({ hasText: text('search.anyConfidence') }).waitFor();
  await page.getByRole('combobox', { name: text('search.sort') }).selectOption('byTitle');
  await page.waitForURL('**/search?q=tenant&sort=byTitle');
  await waitFor(async () => (await hits(page))[0] === 'Invoice of the electricity works', {
    description: 'the order by title',
    limitMs: 20_000,
  });
  await page.reload();
  await page.locator('main [data-hit]').first().waitFor();
  t.is((await hits(page))[0], 'Invoice of the electricity works');

  await page.getByRole('button', { name: text('search.help') }).click();
  await page.getByRole('dialog').getByText('label:2026').waitFor();
  await page.keyboard.press('Escape');

  await field(page).fill('electrizity');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: text('search.nothing') }).waitFor();
  await page.getByText(text('search.didYouMean')).waitFor();
  t.deepEqual(await web.flaws('search-did-you-mean'), []);
  await page.getByRole('button', { name: 'electricity', exact: true }).click();
  await page.waitForURL('**/search?q=electricity**');
  await page.locator('main [data-hit]').first().waitFor();
  t.is(await field(page).inputValue(), 'electricity');
  await field(page).fill('qxzvkjw');
  await page.keyboard.press('Enter');
  await page.getByText(text('search.fewerWords')).waitFor();
  t.is(await page.getByRole('button', { name: 'Search again' }).count(), 0, 'what does not help is not offered');

  await field(page).fill('electrizity');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: text('search.tryFuzzy') }).click();
  await page.locator('main [data-hit]').waitFor();
  t.deepEqual(await hits(page), ['Invoice of the electricity works']);
  await page.getByText(`${text('search.searchedFor')} electricity`).waitFor();
  t.deepEqual(await web.flaws('search-fuzzy'), []);
  await page.locator('main [data-hit]').click();
  await page
    .getByRole('group', { name: text('document.text') })
    .locator('mark')
    .first()
    .waitFor();
  t.deepEqual(web.offences, []);
});

test('the facts of documents narrow, are told with each hit, and stand above the hits to be taken away', async (t) => {
  const { open, served } = t.context;
  const flat = served.idOf('Lease of the flat');
  await served.admin.send('PATCH', `/api/documents/${flat}`, { document_date: '2024-03-05' });
  await served.admin.send('PATCH', `/api/documents/${served.idOf('Lease of the garage')}`, { document_date: '2023-06-01' });
  await served.admin.post(`/api/documents/${flat}/notes`, { text: 'The tenant asked for a bailiff.' });
  await served.given.database.pool.query(
    `with acme as (insert into correspondents (id, name) values (gen_random_uuid(), 'Acme <Homes>') returning id),
       lease as (insert into document_types (id, name) values (gen_random_uuid(), 'Tenancy') returning id)
     update documents set correspondent_id = acme.id, document_type_id = lease.id from acme, lease where documents.id = $1`,
    [flat],
  );
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/search?q=tenant');
  const only = (count: number): Promise<void> =>
    page
      .getByText(text('search.hits', { count, isMore: false }), { exact: true })
      .first()
      .waitFor();
  await only(4);
  await page.getByText(`Acme <Homes> · Tenancy · ${text('search.documentDate', { day: 'Mar 5, 2024' })}`).waitFor();
  await page
    .getByRole('group', { name: text('search.correspondents') })
    .getByLabel('Acme <Homes>')
    .check();
  await only(1);
  await page
    .getByRole('group', { name: text('search.documentTypes') })
    .getByLabel('Tenancy')
    .check();
  await page
    .getByRole('group', { name: text('search.documentYears') })
    .getByLabel('2024')
    .check();
  await page.waitForURL('**&dated=2024-01-01&datedTo=2024-12-31');
  const chips = page.getByRole('list', { name: text('search.activeFilters') });
  t.deepEqual(await chips.getByRole('listitem').allTextContents(), ['Acme <Homes>', 'Tenancy', '2024']);
  t.deepEqual(await web.flaws('search-facts'), []);
  for (const name of ['Acme <Homes>', 'Tenancy', '2024'])
    await page.getByRole('button', { name: text('search.removeFilter', { name }) }).click();
  await only(4);
  t.is(await chips.count(), 0);
  await page.getByRole('textbox', { name: text('search.documentDateTo') }).fill('2023-12-31');
  await only(1);
  t.deepEqual(await hits(page), ['Lease of the garage']);
  await page.getByRole('button', { name: text('search.clearFilters') }).click();
  await page.getByRole('combobox', { name: text('search.sort') }).selectOption('byDocumentDate');
  await waitFor(async () => (await hits(page)).slice(0, 2).join() === 'Lease of the flat,Lease of the garage', {
    description: 'the order by the date of the document',
    limitMs: 20_000,
  });
  await field(page).fill('note:bailiff');
  await only(1);
  await page.getByText(`${text('search.inNote')} The tenant asked for a bailiff.`).waitFor();
  t.deepEqual(web.offences, []);
});

test('on a telephone the filters unfold above the results', async (t) => {
  const { open } = t.context;
  await using web = await open({ size: 'telephone' });
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/search?q=tenant');
  await page
    .getByText(text('search.hits', { count: 4, isMore: false }), { exact: true })
    .first()
    .waitFor();
  await page.getByRole('button', { name: text('search.filters') }).click();
  await page
    .getByRole('group', { name: text('search.kinds') })
    .getByLabel('TXT')
    .check();
  await page
    .getByText(text('search.hits', { count: 1, isMore: false }), { exact: true })
    .first()
    .waitFor();
  t.deepEqual(await web.flaws('search-filters'), []);
});

test('what of a query is not understood is said above the results', async (t) => {
  const { open } = t.context;
  for (const size of ['desktop', 'telephone'] as const) {
    await using web = await open({ size });
    const { page } = web;
    await web.signIn(ADMIN);
    await web.go('/documents');
    await field(page).fill('foo:bar');
    await page.keyboard.press('Enter');
    const warnings = page.getByRole('main').getByRole('status');
    await warnings.getByText(text('search.warnUnknownField', { part: 'foo:bar' })).waitFor();
    t.deepEqual(await web.flaws('search-unknown-field'), []);
    await field(page).fill('tenant date:someday field.Nothing:3');
    await page.keyboard.press('Enter');
    await warnings.getByText(text('search.warnInvalidValue', { part: 'date:someday' })).waitFor();
    await warnings.getByText(text('search.warnUnknownCustomField', { part: 'Nothing' })).waitFor();
    t.deepEqual(await web.flawsInTheDark('search-warnings'), []);
    await field(page).fill('tenant');
    await page.keyboard.press('Enter');
    await page
      .getByRole('main')
      .getByText(text('search.warnInvalidValue', { part: 'date:someday' }))
      .waitFor({ state: 'detached' });
    t.deepEqual(web.offences, []);
  }
});
