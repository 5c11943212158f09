import { INTERFACE } from '@sheaf/contract/interface';
import { filtersOf, queryOfOfSearchState as queryOf, toggled, yearOf } from '@sheaf/web/testing';
import test from 'ava';

const LABEL = '00000000-0000-7000-8000-000000000001';

test('filters are those of the address, and none where it has none', (t) => {
  t.is(filtersOf({ q: 'rent', page: '3' }), undefined);
  t.is(filtersOf({ kinds: '', confidence: '0' }), undefined);
  t.deepEqual(filtersOf({ kinds: 'application/pdf,text/plain', labels: LABEL, from: '2026-01-01', confidence: '85' }), {
    mime_types: ['application/pdf', 'text/plain'],
    label_ids: [LABEL],
    label_match: 'all',
    date_from: '2026-01-01',
    min_confidence: 0.85,
  });
});

test('the service understands every search that an address can say', (t) => {
  const { query } = INTERFACE['get /api/search'];
  for (const state of [
    {},
    { q: 'rent', page: '-1', sort: 'toString' },
    { q: '"a b" -c', page: '2', fuzzy: 'true', sort: 'byTitle', kinds: 'text/plain', labels: LABEL, to: '2026-02-01', confidence: '5' },
    { sort: 'byDocumentDate', correspondents: `${LABEL},${LABEL}`, types: LABEL, dated: '2026-01-01', datedTo: '2026-12-31' },
  ])
    t.true(query.safeParse({ ...queryOf(state), q: 'q' in state ? state.q : 'x' }).success, JSON.stringify(state));
});

test('filters by the facts of documents', (t) => {
  t.deepEqual(filtersOf({ correspondents: LABEL, types: LABEL, dated: '2026-01-01', datedTo: '2026-12-31' }), {
    correspondent_ids: [LABEL],
    document_type_ids: [LABEL],
    document_date_from: '2026-01-01',
    document_date_to: '2026-12-31',
  });
  t.is(yearOf('2026-01-01', '2026-12-31'), '2026');
  for (const [from, to] of [['2026-01-01'], ['2026-01-01', '2027-12-31'], ['2026-02-01', '2026-12-31'], []])
    t.is(yearOf(from, to), undefined);
});

test('a value of a list is put in, and taken out again', (t) => {
  t.is(toggled(undefined, 'a'), 'a');
  t.is(toggled('a', 'b'), 'a,b');
  t.is(toggled('a,b', 'a'), 'b');
  t.is(toggled('a', 'a'), undefined);
});
