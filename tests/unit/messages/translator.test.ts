import { makeTranslator } from '@sheaf/messages';
import { compileCatalogue } from '@sheaf/messages/catalogue';
import test from 'ava';

const { find } = makeTranslator(
  'de',
  compileCatalogue({
    plain: 'Ohne alles',
    name: '{name} ist da',
    size: '{max_bytes} in {limit_seconds}, {limit} Mal, {confidence}',
    date: 'seit {changed_at}',
    list: 'eine von {values}',
    count: '{count, plural, one {# Dokument} other {# Dokumente}}',
    shown: '{count, select, missing {eins} other {{count, plural, one {# Datei} other {# Dateien}}, zusammen {count}}}',
    choice: '{state, select, missing {unbekannt} sent {gesendet} other {anders: {detail}}}',
    flag: '{on, select, true {an} other {}}',
  }),
  'de-AT',
);

test('arguments are formatted by the end of their names', (t) => {
  t.is(
    find('size', { max_bytes: 52_428_800, limit_seconds: 90, limit: 1_200, confidence: 0.43 }),
    '50 MB in 1 Min. 30 Sek., 1\u00A0200 Mal, 43\u00A0%',
  );
  t.regex(find('date', { changed_at: '2026-03-01T10:00:00.000Z' }) ?? '', /^seit .*2026/);
  t.is(find('date', { changed_at: 'gestern' }), 'seit gestern');
  t.is(find('list', { values: ['a', 'b'] }), 'eine von a, b');
});

test('a count goes with its form of the noun', (t) => {
  t.is(find('count', { count: 1 }), '1 Dokument');
  t.is(find('count', { count: 12_345 }), '12\u00A0345 Dokumente');
  t.is(find('shown', { count: 1_500 }), '1\u00A0500 Dateien, zusammen 1\u00A0500');
  t.is(find('shown', {}), 'eins');
});

test('a choice has a branch for what is missing or empty', (t) => {
  t.is(find('choice', {}), 'unbekannt');
  t.is(find('choice', { state: '' }), 'unbekannt');
  t.is(find('choice', { state: 'sent' }), 'gesendet');
  t.is(find('choice', { state: 'constructor', detail: 'x' }), 'anders: x');
  t.is(find('flag', { on: true }), 'an');
});

test('there is no message where a key is not known, a detail is missing, or nothing is left to say', (t) => {
  for (const key of ['constructor', 'toString', 'of_a_later_version']) t.is(find(key), undefined);
  for (const details of [{}, { name: undefined }, { name: null }, { name: {} }]) t.is(find('name', details), undefined);
  t.is(find('choice', { state: 'other' }), undefined);
  t.is(find('count', { count: '1' }), undefined);
  t.is(find('flag', { on: false }), undefined);
});

test('nothing in a value is taken for a part of the message', (t) => {
  t.is(find('name', { name: '{secret}', secret: 'x' }), '{secret} ist da');
  t.is(find('name', { name: String.raw`a\u202Eb\x41` }), String.raw`a\u202Eb\x41 ist da`);
  t.is(find('name', { name: '\u202Egnp.exe' }), 'gnp.exe ist da');
  t.is(find('name', { name: '# one' }), '# one ist da');
});
