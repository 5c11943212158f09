import { deleteDocument } from '@sheaf/documents';
import { foldTermStatistics } from '@sheaf/search';
import { givenLabel, openLibrary, testWithDatabases } from './library.ts';

const test = testWithDatabases();

test('all words must match, wherever they are, in any form and case', async (t) => {
  const { put, titles } = await openLibrary(t.context.db);
  await put({ title: 'Heating', pages: ['The boilers were', 'inspected in spring'] });
  await put({ title: 'Plumbing', pages: ['The pipes were inspected'] });
  t.deepEqual(await titles('BOILER inspection'), ['Heating']);
  t.deepEqual(await titles('heating spring'), ['Heating']);
  t.deepEqual((await titles('inspect')).toSorted(), ['Heating', 'Plumbing']);
  t.deepEqual(await titles('boiler pipe'), []);
});

test('phrases, exclusions, alternatives, prefixes and fields', async (t) => {
  const { put, titles } = await openLibrary(t.context.db);
  await givenLabel(t.context.db, 'Tax 2024');
  const [label] = (await t.context.pool.query<{ id: string }>('select id from labels')).rows.map((row) => row.id);
  await put({ title: 'a', filename: 'letter_from_bank.pdf', pages: ['terms of the agreement'], labels: [label ?? ''] });
  await put({ title: 'b', pages: ['agreement of the terms, universities'] });
  t.deepEqual(await titles('"terms of the agreement"'), ['a']);
  t.deepEqual(await titles('terms -universities'), ['a']);
  t.deepEqual(await titles('terms -"terms of the agreement"'), ['b']);
  t.deepEqual((await titles('university OR bank')).toSorted(), ['a', 'b']);
  t.deepEqual(await titles('univers*'), ['b']);
  t.deepEqual(await titles('filename:bank'), ['a']);
  t.deepEqual(await titles('title:b'), ['b']);
  t.deepEqual(await titles('title:bank'), []);
  t.deepEqual(await titles('label:"tax 2024"'), ['a']);
  t.deepEqual(await titles('agreement -label:"TAX 2024"'), ['b']);
  t.deepEqual((await titles('label:"tax 2024" OR universities')).toSorted(), ['a', 'b']);
});

test('numbers with signs, addresses and tags are found by their parts and as a whole', async (t) => {
  const { put, titles } = await openLibrary(t.context.db);
  await put({
    title: 'a',
    pages: ['Invoice INV-2024-0017 of 2024-01-15, <b>paid</b> to office@example.org, see https://example.org/terms/x.html'],
  });
  for (const q of ['INV-2024-0017', '0017', '2024-01-15', '"office example"', 'office@example.org', 'example', 'terms/x', '"INV 2024"'])
    t.deepEqual(await titles(q), ['a'], q);
  t.deepEqual(await titles('2024-15-01'), []);
});

test('a phrase does not reach from the title into the text', async (t) => {
  const { put, titles } = await openLibrary(t.context.db);
  await put({ title: 'Letter', filename: 'x.pdf', pages: ['bank statement'] });
  t.deepEqual(await titles('"letter bank"'), []);
  t.deepEqual(await titles('"pdf bank"'), []);
});

test('accents do not matter, in the text or in the query', async (t) => {
  const { put, titles } = await openLibrary(t.context.db);
  await put({ title: 'composed', pages: ['Café Zürich'] });
  await put({ title: 'combining', pages: ['Cafe\u0301 Zu\u0308rich'] });
  await put({ title: 'plain', pages: ['Cafe Zurich'] });
  for (const q of ['café zürich', 'cafe zurich', 'CAFE\u0301 ZU\u0308RICH', '"Café Zurich"', 'zür*'])
    t.deepEqual((await titles(q)).toSorted(), ['combining', 'composed', 'plain'], q);
});

test('a document is found by the forms of its own language, and one query asks in all of them', async (t) => {
  const { put, titles } = await openLibrary(t.context.db);
  await put({ title: 'deutsch', language: 'deu', pages: ['Die Häuser der Straße, Rechnungen von Müller'] });
  await put({ title: 'english', language: 'eng', pages: ['The houses of Mueller and Müller'] });
  await put({ title: 'français', language: 'fra', pages: ['Les factures annulés de Müller'] });
  await put({ title: '日本語', language: 'jpn', pages: ['すべての人間は、生まれながらにして自由であり'] });
  t.deepEqual(await titles('Haus Rechnung'), ['deutsch']);
  t.deepEqual(await titles('strasse'), ['deutsch']);
  t.deepEqual(await titles('house'), ['english']);
  t.deepEqual(await titles('facture annulé'), ['français']);
  t.deepEqual((await titles('müller')).toSorted(), ['deutsch', 'english', 'français']);
  t.deepEqual(await titles('die haus'), ['deutsch'], 'a stop word of the language asks for nothing there');
  t.deepEqual(await titles('人間'), ['日本語']);
  t.deepEqual(await titles('間人'), []);
});

test('stop words alone find nothing, beside others they say nothing', async (t) => {
  const { put, titles } = await openLibrary(t.context.db);
  await put({ title: 'a', pages: ['house'] });
  t.deepEqual(await titles('the'), []);
  t.deepEqual(await titles('the house'), ['a']);
  t.deepEqual(await titles('the OR house'), ['a']);
});

test('words with one or two typos are corrected by the words of the index, but only if that is asked for', async (t) => {
  const { put, titles } = await openLibrary(t.context.db);
  await put({ title: 'a', pages: ['The invoice for electricity'] });
  await put({ title: 'b', pages: ['Received with thanks'] });
  await foldTermStatistics(t.context.db);
  t.deepEqual(await titles('invioce electrcity'), []);
  t.deepEqual(await titles('invioce electrcity', { fuzzy: true }), ['a']);
  t.deepEqual(await titles('recieved', { fuzzy: true }), ['b']);
  t.deepEqual(await titles('elephant', { fuzzy: true }), []);
  t.deepEqual(await titles('thanks', { fuzzy: true }), ['b']);
});

test('a deleted document is found no more', async (t) => {
  const { put, titles } = await openLibrary(t.context.db);
  const id = await put({ title: 'gone', pages: ['word'] });
  t.deepEqual(await titles('word'), ['gone']);
  await deleteDocument(t.context.db, id);
  t.deepEqual(await titles('word'), []);
});

test('a beginning that is longer than the stem of the word it belongs to finds it', async (t) => {
  const { put, titles } = await openLibrary(t.context.db);
  await put({ title: 'a', pages: ['the university library'] });
  await put({ title: 'b', pages: ['das Rechnungsjahr und die Rechnungen'], language: 'deu' });
  await put({ title: 'c', pages: ['nothing but germs'] });
  for (const q of ['uni*', 'univers*', 'universi*', 'universit*', 'university*', '"the universit"*'])
    t.deepEqual(await titles(q), ['a'], q);
  for (const q of ['rechn*', 'rechnung*', 'rechnungen*']) t.deepEqual(await titles(q), ['b'], q);
  t.deepEqual(await titles('german*'), []);
});
