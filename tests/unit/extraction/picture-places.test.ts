import { joinPieces, parsePicturePlaces } from '@sheaf/extraction/testing/pdf';
import test from 'ava';

const pageOf = (
  width: number,
  height: number,
  ...images: readonly (readonly [top: number, left: number, width: number, height: number])[]
): string =>
  `<page number="1" position="absolute" top="0" left="0" height="${height}" width="${width}">\n${images
    .map(([top, left, wide, high]) => `<image top="${top}" left="${left}" width="${wide}" height="${high}" src="x-1_1.png"/>`)
    .join('\n')}\n<text top="61" left="64" width="307" height="23" font="0">words</text>\n</page>`;

test('pictures have their place on the page, also where they or the page are turned', (t) => {
  t.deepEqual(parsePicturePlaces(pageOf(600, 800, [100, 60, 300, 200])), {
    width: 600,
    height: 800,
    boxes: [{ x: 0.1, y: 0.125, width: 0.5, height: 0.25 }],
  });
  t.deepEqual(parsePicturePlaces(pageOf(800, 600, [300, 600, 100, -150]))?.boxes, [{ x: 0.75, y: 0.25, width: 0.125, height: 0.25 }]);
  t.deepEqual(parsePicturePlaces(pageOf(600, 800, [700, 450, -150, -100]))?.boxes, [{ x: 0.5, y: 0.75, width: 0.25, height: 0.125 }]);
});

test('what is outside the page is cut off, and without a page nothing is known', (t) => {
  t.deepEqual(parsePicturePlaces(pageOf(600, 800, [-400, 300, 600, 800], [900, 0, 10, 10]))?.boxes, [
    { x: 0.5, y: 0, width: 0.5, height: 0.5 },
  ]);
  t.is(parsePicturePlaces('<image top="1" left="1" width="1" height="1"'), undefined);
  t.is(parsePicturePlaces(pageOf(0, 0)), undefined);
});

test('the strips of a scan are one picture, and so are pictures upon each other; neighbours are not', (t) => {
  const strips = Array.from({ length: 4 }, (_, n) => ({ x: 0.1, y: 0.1 + n * 0.2, width: 0.8, height: 0.2 }));
  const [whole, ...none] = joinPieces(strips.toReversed());
  t.deepEqual([none.length, whole?.x, whole?.y, Math.round((whole?.height ?? 0) * 100)], [0, 0.1, 0.1, 80]);
  t.is(
    joinPieces([
      { x: 0.1, y: 0.1, width: 0.8, height: 0.8 },
      { x: 0.3, y: 0.3, width: 0.2, height: 0.1 },
    ]).length,
    1,
  );
  t.is(
    joinPieces([
      { x: 0.1, y: 0.1, width: 0.3, height: 0.2 },
      { x: 0.4, y: 0.1, width: 0.3, height: 0.5 },
    ]).length,
    2,
  );
  t.deepEqual(joinPieces([]), []);
});
