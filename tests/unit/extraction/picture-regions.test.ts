import { covered, cropped, type GreyImage, pictureRegions } from '@sheaf/extraction/testing/images';
import test from 'ava';

const DPI = 100;
const WHITE = 255;

interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly shade: number;
}

/** A page of 8 by 10 inches. */
const pageWith = (rectangles: readonly Rectangle[], paper = WHITE): GreyImage => {
  const [width, height] = [8 * DPI, 10 * DPI];
  const pixels = new Uint8Array(width * height).fill(paper);
  for (const { x, y, width: wide, height: high, shade } of rectangles)
    for (let row = y; row < y + high; row += 1) pixels.fill(shade, row * width + x, row * width + x + wide);
  return { width, height, pixels };
};

const inInches = (image: GreyImage): number[][] =>
  pictureRegions(image, DPI).map(({ x, y, width, height }) =>
    [x * 8, y * 10, width * 8, height * 10].map((side) => Math.round(side * 10) / 10),
  );

test('pictures with a background of their own are found where they are, from top to bottom', (t) => {
  const page = pageWith([
    { x: 100, y: 600, width: 400, height: 200, shade: 200 },
    { x: 300, y: 100, width: 200, height: 300, shade: 60 },
  ]);
  t.deepEqual(inInches(page), [
    [3, 1, 2, 3],
    [1, 6, 4, 2],
  ]);
});

test('one with a dark frame is one picture, with all that is inside', (t) => {
  const page = pageWith([
    { x: 100, y: 100, width: 400, height: 400, shade: 90 },
    { x: 130, y: 130, width: 340, height: 340, shade: WHITE },
    { x: 200, y: 200, width: 120, height: 120, shade: 90 },
  ]);
  t.deepEqual(inInches(page), [[1, 1, 4, 4]]);
});

test('lines, letters and stamps are no pictures, nor is the paper, whatever its shade', (t) => {
  const lines = Array.from({ length: 40 }, (_, n) => ({ x: 100, y: 100 + n * 20, width: 600, height: 2, shade: 0 }));
  const marks = Array.from({ length: 300 }, (_, n) => ({
    x: 100 + (n % 30) * 20,
    y: 110 + Math.floor(n / 30) * 20,
    width: 4,
    height: 9,
    shade: 0,
  }));
  t.deepEqual(inInches(pageWith([...lines, ...marks])), []);
  t.deepEqual(inInches(pageWith([{ x: 50, y: 50, width: 50, height: 50, shade: 0 }])), []);
  t.deepEqual(inInches(pageWith([], 30)), []);
  t.deepEqual(
    inInches(pageWith([{ x: 100, y: 100, width: 600, height: 700, shade: WHITE }], 30)),
    [[1, 1, 6, 7]],
    'a light one on dark paper',
  );
});

test('what is painted over has the shade of its edge, and a part is cut out as it is', (t) => {
  const page = pageWith([
    { x: 100, y: 100, width: 400, height: 200, shade: 200 },
    { x: 200, y: 150, width: 50, height: 20, shade: 0 },
  ]);
  const clean = covered(page, [{ x: 200 / 800, y: 150 / 1_000, width: 50 / 800, height: 20 / 1_000 }]);
  t.false(clean.pixels.includes(0));
  t.is(page.pixels[160 * 800 + 210], 0, 'the page itself stays as it was');
  const part = cropped(page, { x: 200 / 800, y: 150 / 1_000, width: 50 / 800, height: 20 / 1_000 });
  t.deepEqual([part.width, part.height, part.pixels.every((shade) => shade === 0)], [50, 20, true]);
});
