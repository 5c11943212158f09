import { foldTermStatistics } from '@sheaf/search';
import { givenUser, principalOf } from '@sheaf/testkit';
import { openLibrary, testWithDatabases } from './library.ts';

const test = testWithDatabases();

const openCorrecting = async (...[db]: Parameters<typeof openLibrary>) => {
  const library = await openLibrary(db);
  const correct = async (q: string, as = principalOf(library.owner)): Promise<[string | undefined, string[]]> => {
    const body = await library.ask(q, { fuzzy: true, as });
    return [body.corrected_query, body.results.map((hit) => hit.title).toSorted()];
  };
  return { ...library, correct };
};

test('one or two errors are corrected, and the answer says what was searched instead', async (t) => {
  const { put, ask, correct } = await openCorrecting(t.context.db);
  await put({ title: 'first', pages: ['The Invoices for electricity, an invoice, invoices'] });
  await put({ title: 'second', pages: ['Received with thanks from Zoë Müller'] });
  await foldTermStatistics(t.context.db);
  const cases: [string, string | undefined, string[]][] = [
    ['invioce', 'invoice', ['first']],
    ['INVIOCES', 'invoices', ['first']],
    ['electrcty', 'electricity', ['first']],
    ['recieved thnks', 'received thanks', ['second']],
    ['thanks recieved', 'thanks received', ['second']],
    ['"recieved with thanks" -invoice', '"received with thanks" -invoice', ['second']],
    ['content:recieved OR title:first', 'content:received OR title:first', ['first', 'second']],
    ['mülller', 'müller', ['second']],
    ['muler', 'müller', ['second']],
    ['received', undefined, ['second']],
    ['elephant', undefined, []],
    ['recieved elephant', 'received elephant', []],
    ['inviocez*', undefined, []],
    ['the', undefined, []],
    ['-invioce', undefined, []],
  ];
  for (const [q, corrected, titles] of cases) t.deepEqual(await correct(q), [corrected, titles], q);
  const plain = await ask('invioce');
  t.deepEqual([plain.total, plain.corrected_query], [0, undefined]);
  t.deepEqual((await ask('invioce', { fuzzy: true })).results[0]?.highlights[0]?.snippet.match(/<mark>\w+/g), [
    '<mark>Invoices',
    '<mark>invoice',
    '<mark>invoices',
  ]);
});

test('numbers and short words are no typos', async (t) => {
  const { put, correct } = await openCorrecting(t.context.db);
  await put({ title: 'a', pages: ['year 2023 cat'] });
  await foldTermStatistics(t.context.db);
  t.deepEqual(await correct('2024'), [undefined, []]);
  t.deepEqual(await correct('bat'), [undefined, []]);
});

test('a misspelt word that some document has is corrected where the query finds nothing otherwise', async (t) => {
  const { put, correct } = await openCorrecting(t.context.db);
  await put({ title: 'right', pages: ['electricity for the garden'] });
  await put({ title: 'wrong', pages: ['electrcity only'] });
  await foldTermStatistics(t.context.db);
  t.deepEqual(await correct('electrcity'), [undefined, ['wrong']]);
  t.deepEqual(await correct('electrcity garden'), ['electricity garden', ['right']]);
  t.deepEqual(await correct('electrcity house'), [undefined, []]);
});

test('corrections come from what one may read: other words neither show nor hide them', async (t) => {
  const { db } = t.context;
  const { put, correct } = await openCorrecting(db);
  const reader = await givenUser(db);
  const own = principalOf(reader, ['documents.read.own', 'search.query']);
  await put({ title: 'his', pages: ['the contract of the receiver'], ownerId: reader.id });
  await foldTermStatistics(db);
  const ask = async () => [await correct('contrct', own), await correct('secrt', own), await correct('contracd', own)];
  const before = await ask();
  t.deepEqual(before, [
    ['contract', ['his']],
    [undefined, []],
    ['contract', ['his']],
  ]);
  // the typed words themselves, nearer ones and more frequent ones, all in documents of somebody else
  for (let i = 0; i < 3; i += 1) await put({ title: 'not his', pages: ['contrct contracd contracts contract secret contras'] });
  await foldTermStatistics(db);
  t.deepEqual(await ask(), before);
  t.deepEqual(await correct('contrct'), [undefined, ['not his', 'not his', 'not his']]);
});
