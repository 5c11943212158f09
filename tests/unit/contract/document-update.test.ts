import { bulkRequest, documentUpdate } from '@sheaf/contract/documents';
import test from 'ava';

const isGood = (value: unknown): boolean => documentUpdate.safeParse(value).success;
const nested = (depth: number): unknown => (depth === 0 ? 'x' : { inner: nested(depth - 1) });
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));

test('an update gives at least one field and none that is unknown', (t) => {
  t.false(isGood({}));
  t.false(isGood({ title: undefined }));
  t.false(isGood({ title: 'x', status: 'completed' }));
  t.false(isGood([]));
  t.true(isGood({ title: 'x' }));
  t.true(isGood({ labels: [] }));
  t.true(isGood({ metadata: {} }));
});

test('a title has 1 to 1,000 characters beside the space around it, and no NUL', (t) => {
  t.deepEqual(documentUpdate.parse({ title: '  Tax return\n' }), { title: 'Tax return' });
  t.false(isGood({ title: ' \n ' }));
  t.true(isGood({ title: 'x'.repeat(1_000) }));
  t.false(isGood({ title: 'x'.repeat(1_001) }));
  t.false(isGood({ title: 'a\0b' }));
  t.false(isGood({ title: 'half \ud83d' }));
  t.is(documentUpdate.parse({ title: 'u\u0308ber' }).title, 'über', 'in its composed form');
});

test('metadata is an object of bounded size, depth and number of keys, with nothing a database cannot keep', (t) => {
  t.true(isGood({ metadata: { a: [1, 'two', null, true, { b: 1.5 }] } }));
  for (const metadata of ['x', 1, null, [1], true]) t.false(isGood({ metadata }), JSON.stringify(metadata));
  t.true(isGood({ metadata: nested(5) }));
  t.false(isGood({ metadata: nested(6) }));
  t.true(isGood({ metadata: keys(100) }));
  t.false(isGood({ metadata: keys(101) }));
  t.false(isGood({ metadata: { a: keys(60), b: keys(60) } }), 'keys are counted on every level');
  t.true(isGood({ metadata: { a: 'x'.repeat(16_300) } }));
  t.false(isGood({ metadata: { a: 'x'.repeat(16_400) } }));
  t.false(isGood({ metadata: { a: 'ü'.repeat(8_300) } }), 'bytes are counted, not characters');
  t.false(isGood({ metadata: { a: ['\0'] } }));
  t.false(isGood({ metadata: { 'a\0': 1 } }));
  t.false(isGood({ metadata: { a: '\udc00' } }));
  t.false(isGood({ metadata: JSON.parse('{"a": 1e999}') }));
});

test('metadata that is nested as deep as a body can be is refused without an overflow', (t) => {
  t.false(isGood({ metadata: JSON.parse(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`) }));
});

test('a bulk action takes either ids or a filter, and labels exactly where they are needed', (t) => {
  const ids = ['019eb1f0-0000-7000-8000-000000000000'];
  const ok = (value: unknown) => bulkRequest.safeParse(value).success;
  t.true(ok({ ids, action: 'delete' }));
  t.true(ok({ filter: {}, action: 'retry_ocr' }));
  t.true(ok({ ids, action: 'add_labels', labels: ['x'] }));
  for (const bad of [
    { action: 'delete' },
    { ids, filter: {}, action: 'delete' },
    { ids: [], action: 'delete' },
    { ids: ['x'], action: 'delete' },
    { ids: Array.from({ length: 1_001 }, () => ids[0]), action: 'delete' },
    { ids, action: 'shred' },
    { ids, action: 'add_labels' },
    { ids, action: 'remove_labels', labels: [] },
    { ids, action: 'delete', labels: ['x'] },
    { ids, action: 'delete', confirm: 1 },
    { filter: { q: 'x' }, action: 'delete' },
    { filter: { status: 'done' }, action: 'delete' },
  ])
    t.false(ok(bad), JSON.stringify(bad).slice(0, 100));
});
