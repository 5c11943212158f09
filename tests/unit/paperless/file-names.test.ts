import { type NAME_PARTS, refusalOfNameFormat } from '@sheaf/paperless/export/names';
import { ChosenDocuments, FileNames, NameSet, tagTree, UniqueNames } from '@sheaf/paperless/testing';
import test from 'ava';

type NamePart = (typeof NAME_PARTS)[number];

const valuesOf = (values: Partial<Record<NamePart, string>>): Record<NamePart, string> => ({
  document_date: '2024-02-29',
  year: '2024',
  month: '02',
  day: '29',
  correspondent: '',
  document_type: '',
  title: '',
  archive_number: '',
  owner: '',
  filename: '',
  id: '0195d5a0-0000-7000-8000-00000000abcd',
  ...values,
});

const named = (format: string, ...documents: readonly Partial<Record<NamePart, string>>[]): string[] => {
  const names = new FileNames(format, 'originals', new NameSet());
  return documents.map((values) => names.add({ values: valuesOf(values), extension: 'pdf' }));
};

test('names are made by their format, and what is missing leaves no gap', (t) => {
  t.deepEqual(named('{document_date} {correspondent} {title}', { title: 'A' }, { title: 'B', correspondent: 'C' }), [
    'originals/2024-02-29 A.pdf',
    'originals/2024-02-29 C B.pdf',
  ]);
  t.deepEqual(named('{year}/{correspondent}/{title}', { title: 'A' }, { title: '', correspondent: 'a/b' }), [
    'originals/2024/A.pdf',
    'originals/2024/a-b/document.pdf',
  ]);
});

test('a name that is taken, also but for upper and lower case or decomposed letters, gets the end of the ID', (t) => {
  const other = '0195d5a0-0000-7000-8000-0000cccccccc';
  t.deepEqual(
    named('{title}', { title: 'Caf\u00e9' }, { title: 'CAFE\u0301', id: other }, { title: 'caf\u00e9', id: `1${other.slice(1)}` }),
    ['originals/Caf\u00e9.pdf', 'originals/CAF\u00c9 cccccccc.pdf', `originals/caf\u00e9 1${other.slice(1)}.pdf`],
  );
});

test('a format with what is no value, or too many folders, is refused with the reason', (t) => {
  for (const format of ['{nothing}', '', ' ', '{title', 'title}', 'a/b/c/d/e/f', 'x'.repeat(201)])
    t.is(typeof refusalOfNameFormat(format), 'string', format);
  for (const format of ['{title}', 'fixed', '{year}/{month}/{day}/{owner}/{id}', '{archive_number} {filename}'])
    t.is(refusalOfNameFormat(format), undefined, format);
});

test('documents are numbered in their order and found by their IDs', (t) => {
  const idOf = (number: number): string => `${number.toString(16).padStart(8, '0')}-0000-7000-8000-000000000000`;
  const chosen = new ChosenDocuments();
  for (let number = 0; number < 12_000; number += 1) chosen.add(idOf(number * 2));
  t.is(chosen.count, 12_000);
  for (const at of [0, 1, 4_999, 5_000, 11_999]) t.is(chosen.numberOf(idOf(at * 2)), at + 1);
  for (const at of [1, 9_999, 24_001]) t.is(chosen.numberOf(idOf(at)), undefined);
  t.deepEqual(
    [...chosen.parts(7_000)].map((part) => [part.length, part[0]]),
    [
      [7_000, idOf(0)],
      [5_000, idOf(14_000)],
    ],
  );
});

test('names of which there are several get numbers, and long ones are cut before them', (t) => {
  const unique = new UniqueNames();
  t.deepEqual(
    ['a', 'A', 'a', 'x'.repeat(200), 'x'.repeat(150)].map((name) => unique.add(name)),
    ['a', 'A (2)', 'a (3)', 'x'.repeat(128), `${'x'.repeat(124)} (2)`],
  );
});

test('the tree of tags has what django-treenode keeps of it', (t) => {
  const of = tagTree([
    { pk: 1, parent: null },
    { pk: 2, parent: 1 },
    { pk: 3, parent: 2 },
    { pk: 4, parent: 1 },
    { pk: 5, parent: null },
    { pk: 6, parent: 7 },
    { pk: 7, parent: 6 },
  ]);
  t.like(of(1), { tn_parent: null, tn_level: 1, tn_depth: 2, tn_children_pks: '2,4', tn_descendants_pks: '2,3,4', tn_siblings_pks: '5' });
  t.like(of(3), { tn_parent: 2, tn_level: 3, tn_depth: 0, tn_ancestors_pks: '1,2', tn_siblings_count: 0 });
  t.like(of(4), { tn_index: 1, tn_order: 3, tn_siblings_pks: '2' });
  t.like(of(6), { tn_parent: 7, tn_ancestors_pks: '7' }, 'a ring ends');
});
