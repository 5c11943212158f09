// Every filter, clause and order of both interfaces, compared with a plain reading of random documents. PROPERTY_SEED=7 takes other documents.
import { isFullRun } from '@sheaf/testkit';
import { z } from 'zod';
import { CLAUSES, LIST_ORDERS, type MakeClause, NATIVE_ORDERS, nativeFilters } from '../../support/native-filters.ts';
import { PaperlessClient } from '../../support/paperless.ts';
import { PAPERLESS_ORDERS, paperlessFilters } from '../../support/paperless-filters.ts';
import { type Filter, filter, type Holds, type MakeFilter, type Sorting, sorting } from '../../support/plain-reading.ts';
import { givenRandomDocuments, makeRandom, type PlainLibrary, type Random } from '../../support/random-documents.ts';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ FEATURE_PAPERLESS_API: 'true' });

const SEED = Number(process.env['PROPERTY_SEED'] ?? 20_261_127);
const DOCUMENTS = 40;
const NATIVE = nativeFilters(DOCUMENTS);
const PAPERLESS = paperlessFilters(DOCUMENTS);
const CASES = isFullRun ? 600 : 60;

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

/** The filters in the body of a search, where lists are lists. */
const toBody = (filters: readonly Filter[]): Record<string, unknown> =>
  Object.fromEntries(
    filters.map(({ name, value }) => {
      if (name.endsWith('_ids') || name === 'mime_types') return [name, value.split(',')];
      if (name === 'archive_number') return [name, Number(value)];
      if (name.startsWith('has_')) return [name, value === 'true'];
      return [name, name === 'fields' ? JSON.parse(value) : value];
    }),
  );

/** One to two clauses that must match, or else one to three of which one does, and maybe one that must not. */
const clausesOf = (random: Random, at: number) => {
  const make = (maker: MakeClause) => maker(random);
  const first = CLAUSES[at % CLAUSES.length] ?? random.pick(CLAUSES);
  const wanted = [first, ...random.some(CLAUSES, 0.1).slice(0, 2)].map(make);
  const unwanted = random.chance(0.5) ? [make(random.pick(CLAUSES))] : [];
  const isEither = random.chance(0.5);
  const holds: Holds = (d) =>
    (isEither ? wanted.some(([, each]) => each(d)) : wanted.every(([, each]) => each(d))) && !unwanted.some(([, each]) => each(d));
  const bodies = (list: readonly ReturnType<MakeClause>[]) => list.map(([clause]) => clause);
  return { query: { [isEither ? 'should' : 'must']: bodies(wanted), must_not: bodies(unwanted) }, holds };
};

test.serial(`filters, clauses and orders find what a plain reading finds, of documents of seed ${SEED}`, async (t) => {
  const random = makeRandom(SEED);
  const library = await givenRandomDocuments(t.context, random, DOCUMENTS);
  const { admin, anyone } = t.context;
  const client = await PaperlessClient.signIn(anyone, 'admin');
  const numbers = new Map(library.documents.map(({ id }) => [library.numberOf('document', id), id]));
  const about = (filters: readonly Filter[], { name, isDown }: Sorting, answer: unknown): string =>
    `seed ${SEED}: ${filters.map((each) => `${each.name}=${each.value}`).join('&')} by ${isDown ? '-' : ''}${name}: ${JSON.stringify(answer).slice(0, 300)}`;
  for (let at = 0; at < CASES; at += 1) {
    const native = chosen(random, library, NATIVE, at);
    const byList = sorting(random, LIST_ORDERS, 'id');
    const query = new URLSearchParams([
      ...native.map(({ name, value }): [string, string] => [name, value]),
      ['sort', byList.name],
      ['order', byList.isDown ? 'desc' : 'asc'],
      ['per_page', '100'],
    ]);
    const list = await admin.get(`/api/documents?${query}`);
    const rows = data.safeParse(list.body).data;
    t.deepEqual(
      rows?.data.map(({ id }) => id),
      expected(library, native, byList),
      about(native, byList, list.body),
    );
    t.is(rows?.pagination.total, rows?.data.length);

    const bySearch = sorting(random, NATIVE_ORDERS, 'newest');
    const search = new URLSearchParams({
      filters: JSON.stringify(toBody(native)),
      sort: bySearch.name,
      order: bySearch.isDown ? 'desc' : 'asc',
      per_page: '100',
    });
    const found = await admin.get(`/api/search?${search}`);
    const foundRows = hits.safeParse(found.body).data;
    t.deepEqual(
      foundRows?.results.map(({ document_id: id }) => id),
      expected(library, native, bySearch),
      `search ${about(native, bySearch, found.body)}`,
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

    const { query: clauses, holds } = clausesOf(random, at);
    const body = { query: clauses, sort: [{ field: bySearch.name, order: bySearch.isDown ? 'desc' : 'asc' }], per_page: 100 };
    const matched = await admin.post('/api/search/advanced', body);
    const matches = hits.safeParse(matched.body).data?.results.map(({ document_id: id }) => id);
    const wanted = expected(library, [filter('clauses', JSON.stringify(clauses), holds)], bySearch);
    t.deepEqual(matches, wanted, `seed ${SEED}: ${JSON.stringify(body)}: ${JSON.stringify(matched.body).slice(0, 300)}`);
  }
});
