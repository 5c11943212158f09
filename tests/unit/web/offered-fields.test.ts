import { hasField, offeredFields } from '@sheaf/web/testing';
import test from 'ava';

type Field = Parameters<typeof offeredFields>[1][number];

const field = (id: string, documentTypeId: string | null): Field => ({ id, name: id, document_type_id: documentTypeId }) as Field;
const ALL = [field('constructor', null), field('for-letters', 'letters'), field('plain', null), field('for-invoices', 'invoices')];
const namesOf = (fields: readonly Field[]): string[] => fields.map(({ id }) => id);

test('the fields of the type of a document stand first, those without a type come next, and those of other types are last', (t) => {
  const document = { fields: { plain: 1, 'for-letters': 2 }, empty_fields: [], document_type: { id: 'invoices' } };
  const { shown, others } = offeredFields(document, ALL, new Set());
  t.deepEqual(namesOf(shown), ['for-invoices', 'plain', 'for-letters']);
  t.deepEqual(namesOf(others), ['constructor']);
});

test('what is added is shown, and a document without a type is offered those without one first', (t) => {
  const { shown, others } = offeredFields({ fields: {}, empty_fields: [] }, ALL, new Set(['plain']));
  t.deepEqual(namesOf(shown), ['plain']);
  t.deepEqual(namesOf(others), ['constructor', 'for-letters', 'for-invoices']);
});

test('a field that the document has without a value is shown, and no longer offered', (t) => {
  const document = { fields: {}, empty_fields: ['for-letters'], document_type: { id: 'invoices' } };
  const { shown, others } = offeredFields(document, ALL, new Set());
  t.deepEqual(namesOf(shown), ['for-invoices', 'for-letters']);
  t.deepEqual(namesOf(others), ['constructor', 'plain']);
  t.deepEqual(
    ALL.filter((field) => hasField(document, field)).map(({ id }) => id),
    ['for-letters'],
  );
});
