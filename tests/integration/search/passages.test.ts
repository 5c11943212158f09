import { openLibrary, testWithDatabases } from './library.ts';

const test = testWithDatabases();

test('highlights come from the best page, escaped, in the form the word has there', async (t) => {
  const { put, ask } = await openLibrary(t.context.db);
  await put({
    title: 'The <Invoice>',
    pages: ['an invoice', '<script>alert(1)</script> both Invoices & the résumé — “paid”', 'nothing'],
  });
  const [hit] = (await ask('invoice resume')).results;
  t.is(hit?.page, 2);
  t.deepEqual(hit?.highlights, [
    { field: 'title', snippet: 'The &lt;<mark>Invoice</mark>&gt;' },
    {
      field: 'content',
      snippet: '&lt;script&gt;alert(1)&lt;/script&gt; both <mark>Invoices</mark> &amp; the <mark>résumé</mark> — “paid”',
    },
  ]);
});

test('a hit in the title alone has no page; without highlights there are none', async (t) => {
  const { put, ask } = await openLibrary(t.context.db);
  await put({ title: 'Contract', pages: ['one', 'two'] });
  const [hit] = (await ask('contract')).results;
  t.is(hit?.page, null);
  t.deepEqual(hit?.highlights, [{ field: 'title', snippet: '<mark>Contract</mark>' }]);
  const [plain] = (await ask('two', { highlight: false })).results;
  t.deepEqual([plain?.page, plain?.highlights], [2, []]);
});
