import { editDistance, editDistanceToBeginning } from '@sheaf/contract';
import {
  inverseDocumentFrequency,
  lexemeQuery,
  nearWords,
  phraseQuery,
  scatteredQuery,
  textConfigurationOf,
  toSteps,
} from '@sheaf/search/testing';
import test from 'ava';
import * as fc from 'fast-check';

const exact = (text: string) => ({ text, isPrefix: false });
const beginning = (text: string) => ({ text, isPrefix: true });

test('the first language with a stemmer decides, others are indexed as they are', (t) => {
  t.is(textConfigurationOf('eng'), 'sheaf_english');
  t.is(textConfigurationOf('deu+eng'), 'sheaf_german');
  t.is(textConfigurationOf('osd+deu'), 'sheaf_german');
  t.is(textConfigurationOf('auto'), 'sheaf_english');
  t.is(textConfigurationOf('auto:deu,fra'), 'sheaf_german');
  t.is(textConfigurationOf('jpn'), 'sheaf_simple');
  for (const odd of ['', '+', 'constructor', '__proto__', "x'; drop"]) t.is(textConfigurationOf(odd), 'sheaf_simple');
});

test('a phrase keeps the distance of the stop words that are left out', (t) => {
  const steps = toSteps(
    [
      { lexeme: 'agreement', position: 4 },
      { lexeme: 'term', position: 1 },
    ],
    [],
    false,
  );
  t.is(phraseQuery(steps), "('term' <3> 'agreement')");
  t.is(scatteredQuery(steps), "('term' & 'agreement')");
  t.is(phraseQuery(steps, 'title'), "('term':A <3> 'agreement':A)");
});

test('a prefix is the stem where the typed beginning has one, else the typed beginning or the word itself', (t) => {
  const at = (lexeme: string) => [{ lexeme, position: 1 }];
  t.deepEqual(toSteps(at('invoic'), at('invoice'), true), [{ position: 1, anyOf: [beginning('invoic')] }]);
  t.deepEqual(toSteps(at('compani'), at('company'), true), [{ position: 1, anyOf: [beginning('company'), exact('compani')] }]);
  t.deepEqual(toSteps([], at('the'), true), [{ position: 1, anyOf: [beginning('the')] }]);
  // the stem of university is shorter than what was typed; that of invoices goes on from it
  t.deepEqual(toSteps(at('universit'), at('universit'), true, ['univers', 'universit', 'universite']), [
    { position: 1, anyOf: [beginning('universit'), exact('univers')] },
  ]);
});

test('signs in a word cannot leave its quotes', (t) => {
  t.is(lexemeQuery(exact("a'b\\c")), "'a''b\\\\c'");
  t.is(lexemeQuery(beginning('a'), 'filename'), "'a':*B");
});

test('the edit distance is symmetric, zero for equals, and a swap is one error', (t) => {
  t.is(editDistance('receive', 'recieve', 2), 1);
  t.is(editDistance('invoice', 'invoce', 2), 1);
  t.is(editDistance('invoice', 'house', 2), 3);
  t.is(editDistanceToBeginning('electr', 'electrcty', 2), 0);
  t.is(editDistanceToBeginning('electr', 'eletcrcty', 2), 1);
  t.is(editDistanceToBeginning('electr', 'house', 2), 3);
  fc.assert(
    fc.property(fc.string({ maxLength: 8 }), fc.string({ maxLength: 8 }), (a, b) => {
      t.is(editDistance(a, b, 9), editDistance(b, a, 9));
      t.is(editDistance(a, a, 2), 0);
    }),
  );
});

test('words within one or two errors are near, the nearest first; short words, long ones and numbers have none', (t) => {
  const near = (word: string, lexemes: readonly string[]) => nearWords(word, lexemes).map(({ lexeme }) => lexeme);
  t.deepEqual(near('invoce', ['voice', 'invok', 'invoice', 'invoce', 'invioce', 'house']), ['invoice', 'invioce', 'invok']);
  t.deepEqual(near('hause', ['house', 'horse', 'cause']), ['house', 'cause']);
  t.deepEqual(near('electrcti', ['electr', 'elect', 'pictur', 'ele']), ['electr', 'elect']);
  t.deepEqual(near('abc', ['abd']), []);
  t.deepEqual(near('2023', ['2024']), []);
  t.deepEqual(near('a'.repeat(41), [`${'a'.repeat(40)}b`]), []);
});

test('a rarer word weighs more, and no word less than nothing', (t) => {
  t.true(inverseDocumentFrequency(100, 1) > inverseDocumentFrequency(100, 50));
  t.true(inverseDocumentFrequency(100, 100) > 0);
  t.true(inverseDocumentFrequency(1, 5) > 0);
});
