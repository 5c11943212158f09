// Every filter, clause and order of both interfaces, compared with a plain reading of random documents. PROPERTY_SEED=7 takes other documents.

import { RULE_TYPES } from '@sheaf/paperless/testing';
import { isFullRun } from '@sheaf/testkit';
import { z } from 'zod';
import { CLAUSES, LIST_ORDERS, type MakeClause, NATIVE_ORDERS, nativeFilters, QUERIES } from '../../support/native-filters.ts';
import { PaperlessClient } from '../../support/paperless.ts';
import { PAPERLESS_ORDERS, paperlessFilters } from '../../support/paperless-filters.ts';
import { type Filter, filter, type Holds, type MakeFilter, type Sorting, sorting } from '../../support/plain-reading.ts';
import { givenRandomDocuments, makeRandom, type PlainLibrary, type Random } from '../../support/random-documents.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ FEATURE_PAPERLESS_API: 'true' });

const SEED = Number(process.env['PROPERTY_SEED'] ?? 20_261_127);
const DOCUMENTS = 40;
const NATIVE = nativeFilters(DOCUMENTS);
const PAPERLESS = paperlessFilters(DOCUMENTS);
const CASES = isFullRun ? 600 : 30;

/** One to three filters, each of another name. */
const chosen = (random: Random, library: PlainLibrary, makers: readonly MakeFilter[], at: number): readonly Filter[] => {
  const first = makers[at % makers.length] ?? random.pick(makers);
  const filters = [first, ...random.some(makers, 1 / makers.length)].map((make) => make(random, library));
  return [...new Map(filters.map((each) => [each.name, each])).values()];
};

const expected = ({ documents }: PlainLibrary, filters: readonly Filter[], order: Sorting): string[] =>
  documents
    .filter((document) => filters.every(({ holds }) => holds(document)))
    .toSorted(order.of)
    .map(({ id }) => id);

const data = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })), pagination: z.looseObject({ total: z.int() }) });
const hits = z.looseObject({ results: z.array(z.looseObject({ document_id: z.string() })), total: z.int() });
const listed = z.looseObject({ count: z.int(), results: z.array(z.looseObject({ id: z.int() })) });

/** Those of lists or of searches. */
const meantFor = (filters: readonly Filter[], kind: 'list' | 'search'): readonly Filter[] =>
  filters.filter(({ only = kind }) => only === kind);
const parametersOf = ({ name, value, more = {} }: Filter): [string, string][] => [[name, value], ...Object.entries(more)];

/** The filters in the body of a search, where lists are lists. */
const toBody = (filters: readonly Filter[]): Record<string, unknown> =>
  Object.fromEntries(
    filters.flatMap(parametersOf).map(([name, value]) => {
      if (name.endsWith('_ids') || name === 'mime_types') return [name, value.split(',')];
      if (name === 'archive_number' || name.startsWith('min_') || name.startsWith('max_')) return [name, Number(value)];
      if (name.startsWith('has_')) return [name, value === 'true'];
      return [name, name === 'fields' ? JSON.parse(value) : value];
    }),
  );

/** One to two clauses that must match, or else one to three of which one does, and maybe one that must not. */
const clausesOf = (random: Random, library: PlainLibrary, at: number) => {
  const make = (maker: MakeClause) => maker(random, library);
  const first = CLAUSES[at % CLAUSES.length] ?? random.pick(CLAUSES);
  const wanted = [first, ...random.some(CLAUSES, 0.1).slice(0, 2)].map(make);
  const unwanted = random.chance(0.5) ? [make(random.pick(CLAUSES))] : [];
  const isEither = random.chance(0.5);
  const holds: Holds = (d) =>
    (isEither ? wanted.some(([, each]) => each(d)) : wanted.every(([, each]) => each(d))) && !unwanted.some(([, each]) => each(d));
  const bodies = (list: readonly ReturnType<MakeClause>[]) => list.map(([clause]) => clause);
  return { query: { [isEither ? 'should' : 'must']: bodies(wanted), must_not: bodies(unwanted) }, holds };
};

/** One part of a query, or several that must all match; a part with OR stands alone, and one that excludes never. */
const queryOf = (random: Random, at: number) => {
  const isExcluding = (text: string): boolean => text.startsWith('-');
  const parts = [QUERIES[at % QUERIES.length] ?? random.pick(QUERIES), ...random.some(QUERIES, 0.06)].map((make) => make(random));
  const joined = parts.filter(([text]) => !text.includes(' OR '));
  const [either] = parts.filter(([text]) => text.includes(' OR '));
  const used = either !== undefined && random.chance(0.5) ? [either] : joined;
  const kept = used.every(([text]) => isExcluding(text)) ? [...used, ['added:<=2099-01-01', () => true] as const] : used;
  const holds: Holds = (d) => kept.every(([, each]) => each(d));
  return { query: kept.map(([text]) => text).join(' '), holds };
};

const TYPE_OF = new Map(Object.entries(RULE_TYPES).map(([type, { parameter }]) => [parameter, Number(type)]));

/** The rules of a saved view of Paperless that say the same as filters of its list. */
const rulesOf = (filters: readonly Filter[]) =>
  filters.flatMap(({ name, value }) => {
    const type = TYPE_OF.get(name) ?? -1;
    const values = RULE_TYPES[type]?.isMulti === true ? value.split(',') : [value];
    return values.map((each) => ({ rule_type: type, value: each }));
  });
const NO_IDS = new Map<string, string>();
const NOTHING: PlainLibrary = {
  documents: [],
  labels: NO_IDS,
  correspondents: NO_IDS,
  types: NO_IDS,
  owners: new Map([['admin', '']]),
  sources: NO_IDS,
  fields: new Map(),
  numberOf: () => 0,
};
/** Those that views have rules of. */
const VIEWABLE = PAPERLESS.filter((make) => TYPE_OF.has(make(makeRandom(1), NOTHING).name));

let made: Promise<PlainLibrary> | undefined;
const libraryOf = (api: RunningApi): Promise<PlainLibrary> => {
  made ??= givenRandomDocuments(api, makeRandom(SEED), DOCUMENTS);
  return made;
};

test.serial(`filters, clauses and orders find what a plain reading finds, of documents of seed ${SEED}`, async (t) => {
  const random = makeRandom(SEED);
  const library = await libraryOf(t.context);
  const { admin, anyone } = t.context;
  const client = await PaperlessClient.signIn(anyone, 'admin');
  const numbers = new Map(library.documents.map(({ id }) => [library.numberOf('document', id), id]));
  const about = (filters: readonly Filter[], { name, isDown }: Sorting, answer: unknown): string =>
    `seed ${SEED}: ${filters.map((each) => `${each.name}=${each.value}`).join('&')} by ${isDown ? '-' : ''}${name}: ${JSON.stringify(answer).slice(0, 300)}`;
  for (let at = 0; at < CASES; at += 1) {
    const native = chosen(random, library, NATIVE, at);
    const byList = sorting(random, LIST_ORDERS, 'id');
    const ofList = meantFor(native, 'list');
    const query = new URLSearchParams([
      ...ofList.flatMap(parametersOf),
      ['sort', byList.name],
      ['order', byList.isDown ? 'desc' : 'asc'],
      ['per_page', '100'],
    ]);
    const list = await admin.get(`/api/documents?${query}`);
    const rows = data.safeParse(list.body).data;
    t.deepEqual(
      rows?.data.map(({ id }) => id),
      expected(library, ofList, byList),
      about(ofList, byList, list.body),
    );
    t.is(rows?.pagination.total, rows?.data.length);

    const bySearch = sorting(random, NATIVE_ORDERS, 'newest');
    const ofSearch = meantFor(native, 'search');
    const search = new URLSearchParams({
      filters: JSON.stringify(toBody(ofSearch)),
      sort: bySearch.name,
      order: bySearch.isDown ? 'desc' : 'asc',
      per_page: '100',
    });
    const found = await admin.get(`/api/search?${search}`);
    const foundRows = hits.safeParse(found.body).data;
    t.deepEqual(
      foundRows?.results.map(({ document_id: id }) => id),
      expected(library, ofSearch, bySearch),
      `search ${about(ofSearch, bySearch, found.body)}`,
    );
    t.is(foundRows?.total, foundRows?.results.length);

    const theirs = chosen(random, library, PAPERLESS, at * 3 + random.below(3));
    const ordering = sorting(random, PAPERLESS_ORDERS, 'id');
    const asked = new URLSearchParams([
      ...theirs.map(({ name, value }): [string, string] => [name, value]),
      ['ordering', `${ordering.isDown ? '-' : ''}${ordering.name}`],
      ['page_size', '100'],
    ]);
    const answer = await client.get(`documents/?${asked}`);
    const answered = listed.safeParse(answer.body).data;
    t.deepEqual(
      answered?.results.map(({ id }) => numbers.get(id) ?? ''),
      expected(library, theirs, ordering),
      about(theirs, ordering, answer.body),
    );
    t.is(answered?.count, answered?.results.length);

    const { query: clauses, holds } = clausesOf(random, library, at);
    const body = { query: clauses, sort: [{ field: bySearch.name, order: bySearch.isDown ? 'desc' : 'asc' }], per_page: 100 };
    const matched = await admin.post('/api/search/advanced', body);
    const matches = hits.safeParse(matched.body).data?.results.map(({ document_id: id }) => id);
    const wanted = expected(library, [filter('clauses', JSON.stringify(clauses), holds)], bySearch);
    t.deepEqual(matches, wanted, `seed ${SEED}: ${JSON.stringify(body)}: ${JSON.stringify(matched.body).slice(0, 300)}`);

    const asking = queryOf(random, at);
    const typed = new URLSearchParams({ q: asking.query, sort: bySearch.name, order: bySearch.isDown ? 'desc' : 'asc', per_page: '100' });
    const read = await admin.get(`/api/search?${typed}`);
    t.deepEqual(
      hits.safeParse(read.body).data?.results.map(({ document_id: id }) => id),
      expected(library, [filter('q', asking.query, asking.holds)], bySearch),
      `seed ${SEED}: ${asking.query}: ${JSON.stringify(read.body).slice(0, 300)}`,
    );
    t.is(read.body['warnings'], undefined, asking.query);
  }
});

/** Documents that are like another one come by how much they are, which no plain reading says; the types of rules have a test of it. */
const NOT_READ = [21];

const savedSearches = z.array(z.looseObject({ query: z.string(), filters: z.record(z.string(), z.unknown()), count: z.int() }));

test.serial(`saved views of Paperless find what a plain reading finds, of documents of seed ${SEED}`, async (t) => {
  const random = makeRandom(SEED + 1);
  const library = await libraryOf(t.context);
  const { admin, anyone } = t.context;
  const client = await PaperlessClient.signIn(anyone, 'admin');
  const types = VIEWABLE.map((make) => TYPE_OF.get(make(random, library).name));
  t.deepEqual(
    Array.from({ length: 50 }, (_, type) => type).filter((type) => !types.includes(type) && !NOT_READ.includes(type)),
    [],
  );
  for (let at = 0; at < Math.max(CASES, VIEWABLE.length); at += 1) {
    const filters = chosen(random, library, VIEWABLE, at);
    const rules = rulesOf(filters);
    const about = `seed ${SEED}: ${JSON.stringify(rules)}`;
    const view = await client.post('saved_views/', { name: 'View', sort_field: 'created', filter_rules: rules });
    t.is(view.status, 201, `${about}: ${JSON.stringify(view.body)}`);
    const [saved] = savedSearches.parse((await admin.get('/api/saved-searches?with_counts=true')).body['data']);
    const asked = new URLSearchParams({
      q: saved?.query ?? '',
      filters: JSON.stringify(saved?.filters),
      sort: 'created_at',
      per_page: '100',
    });
    const answer = await admin.get(`/api/search?${asked}`);
    const found = hits.safeParse(answer.body).data?.results.map(({ document_id: id }) => id);
    const wanted = library.documents.filter((document) => filters.every(({ holds }) => holds(document))).map(({ id }) => id);
    t.deepEqual(found?.toSorted(), wanted.toSorted(), `${about}: ${JSON.stringify(saved)}: ${JSON.stringify(answer.body).slice(0, 300)}`);
    t.is(saved?.count, wanted.length, about);
    const { id } = z.looseObject({ id: z.int() }).parse(view.body);
    t.is((await client.send('DELETE', `saved_views/${id}/`)).status, 204);
  }
});
