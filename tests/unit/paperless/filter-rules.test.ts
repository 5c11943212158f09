// Saved searches as rules of saved views, and back: what can be written is read as what it was.
import type { DocumentCondition, FieldQuery, SearchFilters } from '@sheaf/contract/search';
import type { ViewRule } from '@sheaf/db/schema';
import { type NumberedField, type PaperlessNames, readRules, writeRules } from '@sheaf/paperless';
import test from 'ava';
import { makeRandom, type Random } from '../../support/random-documents.ts';

const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const numberIn = (id: string): number => Number(id.slice(-12));

const TYPES = ['text', 'long_text', 'url', 'choice', 'number', 'integer', 'amount', 'date', 'boolean', 'document'] as const;
const FIELDS: readonly NumberedField[] = TYPES.map((type, at) => ({
  number: at + 1,
  name: `There ${type}`,
  kind: { id: idOf(at + 1), name: `Here ${type}`, type },
  ...(type === 'choice' ? { choices: new Map([['a1b2', 'Paid, late']]) } : {}),
}));

/** Everything has its number in its id. */
const NAMES: PaperlessNames = {
  reach: { scope: 'all', userId: idOf(1) },
  find: (_kind, numbers) => Promise.resolve(new Map(numbers.map((number) => [number, idOf(number)]))),
  fields: () => Promise.resolve(FIELDS),
};

const NUMBERS = { fields: FIELDS, numberOf: (_kind: string, id: string) => numberIn(id) };

const day = (random: Random): string =>
  new Date(Date.UTC(2000 + random.below(40), random.below(12), 1 + random.below(28))).toJSON().slice(0, 10);
const ids = (random: Random): string[] => [...new Set(Array.from({ length: 1 + random.below(3) }, () => idOf(1 + random.below(50))))];

const fieldFilters = (random: Random): NonNullable<SearchFilters['fields']> =>
  Object.fromEntries(
    random.some(
      [
        ['Here text', { contains: 'rent' }],
        ['Here url', { eq: 'https://example.org/' }],
        ['Here choice', { eq: 'Paid, late' }],
        ['Here integer', { gt: random.below(100), lte: 200 }],
        ['Here number', { lt: 1.5 }],
        ['Here amount', { gte: { amount: '12.50', currency: 'EUR' } }],
        ['Here date', { gte: day(random) }],
        ['Here boolean', { eq: random.below(2) === 0 }],
        ['Here document', { eq: idOf(7) }],
      ] as const,
      0.3,
    ),
  );

const fieldQuery = (random: Random, depth = 3): FieldQuery => {
  const field_id = idOf(1 + random.below(TYPES.length));
  switch (random.below(depth === 0 ? 3 : 5)) {
    case 0:
      return { kind: 'given', field_id, is_given: random.below(2) === 0 };
    case 1:
      return { kind: 'valued', field_id, is_given: random.below(2) === 0 };
    case 2:
      return { kind: 'text', field_id: idOf(1), compare: random.below(2) === 0 ? 'istartswith' : 'iendswith', text: 'x "y"' };
    case 3:
      return { kind: 'not', of: fieldQuery(random, depth - 1) };
    default:
      return { kind: 'or', of: [fieldQuery(random, depth - 1), { kind: 'compared', field_id: idOf(6), operator: 'gt', value: 5 }] };
  }
};

/** Filters that have a rule, each by itself. */
const FILTERS: readonly ((random: Random) => SearchFilters)[] = [
  (random) => ({ label_ids: ids(random), label_match: random.below(2) === 0 ? 'any' : 'all' }),
  (random) => ({ has_labels: random.below(2) === 0 }),
  (random) => ({ owner_id: idOf(1 + random.below(9)) }),
  (random) => ({ correspondent_ids: ids(random) }),
  (random) => ({ has_correspondent: random.below(2) === 0 }),
  (random) => ({ document_type_ids: ids(random) }),
  (random) => ({ has_document_type: random.below(2) === 0 }),
  (random) => ({ document_date_from: day(random) }),
  (random) => ({ document_date_to: day(random) }),
  (random) => ({ date_from: day(random) }),
  (random) => ({ date_to: day(random) }),
  (random) => ({ archive_number: 1 + random.below(2_147_483_647) }),
  () => ({ mime_types: ['application/pdf'] }),
  (random) => ({ fields: fieldFilters(random) }),
];

/** Conditions that have a rule and no plain filter. */
const CONDITIONS: readonly ((random: Random) => DocumentCondition)[] = [
  () => ({ kind: 'never' }),
  (random) => ({ kind: 'reference', field: 'tag', match: 'none', ids: ids(random) }),
  (random) => ({ kind: 'reference', field: 'correspondent', match: 'none', ids: ids(random) }),
  (random) => ({ kind: 'reference', field: 'document_type', match: 'none', ids: ids(random) }),
  (random) => ({ kind: 'reference', field: 'owner', match: 'none', ids: ids(random) }),
  () => ({ kind: 'reference', field: 'owner', match: 'any', ids: [idOf(1), idOf(2)] }),
  (random) => ({ kind: 'reference', field: 'custom_field', match: 'all', ids: ids(random) }),
  (random) => ({ kind: 'reference', field: 'custom_field', match: 'any', ids: ids(random) }),
  (random) => ({ kind: 'reference', field: 'custom_field', match: 'none', ids: ids(random) }),
  (random) => ({ kind: 'given', field: 'archive_number', is_given: random.below(2) === 0 }),
  (random) => ({ kind: 'given', field: 'custom_field', is_given: random.below(2) === 0 }),
  () => ({ kind: 'text', field: 'title', compare: 'icontains', text: 'a, b' }),
  () => ({ kind: 'text', field: 'custom_fields', compare: 'icontains', text: '%' }),
  () => ({ kind: 'words', fields: ['content'], text: 'rent' }),
  () => ({ kind: 'words', fields: ['title'], text: 'rent' }),
  () => ({ kind: 'words', fields: ['title', 'content'], text: 'rent' }),
  () => ({ kind: 'like', id: idOf(4) }),
  (random) => ({ kind: 'day', field: 'modified', compare: 'lt', day: day(random) }),
  (random) => ({ kind: 'day', field: 'modified', compare: 'gt', day: day(random) }),
  () => ({ kind: 'part', field: 'created', part: 'month', value: 5 }),
  () => ({ kind: 'part', field: 'created', part: 'day', value: 31 }),
  () => ({ kind: 'archive_number', compare: 'gt', value: 7 }),
  () => ({ kind: 'archive_number', compare: 'lt', value: -7 }),
  (random) => ({ kind: 'fields', query: fieldQuery(random) }),
];

const QUERIES = ['', 'rent 2024', 'title:rent', '"a phrase"', 'label:red OR garden'];

const refuse = (_rules: readonly ViewRule[], reason: string): never => {
  throw new Error(reason);
};

/** Without what says nothing, and conditions in no order: all must hold. */
const plain = ({ query, filters }: { readonly query: string; readonly filters: SearchFilters }) => {
  const { conditions = [], fields = {}, ...others } = filters;
  const sorted = conditions.map((each) => JSON.stringify(each)).toSorted();
  return { query, ...others, fields: Object.keys(fields).length === 0 ? undefined : fields, conditions: sorted };
};

test('a search that is written as rules is read as the same search', async (t) => {
  const seed = Date.now() % 1_000_000;
  const random = makeRandom(seed);
  for (let round = 0; round < 2_000; round += 1) {
    const conditions = random.some(CONDITIONS, 0.15).map((make) => make(random));
    const filters = Object.assign({}, ...random.some(FILTERS, 0.3).map((make) => make(random))) as SearchFilters;
    const search = {
      query: QUERIES[random.below(QUERIES.length)] ?? '',
      filters: { ...filters, ...(conditions.length === 0 ? {} : { conditions }) },
    };
    const about = `seed ${seed}: ${JSON.stringify(search)}`;
    const rules = writeRules(search, NUMBERS);
    if (rules === undefined) {
      t.fail(about);
      return;
    }
    t.deepEqual(plain(await readRules(NAMES, rules, { plain: true, refuse })), plain(search), about);
  }
});

test('each filter and condition alone is written and read', async (t) => {
  const random = makeRandom(1);
  const searches = [...FILTERS.map((make) => make(random)), ...CONDITIONS.map((make) => ({ conditions: [make(random)] }))];
  for (const filters of searches) {
    const rules = writeRules({ query: '', filters }, NUMBERS);
    t.truthy(rules, JSON.stringify(filters));
    t.deepEqual(plain(await readRules(NAMES, rules ?? [], { plain: true, refuse })), plain({ query: '', filters }));
  }
});

/** A value of each kind of rule. */
const VALUES: Readonly<Record<number, string | null>> = {
  5: 'true',
  7: 'true',
  8: '2024-01-01',
  9: '2024-01-01',
  10: '2024',
  13: '2024-01-01',
  14: '2024-01-01',
  15: '2024-01-01',
  16: '2024-01-01',
  18: 'true',
  34: 'true',
  41: 'false',
  42: '["OR", [["There amount", "gt", 5], [2, "exists", true]]]',
  43: '2024-01-01',
  44: '2024-01-01',
  45: '2024-01-01',
  46: '2024-01-01',
};

for (const isPlain of [true, false])
  test(`what any kind of rule is read as is written as rules that are read so again${isPlain ? ', as plain filters' : ''}`, async (t) => {
    for (let type = 0; type < 50; type += 1) {
      const values = [VALUES[type] ?? '7', ...([3, 4, 25, 26, 28, 30].includes(type) ? [null] : [])];
      for (const value of values) {
        const search = await readRules(NAMES, [{ rule_type: type, value }], { plain: isPlain, refuse });
        const rules = writeRules(search, NUMBERS);
        t.truthy(rules, `${type} ${value} ${JSON.stringify(search)}`);
        t.deepEqual(await readRules(NAMES, rules ?? [], { plain: isPlain, refuse }), search, `${type} ${value}`);
      }
    }
  });

test('rules without a number that the reader knows are refused one by one', async (t) => {
  const refused: (readonly ViewRule[])[] = [];
  const search = await readRules(
    { ...NAMES, find: () => Promise.resolve(new Map()) },
    [
      { rule_type: 50, value: 'x' },
      { rule_type: 6, value: '1' },
      { rule_type: 0, value: 'kept' },
      { rule_type: 6, value: '2' },
    ],
    { refuse: (rules) => void refused.push(rules) },
  );
  t.deepEqual(search, { query: '', filters: { conditions: [{ kind: 'text', field: 'title', compare: 'icontains', text: 'kept' }] } });
  t.deepEqual(
    refused.map((rules) => rules.map(({ rule_type: type, value }) => `${type} ${value}`)),
    [['50 x'], ['6 1', '6 2']],
  );
});

test('a search that no rules tell is not written', (t) => {
  for (const filters of [
    { min_size: 5 },
    { mime_types: ['application/pdf', 'text/plain'] },
    { date_from: '2024-01-01T10:00:00Z' },
    { fields: { Unknown: { eq: 'x' } } },
    { conditions: [{ kind: 'text', field: 'title', compare: 'icontains', text: 'null' }] },
    { conditions: [{ kind: 'text', field: 'checksum', compare: 'iexact', text: 'x' }] },
    { label_ids: [idOf(1)], conditions: [{ kind: 'reference', field: 'tag', match: 'any', ids: [idOf(2)] }] },
  ] satisfies SearchFilters[])
    t.is(writeRules({ query: '', filters }, NUMBERS), undefined, JSON.stringify(filters));
  t.is(writeRules({ query: 'size:5', filters: {} }, NUMBERS), undefined);
  t.is(writeRules({ query: '', filters: { label_ids: [idOf(1)] } }, { ...NUMBERS, numberOf: () => undefined }), undefined);
});
