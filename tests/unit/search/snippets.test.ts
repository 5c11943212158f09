import { type Mark, makeSnippets, markAll, marksOf, wordsIn } from '@sheaf/search/testing';
import test from 'ava';
import * as fc from 'fast-check';

const marksFor = (text: string, ...wanted: string[]): Mark[] => marksOf(wordsIn(text), (word) => wanted.includes(word));

test('the text is escaped and only our marks are tags', (t) => {
  const text = '<script>alert("x")</script> & <mark>paid</mark>';
  t.deepEqual(makeSnippets(text, marksFor(text, 'paid')), [
    '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &lt;mark&gt;<mark>paid</mark>&lt;/mark&gt;',
  ]);
  t.is(markAll("it's <b>", marksFor("it's <b>", 's', 'b')), 'it&#39;<mark>s</mark> &lt;<mark>b</mark>&gt;');
});

test('without a mark there is no snippet', (t) => {
  t.deepEqual(makeSnippets('some text', []), []);
  t.is(markAll('some text', []), undefined);
});

test('a long text gives up to three snippets of a sensible length, cut at spaces, different words first', (t) => {
  const filler = 'lorem ipsum dolor sit amet '.repeat(40);
  const text = `${filler}alpha ${filler}alpha beta ${filler}alpha ${filler}alpha ${filler}`;
  const snippets = makeSnippets(text, marksFor(text, 'alpha', 'beta'));
  t.is(snippets.length, 3);
  t.true(snippets.some((snippet) => snippet.includes('<mark>alpha</mark> <mark>beta</mark>')));
  for (const snippet of snippets) {
    t.true(snippet.length < 260, snippet);
    t.regex(snippet, /^…\S.*\S…$/);
    for (const word of snippet.replaceAll(/<\/?mark>|…/g, '').split(' '))
      t.true(['lorem', 'ipsum', 'dolor', 'sit', 'amet', 'alpha', 'beta'].includes(word), word);
  }
});

test('white space is drawn together', (t) => {
  t.deepEqual(makeSnippets('a\n\n  b\tc', marksFor('a\n\n  b\tc', 'b')), ['a <mark>b</mark> c']);
});

test('characters that are words of their own are marked together, and not where they stand alone', (t) => {
  const text = '全ての人間は互いに同';
  t.is(markAll(text, marksFor(text, '互', 'い', 'に', '同', 'の')), '全ての人間は<mark>互いに同</mark>');
});

test('snippets hold whole characters and no other tag, whatever the text', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 2_000 }), fc.nat(50), (text, every) => {
      const words = wordsIn(text);
      const wanted = new Set(words.filter((_, i) => i % (every + 1) === 0).map((word) => word.text));
      for (const snippet of makeSnippets(
        text,
        marksOf(words, (word) => wanted.has(word)),
      )) {
        t.true(snippet.isWellFormed());
        t.notRegex(snippet.replaceAll(/<mark>[^<>]+<\/mark>/g, ''), /[<>]/);
      }
    }),
  );
});
