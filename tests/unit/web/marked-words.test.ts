import { markWords, wordsOf } from '@sheaf/web/testing';
import test from 'ava';
import { assert, property, string } from 'fast-check';

const marked = (text: string, query: string): string[] =>
  markWords(text, wordsOf(query)).flatMap(({ text: part, isMarked }) => (isMarked ? [part] : []));

test('the words of a query are those that must occur, without its operators', (t) => {
  t.deepEqual(wordsOf('Rent OR lease -draft -"not this" title:flat "due date"'), ['rent', 'lease', 'flat', 'due', 'date']);
  t.deepEqual(wordsOf('well-known'), ['well', 'known']);
  t.deepEqual(wordsOf('-'), []);
});

test('words that have a part in them are marked, and only where a star stands before it', (t) => {
  t.deepEqual(wordsOf('*Versicherung* a*b'), ['*versicherung', 'a', 'b']);
  t.deepEqual(marked('Die Krankenversicherungen, eine Versicherung; sicher', '*versicherung*'), ['Krankenversicherungen', 'Versicherung']);
  t.deepEqual(marked('Krankenversicherung', 'versicherung'), []);
});

test('words are marked with other endings, letters and accents, but no other words', (t) => {
  t.deepEqual(marked('Invoices, an invoice, the INVOICED sum; voice', 'invoice'), ['Invoices', 'invoice', 'INVOICED']);
  t.deepEqual(marked('Le CAFÉ, un cafe', 'café'), ['CAFÉ', 'cafe']);
  t.deepEqual(marked('The rent of a garden', 'rent'), ['rent']);
  t.deepEqual(marked('cat cats category', 'cat'), ['cat'], 'a short word is itself alone');
});

test('nothing of a text is lost or changed by being marked', (t) => {
  assert(
    property(string({ unit: 'binary' }), string(), (text, query) => {
      t.is(
        markWords(text, wordsOf(query))
          .map((part) => part.text)
          .join(''),
        text,
      );
    }),
  );
});
