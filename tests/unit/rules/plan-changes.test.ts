import { type DocumentState, planChanges } from '@sheaf/rules/testing';
import { MAX_DOCUMENT_FIELDS } from '@sheaf/vocabulary/custom-fields';
import test from 'ava';

const [A, B] = [
  { id: 'a', name: 'A' },
  { id: 'b', name: 'B' },
];
const state = (fields: Partial<DocumentState> = {}): DocumentState => ({
  id: 'document',
  owner: { id: 'owner', name: 'Owner' },
  title: 'title',
  isAllowed: true,
  correspondent: null,
  documentType: null,
  labelIds: [],
  fields: new Map(),
  fieldCount: 0,
  confirmedFields: [],
  ...fields,
});

test('a field that differs changes, and a label that is missing is added', (t) => {
  const targets = [
    { field: 'correspondent', value: A },
    { field: 'document_type', value: B },
    { field: 'label', value: A },
    { field: 'label', value: B },
  ] as const;
  t.deepEqual(planChanges(state({ correspondent: B, documentType: B, labelIds: ['b'] }), targets), [
    { field: 'correspondent', from: B, to: A },
    { field: 'label', from: null, to: A },
  ]);
});

test('what a person has set, what a rule before has set, and what may not be changed stays', (t) => {
  const targets = [{ field: 'correspondent', value: A }] as const;
  t.deepEqual(planChanges(state({ confirmedFields: ['correspondent'] }), targets), []);
  t.deepEqual(planChanges(state(), targets, new Set(['correspondent'])), []);
  t.deepEqual(planChanges(state({ isAllowed: false }), targets), []);
  t.is(planChanges(state({ confirmedFields: ['document_type'] }), targets, new Set(['document_type'])).length, 1);
});

test('a custom field is set where it has no value, or one that a rule has set', (t) => {
  const field = { id: 'f', name: 'Price', value: { amount: '1.50', currency: 'EUR' } };
  const targets = [{ field: 'field', value: field }] as const;
  const having = (value: string, isOfRule: boolean) =>
    state({ fields: new Map([['f', { current: { ...field, value: { currency: 'EUR', amount: value } }, isOfRule }]]), fieldCount: 1 });
  t.deepEqual(planChanges(state(), targets), [{ field: 'field', from: null, to: field }]);
  t.is(planChanges(having('2.00', true), targets).length, 1);
  t.deepEqual(planChanges(having('1.50', true), targets), [], 'what is so already is no change');
  t.deepEqual(planChanges(having('2.00', false), targets), [], 'a person has set it');
  t.deepEqual(planChanges(state({ confirmedFields: ['field:f'] }), targets), [], 'a person has removed it');
  t.deepEqual(planChanges(state(), targets, new Set(['field:f'])), []);
  t.is(planChanges(state(), targets, new Set(['field:g'])).length, 1);
});

test('a document gets no more custom fields than it may have', (t) => {
  const value = (id: string) => ({ field: 'field' as const, value: { id, name: id, value: 'x' } });
  const planned = planChanges(state({ fieldCount: MAX_DOCUMENT_FIELDS - 1 }), [value('a'), value('b')]);
  t.deepEqual(
    planned.map(({ to }) => to.id),
    ['a'],
  );
});

test('the owner changes where it is another one', (t) => {
  const targets = [{ field: 'owner', value: A }] as const;
  t.deepEqual(planChanges(state(), targets), [{ field: 'owner', from: { id: 'owner', name: 'Owner' }, to: A }]);
  t.deepEqual(planChanges(state({ owner: A }), targets), []);
});
