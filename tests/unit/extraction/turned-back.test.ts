import { hasWords, toReading, turnedBack, withoutNoise } from '@sheaf/extraction/testing/ocr';
import test from 'ava';

const reading = (box: { x: number; y: number; width: number; height: number }) =>
  toReading([{ paragraph: '1', words: [{ text: 'word', confidence: 1, box }] }]);
const rounded = (box: object): number[] => Object.values(box).map((value) => Math.round(Number(value) * 1_000) / 1_000);

// The word stands at 0.1 from the left and 0.2 from the top of the page as it lies, 0.3 wide and 0.05 high.
const TURNED = {
  0: { x: 0.1, y: 0.2, width: 0.3, height: 0.05 },
  90: { x: 0.75, y: 0.1, width: 0.05, height: 0.3 },
  180: { x: 0.6, y: 0.75, width: 0.3, height: 0.05 },
  270: { x: 0.2, y: 0.6, width: 0.05, height: 0.3 },
};

for (const [turn, box] of Object.entries(TURNED))
  test(`a word of a page that was turned by ${turn} degrees stands where it does on the page as it lies`, (t) => {
    const back = turnedBack(reading(box), Number(turn) as 0 | 90 | 180 | 270);
    for (const word of [back.words[0], back.lines[0]?.words[0]]) t.deepEqual(rounded(word?.box ?? {}), [0.1, 0.2, 0.3, 0.05]);
  });

const BOX = TURNED[0];
const line = (...words: readonly (readonly [string, number])[]) => ({
  paragraph: '1',
  words: words.map(([text, confidence]) => ({ text, confidence, box: BOX })),
});

test('what looks like letters in a picture is told from words', (t) => {
  t.true(hasWords(toReading([line(['Total', 0.9], ['12,50', 0.8])])));
  t.false(hasWords(toReading([line(['|', 0.9], ['~', 0.9], ['Total', 0.9], ['xq', 0.3])])));
  const left = withoutNoise(toReading([line(['|', 0.9], ['=', 0.9]), line(['Total', 0.9], ['x', 0.4]), line(['fghj', 0.3])]));
  t.is(left.text, 'Total x');
});
