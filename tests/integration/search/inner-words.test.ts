import { foldTermStatistics, searchByQuery } from '@sheaf/search';
import { givenUser, principalOf } from '@sheaf/testkit';
import { openLibrary, testWithDatabases } from './library.ts';

const test = testWithDatabases();

test('a part of a word is found inside of it, at once and when words have been counted up', async (t) => {
  const { put, titles } = await openLibrary(t.context.db);
  await put({ title: 'beitrag', pages: ['Der Krankenversicherungsbeitrag steigt'], language: 'deu' });
  await put({ title: 'schein', pages: ['Ihre Versicherungsscheine liegen bei'], language: 'deu' });
  await put({ title: 'other', pages: ['Die Sicherung ist defekt'], language: 'deu' });
  for (const when of ['at once', 'later']) {
    t.deepEqual((await titles('*versicherung*')).toSorted(), ['beitrag', 'schein'], when);
    t.deepEqual(await titles('*KRÄNKENVERSICH*'), ['beitrag'], `${when}: without case and accents`);
    t.deepEqual((await titles('*sicherung*')).toSorted(), ['beitrag', 'other', 'schein'], when);
    t.deepEqual(await titles('*beiträge*'), ['beitrag'], `${when}: with another ending`);
    t.deepEqual(await titles('*sbeitrag'), ['beitrag'], `${when}: at the end of a word`);
    t.deepEqual(await titles('*versicherung'), [], `${when}: no word ends so`);
    t.deepEqual(await titles('content:*versicherung* -*schein*'), ['beitrag'], when);
    t.deepEqual(await titles('*nothing*'), [], when);
    t.deepEqual(await titles('title:*chei*'), ['schein'], when);
    await foldTermStatistics(t.context.db);
  }
});

test('contains in the text finds inside words: one word, or several of which the first begins earlier and the last goes on', async (t) => {
  const { owner, put } = await openLibrary(t.context.db);
  await put({ title: 'one', pages: ['Die Krankenversicherung zahlt den Beitragszuschlag'], language: 'deu' });
  await put({ title: 'two', pages: ['Die Versicherung endet'], language: 'deu' });
  const contains = async (value: string): Promise<string[]> => {
    const term = { text: value, prefix: true, inside: true, field: 'content' as const };
    const query = { must: [[term]], should: [], mustNot: [] };
    const body = await searchByQuery(t.context.db, principalOf(owner), {
      query,
      filters: {},
      page: 1,
      perPage: 9,
      highlight: true,
      fuzzy: false,
    });
    return body.results.map(({ title }) => title).toSorted();
  };
  t.deepEqual(await contains('sicherung'), ['one', 'two']);
  t.deepEqual(await contains('versicherung zahlt'), ['one']);
  t.deepEqual(await contains('versicherung en'), ['two']);
  t.deepEqual(await contains('zuschlag'), ['one']);
  t.deepEqual(await contains('sicherung zuschlag'), []);
});

test('signs of patterns are signs, and a part of less than three letters is the beginning of a word', async (t) => {
  const { put, titles } = await openLibrary(t.context.db);
  await put({ title: 'a', pages: ['unterschreiben'] });
  for (const q of ['*%*', '*_*', '*unter_ch*', '*u%t*', '*\\*']) t.deepEqual(await titles(q), [], q);
  t.deepEqual(await titles('*un*'), ['a']);
  t.deepEqual(await titles('*er*'), []);
});

test('where a part is in very many words the most frequent are taken, and the answer says so', async (t) => {
  const { put, ask, titles } = await openLibrary(t.context.db);
  const words = Array.from({ length: 150 }, (_, n) => `ab${String.fromCodePoint(97 + (n % 26), 97 + Math.floor(n / 26))}inner${n}`);
  for (const word of words) await put({ title: word, pages: [word] });
  for (let n = 0; n < 3; n += 1) await put({ title: 'frequent', pages: ['xyinneryx'] });
  await foldTermStatistics(t.context.db);
  const body = await ask('*inner*', { perPage: 100 });
  t.true(body.words_truncated);
  t.is(body.results.filter(({ title }) => title === 'frequent').length, 3);
  t.is(body.total, 127 + 3);
  t.false('words_truncated' in (await ask('*yinnery*')));
  t.is((await titles('*yinnery*')).length, 3);
});

test('who may read only their own finds and learns nothing of the words of others', async (t) => {
  const { put, ask, titles } = await openLibrary(t.context.db);
  const reader = await givenUser(t.context.db);
  await put({ title: 'theirs', pages: ['Krankenversicherung'] });
  await put({ title: 'mine', pages: ['Lebensversicherung'], ownerId: reader.id });
  await foldTermStatistics(t.context.db);
  const as = principalOf(reader, ['documents.read.own', 'search.query']);
  t.deepEqual(await titles('*versicherung*', { as }), ['mine']);
  t.is((await ask('*kranken*', { as })).total, 0);
});

test('words that a hyphen parts at the end of a line are found whole, and by their halves as before', async (t) => {
  const { put, titles, ask } = await openLibrary(t.context.db);
  await put({
    title: 'one page',
    pages: ['Die Kranken-\nversicherung zahlt. Der Fünf-\n  Jahres-Plan und das Bei\u00ad\nspiel'],
    language: 'deu',
  });
  await put({ title: 'two pages', pages: ['Anfang', 'Der Lebensver-\r\nsicherungsvertrag'], language: 'deu' });
  t.deepEqual(await titles('Krankenversicherung'), ['one page']);
  t.deepEqual(await titles('"kranken versicherung"'), ['one page']);
  t.deepEqual(await titles('Beispiel'), ['one page']);
  t.deepEqual(await titles('FünfJahres'), [], 'a hyphen before a capital stays one');
  t.deepEqual(await titles('Lebensversicherungsvertrag'), ['two pages']);
  t.is((await ask('Lebensversicherungsvertrag')).results[0]?.page, 2);
});
