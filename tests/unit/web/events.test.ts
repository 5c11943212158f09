import { makeEventApplier, touchedBy, withStatus } from '@sheaf/web/testing';
import test from 'ava';
import { mockTime } from '../../support/mocked-time.ts';

type Client = Parameters<typeof makeEventApplier>[0];
type List = Parameters<typeof withStatus>[0];
const list = (...statuses: string[]): List => ({ data: statuses.map((status, index) => ({ id: `d${index}`, status })) }) as unknown as List;

const progress = (id: string, status: string, percent = 50) => ({
  type: 'ocr_progress',
  seq: 1,
  timestamp: '2026-01-01T00:00:00Z',
  data: { document_id: id, status, progress: percent },
});

/** Keeps one list, and notes what is asked again. */
const noting = (kept: List) => {
  const asked: string[] = [];
  const state = { list: kept };
  const client = {
    invalidateQueries: async ({ queryKey }: { readonly queryKey: unknown }) => void asked.push(JSON.stringify(queryKey)),
    setQueriesData: (_filters: unknown, update: (list: List) => List) => {
      state.list = update(state.list);
      return [];
    },
  };
  return { client: client as unknown as Client, asked, state };
};

test('a new status is written into the lists that have the document, and into no other', (t) => {
  const before = list('pending', 'processing');
  const after = withStatus(before, 'd0', 'processing');
  t.deepEqual(after, list('processing', 'processing'));
  t.is(after.data[1], before.data[1], 'a row that did not change is the same');
  t.is(withStatus(before, 'd1', 'processing'), before);
  t.is(withStatus(before, 'elsewhere', 'failed'), before);
});

test('the progress of a reading does not ask for the lists again, its end does', (t) => {
  const lists = (status: string) => touchedBy(progress('d0', status)).filter(([operation]) => operation === 'get /api/documents');
  t.deepEqual(lists('processing'), [
    ['get /api/documents', { query: { status: 'pending' } }],
    ['get /api/documents', { query: { status: 'processing' } }],
  ]);
  t.deepEqual(lists('completed'), [['get /api/documents']]);
});

test('only the document that an event is about is asked for again', (t) => {
  t.deepEqual(touchedBy({ type: 'document_updated', data: { document_id: 'd7' } }).slice(-5), [
    ['get /api/documents/{id}', { params: { id: 'd7' } }],
    ['get /api/documents/{id}/facts', { params: { id: 'd7' } }],
    ['get /api/documents/{id}/notes', { params: { id: 'd7' } }],
    ['get /api/documents/{id}/rule-changes', { params: { id: 'd7' } }],
    ['get /api/documents/{id}/versions', { params: { id: 'd7' } }],
  ]);
});

test.serial('hundreds of events are one question', async (t) => {
  using time = mockTime();
  const { client, asked, state } = noting(list('pending'));
  const apply = makeEventApplier(client);
  for (let percent = 0; percent < 100; percent += 1) apply(progress('d0', 'processing', percent));
  t.deepEqual(state.list, list('processing'), 'what the event says is shown at once');
  for (let other = 0; other < 200; other += 1) apply(progress('d0', 'completed', 100));
  await time.pass(400);
  t.is(asked.filter((key) => key === '["get /api/documents"]').length, 1);
});

test.serial('nothing is asked again more than once a second', async (t) => {
  using time = mockTime();
  const { client, asked } = noting(list());
  const apply = makeEventApplier(client);
  for (let passed = 0; passed < 3_000; passed += 20) {
    apply({ ...progress('d0', 'completed'), type: 'notification', data: {} });
    await time.pass(20);
  }
  await time.pass(1_000);
  t.is(asked.length, 4, 'soon after the first event, and after each second');
});
