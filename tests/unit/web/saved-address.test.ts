import { INTERFACE } from '@sheaf/contract/interface';
import {
  addressOf,
  bulkFilterOf,
  filtersOf,
  type ListState,
  queryOfOfSearchState as queryOf,
  type SearchState,
  shownOfList,
  shownOfSearch,
} from '@sheaf/web/testing';
import test from 'ava';

const LABEL = '00000000-0000-7000-8000-000000000001';
const OTHER = '00000000-0000-7000-8000-000000000002';

const partsOf = (address: string): [path: string, state: Record<string, string>] => {
  const [path = '', query = ''] = address.split('?');
  return [path, Object.fromEntries(new URLSearchParams(query))];
};

test('a search that is saved and opened again is the same', (t) => {
  const states: readonly SearchState[] = [
    { q: 'rent' },
    { q: 'a&b=c#d %26 "e" -f', sort: 'byTitle' },
    {
      q: 'rent',
      kinds: 'application/pdf,text/plain',
      languages: 'deu,eng',
      labels: `${LABEL},${OTHER}`,
      from: '2026-01-01',
      to: '2026-12-31',
    },
    { q: 'rent', confidence: '57', sort: 'oldest', labels: LABEL },
  ];
  for (const state of states) t.deepEqual(partsOf(addressOf(shownOfSearch(state))), ['/search', { ...state }], JSON.stringify(state));
});

test('a filtered list that is saved and opened again is the same', (t) => {
  const states: readonly ListState[] = [
    { status: 'failed' },
    { source: LABEL, labels: `${LABEL},${OTHER}`, from: '2026-01-01', to: '2026-01-31', kinds: 'text/plain', sort: 'byTitle' },
    { owner: OTHER, labelled: 'none' },
    { status: 'failed', columns: 'correspondent,document_date,status' },
    {},
  ];
  for (const state of states) t.deepEqual(partsOf(addressOf(shownOfList(state))), ['/documents', { ...state }], JSON.stringify(state));
});

test('no filter is lost that the fields of a screen do not say', (t) => {
  const filters: readonly Record<string, unknown>[] = [
    { source_id: LABEL, min_size: 10 },
    { label_ids: [LABEL, OTHER], label_match: 'any', mime_types: ['text/plain'] },
    { mime_types: ['odd,type'], language: 'deu' },
    { min_confidence: 0.123_456 },
    { date_range: { from: '2026' }, has_labels: true, status: 'completed' },
    { mime_types: [] },
  ];
  for (const one of filters) {
    const [path, state] = partsOf(addressOf({ query: 'rent', filters: one, sort: 'score', order: 'desc', columns: ['size'] }));
    t.is(path, '/search');
    const language = one['language'];
    t.deepEqual(filtersOf(state), { ...one, ...(typeof language === 'string' ? { language: [language] } : {}) }, JSON.stringify(one));
  }
});

test('one label is found by all or any, and unknown orders and columns are those of the screen', (t) => {
  const filters = { label_ids: [LABEL] };
  t.deepEqual(partsOf(addressOf({ query: '', filters, sort: 'score', order: 'asc', columns: ['colour', 'a,size'] })), [
    '/documents',
    { labels: LABEL },
  ]);
});

test('what an address says is saved as the service takes it, and what it cannot say of filters is ignored', (t) => {
  const { body } = INTERFACE['post /api/saved-searches'];
  for (const shown of [
    shownOfSearch({ q: 'rent', labels: LABEL, more: '{"min_size":3}' }),
    shownOfList({ labelled: 'none', kinds: 'a/b' }),
  ])
    t.true(body.safeParse({ name: 'x', ...shown }).success, JSON.stringify(shown));
  for (const more of ['{', '[1]', 'null', '"x"', '3']) t.is(queryOf({ q: 'x', more }).filters, undefined, more);
  t.deepEqual(bulkFilterOf({}), {});
});
