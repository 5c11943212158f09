// Finding documents by the values of their custom fields, by another document, and with their whole text.
import { savePages } from '@sheaf/documents/pages';
import { indexDocument } from '@sheaf/search';
import { ApiClient } from '@sheaf/testkit';
import { z } from 'zod';
import { startApiWithPermissions } from '../../../support/api-with-permissions.ts';
import { listOf, PaperlessClient, swiftDocument } from '../../../support/paperless.ts';
import { type RunningApi, testWithApi } from '../../../support/running-api.ts';

const FEATURE = { FEATURE_PAPERLESS_API: 'true' };
const test = testWithApi(FEATURE);

const documents = listOf(swiftDocument);

const given = async ({ database: { db } }: RunningApi, client: PaperlessClient, title: string, ...pages: readonly string[]) => {
  const id = z.uuid().parse((await client.upload(`${title}.txt`, `file ${title}`, [['title', title]])).body);
  await savePages(
    db,
    id,
    pages.map((content, at) => ({ page: at + 1, content, confidence: 1, origin: 'text' as const })),
  );
  await indexDocument(db, id);
  return client.numberOf(title);
};

test.serial('custom_field_query finds by the values of custom fields, and refuses what makes no sense', async (t) => {
  const client = await PaperlessClient.signIn(t.context.anyone, 'admin');
  const field = (name: string, dataType: string, more = {}) => client.create('custom_fields', { name, data_type: dataType, ...more });
  const text = await field('Project', 'string');
  const price = await field('Price', 'monetary');
  const day = await field('Due', 'date');
  const isPaid = await field('Paid', 'boolean');
  const count = await field('Count', 'integer');
  const state = await field('State', 'select', { extra_data: { select_options: [{ label: 'open' }, { label: 'done' }] } });
  const link = await field('Reply to', 'documentlink');
  const a = await given(t.context, client, 'A');
  const b = await given(t.context, client, 'B');
  await given(t.context, client, 'C');
  const set = async (id: number, values: readonly (readonly [number, unknown])[]) => {
    const answer = await client.send('PATCH', `documents/${id}/`, { custom_fields: values.map(([of, value]) => ({ field: of, value })) });
    t.is(answer.status, 200, JSON.stringify(answer.body));
  };
  await set(a, [
    [text, 'Harbour 7'],
    [price, 'EUR12.50'],
    [day, '2026-03-01'],
    [isPaid, true],
    [count, 3],
    [state, 'open'],
    [link, [b]],
  ]);
  await set(b, [
    [text, 'Garden'],
    [price, 'EUR100'],
    [day, '2026-04-01'],
    [isPaid, false],
    [count, 10],
    [state, 'done'],
  ]);
  const ask = (query: unknown) => client.get(`documents/?ordering=title&custom_field_query=${encodeURIComponent(JSON.stringify(query))}`);
  const cases: readonly (readonly [unknown, string])[] = [
    [[text, 'exact', 'garden'], 'B'],
    [['Project', 'icontains', 'ARD'], 'B'],
    [[text, 'istartswith', 'har'], 'A'],
    [[text, 'iendswith', '7'], 'A'],
    [[text, 'icontains', '%'], ''],
    [[text, 'in', ['Garden', 'Harbour 7']], 'AB'],
    [[text, 'in', []], ''],
    [[text, 'exists', true], 'AB'],
    [[text, 'exists', false], 'C'],
    [[text, 'isnull', true], ''],
    [[text, 'isnull', false], 'AB'],
    [[text, 'exact', null], ''],
    [[price, 'gt', 12.5], 'B'],
    [[price, 'gte', '12.50'], 'AB'],
    [[price, 'exact', 'EUR12.5'], 'A'],
    [[day, 'range', ['2026-02-01', '2026-03-31']], 'A'],
    [[day, 'lt', '2026-04-01'], 'A'],
    [[day, 'lte', '2026-04-01'], 'AB'],
    [[isPaid, 'exact', false], 'B'],
    [[count, 'range', [3, 9]], 'A'],
    [[count, 'in', [3, 10]], 'AB'],
    [[state, 'exact', 'done'], 'B'],
    [[link, 'contains', [b]], 'A'],
    [[link, 'exact', [b]], 'A'],
    [['NOT', [text, 'exact', 'garden']], 'AC'],
    [
      [
        'and',
        [
          [isPaid, 'exact', true],
          [count, 'lt', 5],
        ],
      ],
      'A',
    ],
    [
      [
        'OR',
        [
          [isPaid, 'exact', true],
          [
            'AND',
            [
              [count, 'gt', 5],
              ['NOT', [state, 'exact', 'open']],
            ],
          ],
        ],
      ],
      'AB',
    ],
  ];
  for (const [query, expected] of cases) {
    const { status, body } = await ask(query);
    t.is(status, 200, JSON.stringify([query, body]));
    t.is(
      documents
        .parse(body)
        .results.map(({ title }) => title)
        .join(''),
      expected,
      JSON.stringify(query),
    );
  }
  t.is(
    (
      await client.read(
        `documents/?custom_field_query=${encodeURIComponent(JSON.stringify([text, 'exists', true]))}&title__iexact=b`,
        documents,
      )
    ).count,
    1,
  );
  const nested = (depth: number): unknown => (depth === 0 ? [text, 'exists', true] : ['NOT', nested(depth - 1)]);
  t.is((await ask(nested(9))).status, 200);
  for (const query of [
    [],
    'x',
    ['AND', []],
    ['AND', [[text, 'exact', 'x'], 7]],
    [999_999, 'exists', true],
    ['Nothing', 'exists', true],
    [text, 'gt', 'x'],
    [text, 'regex', 'x'],
    [text, 'exists', 'true'],
    [price, 'icontains', '1'],
    [day, 'exact', 'soon'],
    [day, 'range', ['2026-01-01']],
    [count, 'exact', { a: 1 }],
    [link, 'contains', [999_999]],
    nested(10),
    ['OR', Array.from({ length: 21 }, () => [text, 'exists', true])],
  ]) {
    const { status, body } = await ask(query);
    t.is(status, 400, JSON.stringify(query));
    t.deepEqual(Object.keys(body as object), ['custom_field_query']);
  }
  t.is((await client.get('documents/?custom_field_query=%5B')).status, 400);
});

test.serial(
  'more_like_id finds what has the rare words of a document, the most alike first, and nothing that may not be read',
  async (t) => {
    const client = await PaperlessClient.signIn(t.context.anyone, 'admin');
    const lease = await given(t.context, client, 'Lease', 'lease of the harbour warehouse with crane and mooring, signed by the tenant');
    const near = await given(t.context, client, 'Addendum', 'addendum to the harbour warehouse: crane inspection and mooring fees');
    const far = await given(t.context, client, 'Letter', 'a letter about the crane birds of the garden');
    await given(t.context, client, 'Recipe', 'soup of leeks and potatoes');
    const like = await client.read(
      `documents/?more_like_id=${lease}`,
      listOf(swiftDocument.extend({ __search_hit__: z.looseObject({ rank: z.int() }) })),
    );
    t.deepEqual(
      like.results.map(({ id }) => id),
      [near, far],
    );
    t.deepEqual(
      like.results.map(({ __search_hit__: { rank } }) => rank),
      [0, 1],
    );
    t.deepEqual(
      (await client.read(`documents/?more_like_id=${lease}&title__iexact=letter`, documents)).results.map(({ id }) => id),
      [far],
    );
    t.is((await client.get('documents/?more_like_id=999999')).status, 404);

    await t.context.admin.register('other', 'editor');
    const own = ['documents.read.own', 'documents.create', 'search.query'];
    await using api = await startApiWithPermissions(t.context.database, { other: own }, [], {}, FEATURE);
    const other = await PaperlessClient.signIn(new ApiClient(api.url), 'other');
    const mine = await given(t.context, other, 'Mine', 'my own mooring and my own crane at the harbour warehouse');
    const alike = await given(t.context, other, 'Alike', 'another mooring with another crane');
    t.deepEqual(
      (await other.read(`documents/?more_like_id=${mine}`, documents)).results.map(({ id }) => id),
      [alike],
    );
    t.is((await other.get(`documents/?more_like_id=${lease}`)).status, 404, 'as one that is not there');
  },
);

test.serial('lists have the whole text, page by page up to a limit, and its beginning alone where that is asked for', async (t) => {
  const client = await PaperlessClient.signIn(t.context.anyone, 'admin');
  const page = 'word '.repeat(120_000);
  await given(t.context, client, 'Short', 'first page', 'second page');
  await given(t.context, client, 'Long', page, page);
  const contents = async (query: string) =>
    new Map(
      (await client.read(`documents/?title__iexact=${query}`, listOf(swiftDocument.extend({ content: z.string() })))).results.map(
        ({ title, content }) => [title, content],
      ),
    );
  t.is((await contents('short')).get('Short'), 'first page\fsecond page');
  t.is((await contents('long')).get('Long'), page, 'the second page would be beyond a million characters');
  t.true(((await contents('long&truncate_content=true')).get('Long')?.length ?? 0) <= 500);
  const chosen = await client.read('documents/?title__iexact=short&fields=id', listOf(z.strictObject({ id: z.int() })));
  t.is(chosen.count, 1);
});

test.serial('a query has the syntax of Paperless-ngx, and what it does not know is refused by name', async (t) => {
  const client = await PaperlessClient.signIn(t.context.anyone, 'admin');
  const tag = await client.create('tags', { name: 'Unpaid' });
  const bank = await client.create('correspondents', { name: 'Harbour Bank' });
  const [old, recent] = [
    await given(t.context, client, 'Query one', 'alpha paper'),
    await given(t.context, client, 'Query two', 'beta paper'),
  ];
  t.is((await client.send('PATCH', `documents/${old}/`, { created: '2019-05-06', tags: [tag], archive_serial_number: 4711 })).status, 200);
  t.is((await client.send('PATCH', `documents/${recent}/`, { correspondent: bank })).status, 200);
  const ask = (query: string) => client.get(`documents/?title__istartswith=query&ordering=title&query=${encodeURIComponent(query)}`);
  for (const [query, expected] of [
    ['created:2019', 'one'],
    ['created:[2018 to 201905]', 'one'],
    ['created:[-1 week to now]', 'two'],
    ['created:"this year"', 'two'],
    ['created:"previous year"', ''],
    ['added:today', 'one two'],
    ['added:[-1 week to now]', 'one two'],
    ['modified:[now-1d to now] alpha', 'one'],
    ['tag:unpaid', 'one'],
    ['NOT tag:unpaid', 'two'],
    ['correspondent:harbour', 'two'],
    ['asn:[4000 to]', 'one'],
    ['paper AND (alpha OR correspondent:bank)', 'one two'],
    ['alpha OR NOT tag:unpaid', 'one two'],
    ['(alpha beta) OR (paper correspondent:bank)', 'two'],
  ] as const) {
    const { status, body } = await ask(query);
    t.is(status, 200, JSON.stringify([query, body]));
    const titles = documents.parse(body).results.map(({ title }) => title.replace('Query ', ''));
    t.is(titles.join(' '), expected, query);
  }
  for (const query of ['foo:bar', 'created:soon', 'created:[soon to now]', 'title:[a to b]', 'produ*name', '(a']) {
    const { status, body } = await ask(query);
    t.is(status, 400, query);
    t.deepEqual(Object.keys(z.record(z.string(), z.unknown()).parse(body)), ['query'], query);
  }
  t.is((await client.get('search/?query=foo:bar')).status, 400);
  t.is((await client.post('documents/selection_data/', { all: true, filters: { query: 'foo:bar' } })).status, 400);
});
