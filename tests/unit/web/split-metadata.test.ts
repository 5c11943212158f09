import { pageRanges, splitFromOf, splitIntoOf } from '@sheaf/web/testing';
import test from 'ava';

test('pages in a row are written as a range', (t) => {
  const written = (...pages: readonly number[]): string => pageRanges(pages, String);
  t.is(written(3, 4, 5, 7), '3–5, 7');
  t.is(written(1), '1');
  t.is(written(2, 1), '2, 1');
  t.is(written(), '');
});

test('what the service notes of a split is found, and nothing else under its keys', (t) => {
  const part = { document_id: 'a', pages: [1, 2] };
  t.deepEqual(splitFromOf({ metadata: { split_from: part } }), part);
  t.deepEqual(splitIntoOf({ metadata: { split_into: { version: 1, parts: [part] } } }), { version: 1, parts: [part] });
  for (const value of [
    undefined,
    null,
    'text',
    [],
    {},
    { document_id: 1, pages: [] },
    { version: 1, parts: [{}] },
    { version: '1', parts: [] },
  ]) {
    t.is(splitFromOf({ metadata: { split_from: value } }), undefined);
    t.is(splitIntoOf({ metadata: { split_into: value } }), undefined);
  }
});
