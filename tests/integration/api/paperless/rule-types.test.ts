// Every kind of filter rule: saved as a view, read back as it was sent, and finding what the list of documents finds.
import { savePages } from '@sheaf/documents/pages';
import { indexDocument } from '@sheaf/search';
import { z } from 'zod';
import { inTurn } from '../../../support/full-run.ts';
import { listOf, PaperlessClient, swiftDocument, swiftView } from '../../../support/paperless.ts';
import { type RunningApi, testWithApi } from '../../../support/running-api.ts';

const test = testWithApi({ FEATURE_PAPERLESS_API: 'true' });

const documents = listOf(swiftDocument);

/** Documents A to D of which all facts differ. */
const openLibrary = async (api: RunningApi) => {
  const { db } = api.database;
  const client = await PaperlessClient.signIn(api.anyone, 'admin');
  const next = await PaperlessClient.signIn(api.anyone, 'admin', 10);
  const red = await client.create('tags', { name: 'Red' });
  const blue = await client.create('tags', { name: 'Blue' });
  const bank = await client.create('correspondents', { name: 'Bank' });
  const shop = await client.create('correspondents', { name: 'Shop' });
  const letter = await client.create('document_types', { name: 'Letter' });
  const bill = await client.create('document_types', { name: 'Bill' });
  const amount = await client.create('custom_fields', { name: 'Amount', data_type: 'float' });
  const place = await client.create('custom_fields', { name: 'Place', data_type: 'string' });
  const ids: Record<string, number> = {};
  for (const [title, content, changes] of [
    [
      'Alpha',
      'harbour harbour paper',
      { tags: [red], correspondent: bank, document_type: letter, archive_serial_number: 7, created: '2024-03-05' },
    ],
    [
      'Beta',
      'garden paper',
      { tags: [red, blue], correspondent: shop, document_type: bill, archive_serial_number: 9, created: '2023-07-05' },
    ],
    ['Gamma', 'alpha garden harbour', { tags: [blue], created: '2024-07-31' }],
    ['Delta', 'harbour paper', {}],
  ] as const) {
    const id = z.uuid().parse((await client.upload(`${title}.txt`, `file ${title}`, [['title', title]])).body);
    await savePages(db, id, [{ page: 1, content, confidence: 1, origin: 'text' }]);
    await indexDocument(db, id);
    ids[title] = await client.numberOf(title);
    await client.send('PATCH', `documents/${ids[title]}/`, changes);
  }
  await client.send('PATCH', `documents/${ids['Alpha']}/`, {
    custom_fields: [
      { field: amount, value: 12.5 },
      { field: place, value: 'Harbour' },
    ],
  });
  await client.send('PATCH', `documents/${ids['Beta']}/`, { custom_fields: [{ field: amount, value: 100 }] });
  await db.execute("update documents set created_at = '2022-01-05T10:00:00Z' where title = 'Alpha'");
  await db.execute("update documents set updated_at = '2022-02-05T10:00:00Z' where title = 'Beta'");
  return { client, next, red, blue, bank, shop, letter, bill, amount, place, alpha: ids['Alpha'] ?? 0 };
};

type Library = Awaited<ReturnType<typeof openLibrary>>;

/** The parameter of the list of documents that the rules are, its value, and what it finds, by the first letters of the titles. */
type Row = readonly [type: number, values: readonly (string | number | null)[], query: string, found: string];

const rowsOf = ({ red, blue, bank, shop, letter, bill, amount, place, alpha }: Library): readonly Row[] => [
  [0, ['LPH'], 'title__icontains=LPH', 'A'],
  [1, ['garden'], 'content__icontains=garden', 'BG'],
  [2, [9], 'archive_serial_number=9', 'B'],
  [3, [bank], `correspondent__id=${bank}`, 'A'],
  [3, [null], 'correspondent__isnull=1', 'DG'],
  [3, [-1], 'correspondent__isnull=0', 'AB'],
  [4, [bill], `document_type__id=${bill}`, 'B'],
  [4, [null], 'document_type__isnull=1', 'DG'],
  [5, ['true'], 'is_in_inbox=true', ''],
  [5, ['false'], 'is_in_inbox=false', 'ABDG'],
  [6, [red, blue], `tags__id__all=${red},${blue}`, 'B'],
  [7, ['false'], 'is_tagged=0', 'D'],
  [8, ['2024-01-01'], 'created__date__lt=2024-01-01', 'B'],
  [9, ['2024-03-05'], 'created__date__gt=2024-03-05', 'DG'],
  [10, [2024], 'created__year=2024', 'AG'],
  [11, [7], 'created__month=7', 'BG'],
  [12, [5], 'created__day=5', 'AB'],
  [13, ['2022-01-06'], 'added__date__lt=2022-01-06', 'A'],
  [14, ['2022-01-05'], 'added__date__gt=2022-01-05', 'BDG'],
  [15, ['2022-02-06'], 'modified__date__lt=2022-02-06', 'B'],
  [16, ['2022-02-05'], 'modified__date__gt=2022-02-05', 'ADG'],
  [17, [red], `tags__id__none=${red}`, 'DG'],
  [18, ['true'], 'archive_serial_number__isnull=1', 'DG'],
  [19, ['alpha'], 'title_content=alpha', 'AG'],
  [
    20,
    ['paper (tag:red OR garden) NOT created:[2024 to 2025]'],
    'query=paper%20(tag:red%20OR%20garden)%20NOT%20created:[2024%20to%202025]',
    'B',
  ],
  [20, ['added:[-1 week to now]'], 'query=added:[-1%20week%20to%20now]', 'BDG'],
  [21, [alpha], `more_like_id=${alpha}`, 'G'],
  [22, [red, blue], `tags__id__in=${red},${blue}`, 'ABG'],
  [23, [7], 'archive_serial_number__gt=7', 'B'],
  [24, [9], 'archive_serial_number__lt=9', 'A'],
  [25, ['1'], 'storage_path__id=1', ''],
  [25, [null], 'storage_path__isnull=1', 'ABDG'],
  [26, [bank, shop], `correspondent__id__in=${bank},${shop}`, 'AB'],
  [27, [bank], `correspondent__id__none=${bank}`, 'BDG'],
  [28, [letter, bill], `document_type__id__in=${letter},${bill}`, 'AB'],
  [29, [letter], `document_type__id__none=${letter}`, 'BDG'],
  [30, ['1'], 'storage_path__id__in=1', ''],
  [31, ['1'], 'storage_path__id__none=1', 'ABDG'],
  [36, ['harb'], 'custom_fields__icontains=harb', 'A'],
  [38, [amount, place], `custom_fields__id__all=${amount},${place}`, 'A'],
  [39, [amount, place], `custom_fields__id__in=${amount},${place}`, 'AB'],
  [40, [place], `custom_fields__id__none=${place}`, 'BDG'],
  [41, ['true'], 'has_custom_fields=1', 'AB'],
  [
    42,
    [
      JSON.stringify([
        'OR',
        [
          [amount, 'gt', 50],
          ['NOT', [amount, 'exists', true]],
        ],
      ]),
    ],
    `custom_field_query=${encodeURIComponent(
      JSON.stringify([
        'OR',
        [
          [amount, 'gt', 50],
          ['NOT', [amount, 'exists', true]],
        ],
      ]),
    )}`,
    'BDG',
  ],
  [43, ['2024-03-05'], 'created__date__lte=2024-03-05', 'AB'],
  [44, ['2024-03-05'], 'created__date__gte=2024-03-05', 'ADG'],
  [45, ['2022-01-05'], 'added__date__lte=2022-01-05', 'A'],
  [46, ['2022-01-06'], 'added__date__gte=2022-01-06', 'BDG'],
  [47, ['text/plain'], 'mime_type=text/plain', 'ABDG'],
  [48, ['lpha'], 'title_search=lpha', 'A'],
  [49, ['alpha'], 'text=alpha', 'AG'],
];

const letters = (titles: readonly string[]): string =>
  titles
    .map(([first]) => first ?? '')
    .toSorted()
    .join('');

test.serial('every kind of filter rule is kept as it was sent, and finds what the list of documents finds', async (t) => {
  const library = await openLibrary(t.context);
  const { client, next } = library;
  const { admin } = t.context;
  const users = await client.read('users/', listOf(z.looseObject({ id: z.int(), username: z.string() })));
  const me = users.results.find(({ username }) => username === 'admin')?.id ?? 0;
  const ofUsers: readonly Row[] = [
    [32, [me], `owner__id=${me}`, 'ABDG'],
    [33, [me], `owner__id__in=${me}`, 'ABDG'],
    [34, ['true'], 'owner__isnull=1', ''],
    [35, [me], `owner__id__none=${me}`, ''],
    [37, [me], `shared_by__id=${me}`, ''],
  ];
  const rows = [...rowsOf(library), ...ofUsers];
  t.deepEqual(
    Array.from({ length: 50 }, (_, type) => type).filter((type) => !rows.some(([each]) => each === type)),
    [],
  );
  for (const [turn, version] of [client, next].entries())
    for (const [type, values, query, found] of inTurn(turn, 2, rows)) {
      const about = `${type} ${query}`;
      const rules = values.map((value) => ({ rule_type: type, value: value === null ? null : String(value) }));
      const made = await version.post('saved_views/', { name: about.slice(0, 90), sort_field: 'created', filter_rules: rules });
      t.is(made.status, 201, `${about} ${JSON.stringify(made.body)}`);
      const { id } = swiftView.parse(made.body);
      t.deepEqual((await version.read(`saved_views/${id}/`, swiftView)).filter_rules, rules, about);
      const listed = documents.parse((await version.get(`documents/?${query}`)).body);
      t.is(letters(listed.results.map(({ title }) => title)), found, about);
      const [saved] = z
        .array(z.looseObject({ id: z.string(), query: z.string(), filters: z.record(z.string(), z.unknown()), count: z.int() }))
        .parse((await admin.get('/api/saved-searches?with_counts=true')).body['data']);
      const asked = new URLSearchParams({ q: saved?.query ?? '', filters: JSON.stringify(saved?.filters), per_page: '100' });
      const answer = await admin.get(`/api/search?${asked}`);
      const titles = z.array(z.object({ title: z.string() })).parse(answer.body['results'] ?? [{ title: JSON.stringify(answer.body) }]);
      t.is(answer.status, 200, JSON.stringify(answer.body));
      t.is(letters(titles.map(({ title }) => title)), found, `${about} ${JSON.stringify(saved)}`);
      t.is(saved?.count, found.length, about);
      t.is((await version.send('DELETE', `saved_views/${id}/`)).status, 204);
    }
});

test.serial('rules that were sent are kept until the query or the filters are changed elsewhere', async (t) => {
  const { anyone, admin } = t.context;
  const client = await PaperlessClient.signIn(anyone, 'admin');
  const rules = [
    { rule_type: 0, value: 'x' },
    { rule_type: 20, value: 'tag:a' },
  ];
  const id = await client.create('saved_views', { name: 'Kept', filter_rules: rules });
  const [saved] = z.array(z.looseObject({ id: z.string() })).parse((await admin.get('/api/saved-searches')).body['data']);
  const path = `/api/saved-searches/${saved?.id}`;
  const rulesNow = async () => (await client.read(`saved_views/${id}/`, swiftView)).filter_rules;
  t.is((await admin.send('PUT', path, { name: 'Renamed' })).status, 200);
  t.deepEqual(await rulesNow(), rules);
  t.is((await admin.send('PUT', path, (await admin.get(path)).body)).status, 200);
  t.deepEqual(await rulesNow(), rules);
  t.is((await admin.send('PUT', path, { query: 'tag:b', filters: {} })).status, 200);
  t.deepEqual(await rulesNow(), [{ rule_type: 20, value: 'tag:b' }]);
  for (const filter_rules of [
    [{ rule_type: 50, value: 'x' }],
    [{ rule_type: 20, value: 'foo:bar' }],
    [{ rule_type: 21, value: '999999' }],
    [{ rule_type: 6, value: '999999' }],
    [{ rule_type: 8, value: 'soon' }],
    [{ rule_type: 42, value: '[]' }],
    [{ rule_type: 1, value: '%' }],
  ]) {
    const { status, body } = await client.post('saved_views/', { name: 'Wrong', filter_rules });
    t.is(status, 400, JSON.stringify(filter_rules));
    t.deepEqual(Object.keys(z.record(z.string(), z.unknown()).parse(body)), ['filter_rules']);
  }
});
