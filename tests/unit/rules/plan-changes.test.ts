import { type DocumentState, planChanges } from '@sheaf/rules/internals';
import test from 'ava';

const [A, B] = [
  { id: 'a', name: 'A' },
  { id: 'b', name: 'B' },
];
const state = (fields: Partial<DocumentState> = {}): DocumentState => ({
  id: 'document',
  ownerId: 'owner',
  title: 'title',
  isAllowed: true,
  correspondent: null,
  documentType: null,
  labelIds: [],
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
