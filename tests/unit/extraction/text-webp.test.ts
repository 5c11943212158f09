import { encodeTextWebp, type GreyImage, shrunk } from '@sheaf/extraction/testing/images';
import test from 'ava';
import sharp from 'sharp';

const STEP = 17;

/** What libwebp makes of it. */
const decoded = async (image: GreyImage): Promise<GreyImage> => {
  const { data, info } = await sharp(encodeTextWebp(image)).greyscale().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, pixels: Uint8Array.from(data) };
};

const imageOf = (width: number, height: number, greyAt: (x: number, y: number) => number): GreyImage => ({
  width,
  height,
  pixels: Uint8Array.from({ length: width * height }, (_, at) => greyAt(at % width, Math.floor(at / width))),
});

/** Always the same numbers, 0 to 1. */
const makeRandom = (): (() => number) => {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
};

test('a picture of sixteen shades comes back as it was, whatever its size', async (t) => {
  const random = makeRandom();
  for (const [width, height] of [
    [1, 1],
    [2, 1],
    [1, 7],
    [3, 5],
    [16, 16],
    [141, 200],
    [283, 400],
  ] as const) {
    const image = imageOf(width, height, () => (random() < 0.6 ? 255 : STEP * Math.floor(random() * 16)));
    t.deepEqual(await decoded(image), image, `${width} x ${height}`);
  }
});

test('even areas, rows that repeat and long runs come back as they were', async (t) => {
  const images = {
    white: imageOf(283, 400, () => 255),
    black: imageOf(620, 877, () => 0),
    columns: imageOf(101, 50, (x) => STEP * (x % 16)),
    rows: imageOf(101, 50, (_, y) => STEP * (y % 16)),
    dot: imageOf(500, 500, (x, y) => (x === 499 && y === 499 ? 0 : 255)),
  };
  for (const [name, image] of Object.entries(images)) t.deepEqual(await decoded(image), image, name);
  t.true(encodeTextWebp(images.white).length < 300);
});

test('shades that are much rarer than others get no code that is too long', async (t) => {
  const counts = [1, 1];
  while (counts.length < 22) counts.push((counts.at(-1) ?? 0) + (counts.at(-2) ?? 0));
  // each byte of two pixels as often as the two rarer ones together, in an order without repeats
  const left = counts.map((count, at) => ({ byte: at * 11, count }));
  const bytes: number[] = [];
  while (left.some(({ count }) => count > 0)) {
    for (const one of left) {
      if (one.count === 0) continue;
      one.count -= 1;
      bytes.push(one.byte);
    }
  }
  const image: GreyImage = {
    width: 2,
    height: bytes.length,
    pixels: Uint8Array.from(bytes.flatMap((byte) => [STEP * (byte & 15), STEP * (byte >> 4)])),
  };
  const folded = {
    width: 2 * 142,
    height: Math.floor(bytes.length / 142),
    pixels: image.pixels.subarray(0, 2 * 142 * Math.floor(bytes.length / 142)),
  };
  t.deepEqual(await decoded(folded), { ...folded, pixels: Uint8Array.from(folded.pixels) });
});

test('other shades become the nearest of the sixteen', async (t) => {
  const { pixels } = await decoded(imageOf(256, 1, (x) => x));
  t.deepEqual(
    [...pixels],
    Array.from({ length: 256 }, (_, grey) => STEP * Math.round(grey / STEP)),
  );
});

test('a smaller picture has the mean of what it stands for', (t) => {
  const image = imageOf(4, 4, (x, y) => 10 * x + y);
  t.deepEqual([...shrunk(image, { width: 2, height: 2 }).pixels], [6, 26, 8, 28]);
  t.deepEqual([...shrunk(image, { width: 1, height: 1 }).pixels], [17]);
  t.is(shrunk(image, { width: 4, height: 4 }), image);
  t.is(shrunk(image, { width: 3, height: 3 }).pixels.length, 9);
});
