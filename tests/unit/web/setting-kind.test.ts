import { bySection, kindOf } from '@sheaf/web/testing';
import test from 'ava';

test('a setting is edited as what it is', (t) => {
  t.is(kindOf({ type: 'boolean' }), 'boolean');
  t.is(kindOf({ type: 'integer', minimum: 1 }), 'number');
  t.is(kindOf({ type: 'string', enum: ['a', 'b'] }), 'choice');
  t.is(kindOf({ type: 'array', items: { enum: ['pdf'] } }), 'list');
  t.is(kindOf({ type: 'string' }), 'text');
  t.is(kindOf({}), 'text');
});

test('settings stand under what they are about, in their order', (t) => {
  const sections = bySection([
    ['a', { 'x-section': 'OCR' }],
    ['b', { 'x-section': 'Core' }],
    ['c', { 'x-section': 'OCR' }],
  ]);
  t.deepEqual(
    [...sections].map(([name, settings]) => [name, settings.map(([key]) => key)]),
    [
      ['OCR', ['a', 'c']],
      ['Core', ['b']],
    ],
  );
});
