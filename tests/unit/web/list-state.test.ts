import { INTERFACE } from '@sheaf/contract/interface';
import { bulkFilterOf, isFiltered, queryOfOfListState as queryOf, SORT_NAMES } from '@sheaf/web/testing';
import test from 'ava';

const LABELS = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002'];
const FULL = {
  status: 'failed',
  source: LABELS[0],
  labels: LABELS.join(','),
  from: '2026-01-01',
  to: '2026-02-01',
  correspondent: LABELS[1],
  document_type: 'none',
} as const;

test('an address without anything shows the newest first', (t) => {
  t.deepEqual(queryOf({}), { sort: 'created_at', order: 'desc' });
  t.deepEqual(bulkFilterOf({}), {});
  t.false(isFiltered({ sort: 'byTitle', view: 'grid' }), 'an order is no filter');
  t.true(isFiltered({ to: '2026-01-01' }));
});

test('everything that an address can say is understood by the service, for the list and for an action on all of it', (t) => {
  const query = INTERFACE['get /api/documents'].query;
  for (const sort of SORT_NAMES) t.true(query.safeParse(queryOf({ ...FULL, sort })).success, sort);
  t.true(INTERFACE['post /api/documents/bulk'].body.safeParse({ action: 'delete', filter: bulkFilterOf(FULL) }).success);
});

test('an action on all documents is on those that the list shows', (t) => {
  const { sort: _, order: __, label_ids, correspondent_ids, has_document_type, ...shown } = queryOf(FULL);
  t.deepEqual(bulkFilterOf(FULL), {
    ...shown,
    label_ids: String(label_ids).split(','),
    correspondent_ids: [correspondent_ids],
    has_document_type: has_document_type !== 'false',
  });
});

test('what nobody can have chosen is ignored', (t) => {
  t.deepEqual(queryOf({ sort: 'toString', status: 'gone', labels: '' }), queryOf({}));
});
