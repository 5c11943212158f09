import { decodePageWords, encodePageWords, type PageWords, turnBox, turnWords } from '@sheaf/vocabulary/page-words';
import test from 'ava';
import { assert, integer, property, record } from 'fast-check';

const BOX = { x: 0.125, y: 0.25, width: 0.5, height: 0.0625 };

test('a box turns clockwise with its page', (t) => {
  t.deepEqual(turnBox(BOX, 90), { x: 0.6875, y: 0.125, width: 0.0625, height: 0.5 });
  t.deepEqual(turnBox(BOX, 180), { x: 0.375, y: 0.6875, width: 0.5, height: 0.0625 });
  t.deepEqual(turnBox(BOX, 270), { x: 0.25, y: 0.375, width: 0.0625, height: 0.5 });
});

test('four turns, also of words that were stored in between, are none', (t) => {
  const text = 'one two';
  const place = integer({ min: 1, max: 2_000 }).map((steps) => steps / 4_096);
  assert(
    property(record({ x: place, y: place, width: place, height: place }), (box) => {
      const page: PageWords = { width: 595.2, height: 841.9, words: [{ text: 'two', box, confidence: 0.5, start: 4 }] };
      let turned: PageWords | undefined = page;
      for (const by of [90, 180, 270, 180] as const) {
        const encoded: Uint8Array | undefined = turned && encodePageWords(text, turnWords(turned, by));
        turned = encoded && decodePageWords(text, encoded);
      }
      t.deepEqual(turned, page);
    }),
  );
});

test('a page that lies on its side is as wide as it was high', (t) => {
  const page = { width: 10, height: 20, words: [] };
  t.deepEqual([turnWords(page, 90).width, turnWords(page, 270).height, turnWords(page, 180).width], [20, 10, 10]);
});
