import { COLUMNS, columnsOf, DEFAULT_COLUMNS, placeColumns } from '@sheaf/web/testing';
import test from 'ava';

test('columns stand beside the title while there is room; the others are told below it', (t) => {
  t.deepEqual(placeColumns(DEFAULT_COLUMNS, 1_008, true).columns, ['labels', 'document_date', 'added', 'status']);
  const narrow = placeColumns(DEFAULT_COLUMNS, 640, true);
  t.deepEqual(narrow.columns, ['added', 'status']);
  t.deepEqual(narrow.details, ['labels', 'document_date']);
  t.deepEqual(placeColumns(DEFAULT_COLUMNS, 360, true).columns, []);
  t.deepEqual(placeColumns(COLUMNS, 3_000, false).columns, COLUMNS);
});

test('what was chosen is kept in the order of the list, without columns that no longer exist', (t) => {
  t.deepEqual(columnsOf(null), DEFAULT_COLUMNS);
  t.deepEqual(columnsOf('status,filename,colour'), ['filename', 'status']);
  t.deepEqual(columnsOf(''), []);
});
