import { randomUUID } from 'node:crypto';
import { type AdvancedSearchRequest, advancedSearchRequest } from '@sheaf/contract/search';
import { advancedQuery, searchByQuery } from '@sheaf/search';
import { givenUser, principalOf } from '@sheaf/testkit';
import type { Principal } from '@sheaf/vocabulary/permissions';
import * as fc from 'fast-check';
import { givenLabel, openLibrary, testWithDatabases } from './library.ts';

const test = testWithDatabases();

type Given = Partial<Omit<AdvancedSearchRequest, 'query'>> & { query?: Record<string, readonly Record<string, unknown>[]> };

/** A library that answers advanced searches as they come over the wire. */
const openAdvanced = async (...[db]: Parameters<typeof openLibrary>) => {
  const library = await openLibrary(db);
  const answer = (given: unknown, as: Principal = principalOf(library.owner)) => {
    const { query, per_page: perPage, ...rest } = advancedSearchRequest.parse(given);
    return searchByQuery(db, as, { query: advancedQuery(query), perPage, ...rest });
  };
  const found = async (given: Given, as?: Principal): Promise<string[]> =>
    (await answer({ query: {}, ...given }, as)).results.map((hit) => hit.title).toSorted();
  const must = (...clauses: Record<string, unknown>[]): Promise<string[]> => found({ query: { must: clauses } });
  return { ...library, answer, found, must };
};

test('each type of clause in each field', async (t) => {
  const { db, pool } = t.context;
  const { put, must } = await openAdvanced(db);
  const [tax, rates] = [await givenLabel(db, 'Tax 2024'), await givenLabel(db, 'Interest rates')];
  const a = await put({
    title: 'Annual Report 100%',
    filename: 'report_2024.pdf',
    pages: ['The crème of the agreement was signed'],
    labels: [tax],
  });
  await put({ title: 'Reporting', filename: 'Report.PNG', pages: ['signed agreements'], labels: [rates], mimeType: 'image/png' });
  await pool.query(
    `update documents set metadata = '{"author": "Zoë Müller", "year": 2024, "paid": true, "x.y": "dotted"}' where id = $1`,
    [a],
  );
  const [one, other] = ['Annual Report 100%', 'Reporting'];
  const cases: [string | undefined, string, string | number | boolean, string[]][] = [
    [undefined, 'match', 'agreement signing', [one, other]],
    ['any', 'match', 'annual agreement', [one]],
    ['any', 'contains', 'agreement was sig', [one]],
    ['any', 'exact', 'agreement was signed', [one]],
    ['any', 'exact', 'signed agreement', [other]],
    ['content', 'match', 'signed agreement', [one, other]],
    ['content', 'match', 'annual', []],
    ['content', 'contains', 'signed agree', [other]],
    ['content', 'exact', 'creme of the agreement', [one]],
    ['content', 'exact', 'agreement creme', []],
    ['title', 'match', 'report annual', [one]],
    ['title', 'match', 'reports', [one, other]],
    ['title', 'match', 'agreement', []],
    ['title', 'contains', 'NUAL RÉP', [one]],
    ['title', 'contains', '0%', [one]],
    ['title', 'contains', '%', [one]],
    ['title', 'contains', '_', []],
    ['title', 'exact', 'reporting', [other]],
    ['title', 'exact', 'report', []],
    ['title', 'exact', 'Réporting', []],
    ['filename', 'match', 'report', [one, other]],
    ['filename', 'contains', 't_2', [one]],
    ['filename', 'exact', 'report.png', [other]],
    ['label', 'match', 'tax 2024', [one]],
    ['label', 'exact', 'TAX 2024', [one]],
    ['label', 'exact', 'tax', []],
    ['label', 'contains', 'tÉrest', [other]],
    ['mime_type', 'match', 'png', [other]],
    ['mime_type', 'contains', 'application/', [one]],
    ['mime_type', 'exact', 'IMAGE/png', [other]],
    ['mime_type', 'exact', 'image', []],
    ['metadata.author', 'match', 'muller zoe', [one]],
    ['metadata.author', 'contains', 'oë mü', [one]],
    ['metadata.author', 'exact', 'zoë müller', [one]],
    ['metadata.author', 'exact', 'zoe muller', []],
    ['metadata.year', 'exact', 2024, [one]],
    ['metadata.paid', 'exact', true, [one]],
    ['metadata.x.y', 'exact', 'dotted', [one]],
    ['metadata.nothing', 'contains', 'a', []],
  ];
  for (const [field, type, value, expected] of cases)
    t.deepEqual(await must({ ...(field === undefined ? {} : { field }), type, value }), expected, `${field} ${type} ${value}`);
});

test('must, should and must_not together', async (t) => {
  const { put, found, answer } = await openAdvanced(t.context.db);
  await put({ title: 'a', pages: ['apple pear'] });
  await put({ title: 'b', pages: ['apple'], mimeType: 'image/png' });
  await put({ title: 'c', pages: ['pear plum'] });
  const word = (value: string) => ({ field: 'content', value });
  t.deepEqual(await found({ query: { should: [word('apple'), word('plum')] } }), ['a', 'b', 'c']);
  t.deepEqual(await found({ query: { should: [word('apple pear'), word('plum')] } }), ['a', 'c'], 'a clause holds as a whole');
  t.deepEqual(await found({ query: { must: [word('pear')], must_not: [word('plum')] } }), ['a']);
  t.deepEqual(await found({ query: { must_not: [word('pear plum')] } }), ['a', 'b'], 'an exclusion holds as a whole as well');
  t.deepEqual(await found({ query: { must_not: [word('plum')] } }), ['a', 'b'], 'all but those');
  t.deepEqual(await found({ query: { must_not: [{ field: 'mime_type', value: 'image/png' }] } }), ['a', 'c']);
  t.deepEqual(await found({ query: {} }), ['a', 'b', 'c'], 'no clause is every document');
  t.deepEqual(await found({ query: { must: [word('the')] } }), [], 'a stop word asks for something that is nowhere');
  t.deepEqual(await found({ query: { should: [{ field: 'mime_type', value: 'image/png', type: 'exact' }, word('plum')] } }), ['b', 'c']);
  const ranked = await answer({ query: { must: [word('apple')], should: [{ field: 'mime_type', value: 'image/png' }] } });
  t.deepEqual(
    ranked.results.map((hit) => hit.title),
    ['b', 'a'],
    'a condition raises the score, though it is not needed',
  );
  t.true(ranked.results.every((hit) => hit.score > 0));
});

test('conditions alone find the newest first, with a score of nothing and facets', async (t) => {
  const { put, answer } = await openAdvanced(t.context.db);
  const old = await put({ title: 'old', pages: ['x'] });
  await t.context.pool.query(`update documents set created_at = '2020-01-01Z' where id = $1`, [old]);
  await put({ title: 'new', pages: ['y'] });
  await put({ title: 'other', mimeType: 'image/png' });
  const body = await answer({ query: { must: [{ field: 'mime_type', value: 'application/pdf', type: 'exact' }] } });
  t.deepEqual(
    body.results.map(({ title, score, highlights, page }) => [title, score, highlights, page]),
    [
      ['new', 0, [], null],
      ['old', 0, [], null],
    ],
  );
  t.deepEqual([body.total, body.facets.mime_types], [2, { 'application/pdf': 2 }]);
});

test('filters of both kinds narrow an advanced search', async (t) => {
  const { put, found } = await openAdvanced(t.context.db);
  const a = await put({ title: 'a', pages: ['word'], mimeType: 'image/png' });
  await put({ title: 'b', pages: ['word'] });
  await t.context.pool.query(`update documents set created_at = '2024-03-05T12:00:00Z', ocr_confidence = 0.5 where id = $1`, [a]);
  t.deepEqual(await found({ filters: { date_range: { from: '2024-03-05', to: '2024-03-05' } } }), ['a']);
  t.deepEqual(await found({ filters: { date_range: { from: '2024-03-06' } } }), ['b']);
  t.deepEqual(await found({ filters: { date_range: { to: '2024-03-06' }, date_to: '2024-03-01' } }), []);
  t.deepEqual(await found({ filters: { mime_types: ['image/png'], min_confidence: 0.5 } }), ['a']);
  t.deepEqual(await found({ filters: { min_confidence: 0.6 } }), []);
});

test('sorted by fields, the first key first', async (t) => {
  const { put, answer } = await openAdvanced(t.context.db);
  await put({ title: 'b', pages: ['word word word'], sizeBytes: 2 });
  await put({ title: 'a', pages: ['word'], sizeBytes: 2 });
  await put({ title: 'c', pages: ['word and so much more that is not of interest'], sizeBytes: 1 });
  const titles = async (...sort: Record<string, string>[]): Promise<string> =>
    (await answer({ query: { must: [{ value: 'word' }] }, sort })).results.map((hit) => hit.title).join('');
  t.is(await titles(), 'bac');
  t.is(await titles({ field: 'title', order: 'asc' }), 'abc');
  t.is(await titles({ field: 'title' }), 'cba');
  t.is(await titles({ field: 'size', order: 'desc' }, { field: 'title', order: 'asc' }), 'abc');
  t.is(await titles({ field: 'size', order: 'asc' }, { field: 'relevance' }), 'cba');
  t.is(await titles({ field: 'relevance', order: 'asc' }), 'cab');
  t.is(await titles({ field: 'created_at', order: 'asc' }), 'bac');
});

test('an advanced search tells only of what one may read', async (t) => {
  const { put, answer } = await openAdvanced(t.context.db);
  const reader = await givenUser(t.context.db);
  await put({ title: 'not his', pages: ['word'] });
  await put({ title: 'his', pages: ['word'], ownerId: reader.id });
  const own = principalOf(reader, ['documents.read.own', 'search.query']);
  for (const query of [{}, { must_not: [{ value: 'other' }] }, { must: [{ field: 'title', type: 'contains', value: 'his' }] }]) {
    const body = await answer({ query }, own);
    t.deepEqual([body.total, body.results.map((hit) => hit.title), body.facets.mime_types], [1, ['his'], { 'application/pdf': 1 }]);
  }
  t.is((await answer({ query: {} }, principalOf(reader, ['search.query']))).total, 0);
});

test('whatever the clauses are, they are answered in bounded time', async (t) => {
  const { put, answer } = await openAdvanced(t.context.db);
  await put({ title: "it's %_\\ a", pages: ['some text'] });
  const text = fc.oneof(
    fc.constantFrom('%', '_', '\\', "'", '"', '\0', '\ud800', ':*', '!', '-', 'the', ' ', '* OR', '\u202ea', '％'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
  );
  const field = fc.oneof(
    fc.constantFrom('any', 'title', 'filename', 'content', 'label', 'labels', 'mime_type', 'status', 'source'),
    text.map((key) => `metadata.${key}`),
  );
  const clause = fc.record({ field, value: text, type: fc.constantFrom('match', 'contains', 'exact') });
  const clauses = fc.array(clause, { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(fc.record({ must: clauses, should: clauses, must_not: clauses }), fc.boolean(), async (query, fuzzy) => {
      const body = await answer({ query, fuzzy });
      t.true(body.total <= 1);
    }),
    { numRuns: 80 },
  );
  const many = Array.from({ length: 64 }, (_, i) => ({
    value: `${i} word`.repeat(70).slice(0, 500),
    type: i % 2 === 0 ? 'match' : 'exact',
  }));
  const started = performance.now();
  await answer({ query: { should: many }, fuzzy: true });
  t.true(performance.now() - started < 5_000);
});

test('clauses on labels, status, source and time', async (t) => {
  const { db } = t.context;
  const { put, found } = await openAdvanced(db);
  const label = await givenLabel(db, 'Kept papers');
  const source = randomUUID();
  const one = await put({ title: 'one', filename: 'one.pdf', pages: ['words'], labels: [label] });
  await put({ title: 'two', filename: 'two.png', pages: ['words'] });
  await t.context.pool.query(`update documents set status = 'failed', error_code = 'x', source_id = $2, source = 'webdav' where id = $1`, [
    one,
    source,
  ]);
  await t.context.pool.query(`update document_search set created_at = '2020-05-05T12:00:00Z' where document_id = $1`, [one]);
  const clauses: (readonly [field: string, value: string, type?: 'match' | 'contains' | 'exact'])[] = [
    ['labels', 'kept papers'],
    ['label', label],
    ['labels', label, 'exact'],
    ['labels', 'kept', 'contains'],
    ['status', 'failed'],
    ['source', 'webdav'],
    ['source', source],
    ['created_at', '2020-05-05'],
    ['created_at', '2020-05-05T12:00Z'],
  ];
  for (const [field, value, type = 'match'] of clauses) {
    t.deepEqual(await found({ query: { must: [{ field, value, type }] } }), ['one'], `${field} ${value}`);
    t.deepEqual(await found({ query: { must_not: [{ field, value, type }] } }), ['two'], `not ${field} ${value}`);
  }
  t.deepEqual(await found({ query: { must: [{ field: 'created_at', value: '2020-05-06' }] } }), []);
  t.deepEqual(await found({ query: { must: [{ field: 'source', value: randomUUID() }] } }), []);
});

test('an empty list of a filter filters nothing', async (t) => {
  const { db } = t.context;
  const { put, found } = await openAdvanced(db);
  await put({ title: 'one', filename: 'one.pdf', pages: ['words'], labels: [await givenLabel(db, 'some')] });
  await put({ title: 'two', filename: 'two.png', pages: ['words'], mimeType: 'image/png' });
  t.deepEqual(await found({ filters: { mime_types: [], label_ids: [], language: [], date_range: {} } }), ['one', 'two']);
  t.deepEqual(await found({ filters: { mime_types: ['image/png'], label_ids: [] } }), ['two']);
  t.deepEqual(await found({ filters: { date_range: { to: '2020' } } }), []);
});

test('score is what hits are sorted by where nothing is said, and relevance is its other name', async (t) => {
  const { db } = t.context;
  const { put, answer } = await openAdvanced(db);
  await put({ title: 'much', filename: 'a.txt', pages: ['harbour harbour harbour'] });
  await put({ title: 'little', filename: 'b.txt', pages: ['a harbour beside many other words of no interest at all'] });
  const sorted = async (sort: AdvancedSearchRequest['sort']): Promise<string[]> =>
    (await answer({ query: { must: [{ value: 'harbour' }] }, sort })).results.map(({ title }) => title);
  t.deepEqual(await sorted([]), ['much', 'little']);
  t.deepEqual(await sorted([{ field: 'score', order: 'asc' }]), ['little', 'much']);
  t.deepEqual(await sorted([{ field: 'relevance', order: 'asc' }]), ['little', 'much']);
});
