import { partsOf } from '@sheaf/web/testing';
import test from 'ava';
import { assert, property, string } from 'fast-check';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/** As the service escapes what stands in a document. */
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

test('hits are parted from the text around them', (t) => {
  t.deepEqual(partsOf('the <mark>rent</mark> of &lt;b&gt;a flat&lt;/b&gt; &amp; <mark>more</mark>'), [
    { text: 'the ', isHit: false },
    { text: 'rent', isHit: true },
    { text: ' of <b>a flat</b> & ', isHit: false },
    { text: 'more', isHit: true },
  ]);
});

test('what a document says stays what it is, also where it says <mark> or &amp;lt;', (t) => {
  assert(
    property(string(), string({ minLength: 1 }), (before, hit) => {
      const text = `<mark>&lt; ${before}`;
      const parts = partsOf(`${escaped(text)}<mark>${escaped(hit)}</mark>`);
      t.deepEqual(parts, [
        { text, isHit: false },
        { text: hit, isHit: true },
      ]);
    }),
  );
});
