import { foldTermStatistics } from '@sheaf/search';
import { givenUser, principalOf } from '@sheaf/testkit';
import { openLibrary, testWithDatabases } from './library.ts';

const test = testWithDatabases();

const marksIn = (snippets: readonly { snippet: string }[]): string[] =>
  snippets.flatMap(({ snippet }) => [...snippet.matchAll(/<mark>(.*?)<\/mark>/g)].map(([, text = '']) => text));

// Newer German stemmers take both spellings for one word, so this is about documents whose language is another one or not known.
test('umlauts are found by ae, oe, ue and ss, and these by umlauts', async (t) => {
  const { put, ask, titles } = await openLibrary(t.context.db);
  await put({
    title: 'umlauts',
    pages: ['Die Würde des Menschen. Größe der Häuser in der Straße, Übergabe der Schlüssel.'],
  });
  await put({
    title: 'digraphs',
    pages: ['Die Wuerde des Menschen. Groesse der Haeuser in der Strasse, Uebergabe der Schluessel.'],
  });
  await put({ title: 'neither', pages: ['Das ist ein anderer Text.'] });
  for (const fold of [false, true]) {
    if (fold) await foldTermStatistics(t.context.db);
    for (const [typed, other] of [
      ['Wuerde', 'Würde'],
      ['Groesse', 'Größe'],
      ['Haeuser', 'Häuser'],
      ['UEBERGABE', 'Übergabe'],
      ['schluessel', 'Schlüssel'],
      ['"Groesse der Haeuser"', 'Größe'],
    ] as const) {
      t.deepEqual(await titles(typed), ['digraphs', 'umlauts'], `${typed}: as it is typed first`);
      const { results } = await ask(typed);
      t.true(
        marksIn(results[1]?.highlights ?? []).some((mark) => mark.includes(other)),
        `${typed}: ${JSON.stringify(results[1]?.highlights)}`,
      );
    }
    for (const typed of ['Würde', 'GRÖSSE', 'häuser', 'Übergabe', '"Übergabe der Schlüssel"'])
      t.deepEqual(await titles(typed), ['umlauts', 'digraphs'], typed);
    t.deepEqual((await titles('Strasse')).toSorted(), ['digraphs', 'umlauts']);
    t.deepEqual((await titles('Straße')).toSorted(), ['digraphs', 'umlauts']);
  }
});

test('German documents are found by both spellings, whatever their stemmer does', async (t) => {
  const { put, titles } = await openLibrary(t.context.db);
  await put({ title: 'umlauts', language: 'deu', pages: ['Die Größe der Häuser, Übergabe der Schlüssel.'] });
  await put({ title: 'digraphs', language: 'deu', pages: ['Die Groesse der Haeuser, Uebergabe der Schluessel.'] });
  for (const typed of ['Groesse', 'Größe', 'Haeuser', 'Häuser', 'Uebergabe', 'Übergabe', 'Schluessel', 'Schlüssel'])
    t.deepEqual((await titles(typed)).toSorted(), ['digraphs', 'umlauts'], typed);
});

test('the spelling that was typed comes first, also where the other one is rarer or stands more often in a document', async (t) => {
  const { put, titles } = await openLibrary(t.context.db);
  for (let i = 1; i <= 5; i += 1) await put({ title: `Müller ${i}`, pages: ['Herr Müller hat geschrieben, dass die Heizung defekt ist.'] });
  await put({ title: 'other', pages: ['Mueller Mueller Mueller Mueller Mueller Mueller'] });
  const found = await titles('Müller');
  t.is(found.length, 6);
  t.is(found.at(-1), 'other');
  t.is((await titles('Mueller'))[0], 'other');
  t.is((await titles('Mueller')).length, 6);
});

test('words whose ue is no umlaut find nothing else', async (t) => {
  const { put, titles } = await openLibrary(t.context.db);
  for (const [title, text] of [
    ['neu', 'Das neue Feuer, die Quelle, eine Steuer'],
    ['samul', 'Herr Samul und der Pot, ein Dos'],
    ['samuel', 'Herr Samuel, ein Poet'],
  ] as const)
    await put({ title, pages: [text] });
  t.deepEqual(await titles('Samuel'), ['samuel'], 'no Samül stands anywhere');
  t.deepEqual(await titles('Poet'), ['samuel']);
  t.deepEqual(await titles('does'), []);
  t.deepEqual(await titles('Quelle'), ['neu']);
  t.deepEqual(await titles('Feuer'), ['neu']);
  t.deepEqual(await titles('Steuer -Samuel'), ['neu']);
});

test('whether a word stands with its umlaut is seen in what one may read alone', async (t) => {
  const { db } = t.context;
  const { put, titles } = await openLibrary(db);
  const reader = await givenUser(db);
  const own = principalOf(reader, ['documents.read.own', 'search.query']);
  await put({ title: 'his', pages: ['Er wurde gewählt'], ownerId: reader.id });
  t.deepEqual(await titles('Wuerde', { as: own }), []);
  await put({ title: 'not his', pages: ['Die Würde'] });
  t.deepEqual(await titles('Wuerde', { as: own }), []);
  await put({ title: 'his too', pages: ['Die Würde'], ownerId: reader.id });
  t.deepEqual((await titles('Wuerde', { as: own })).toSorted(), ['his', 'his too']);
});
