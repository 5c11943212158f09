import { enhanced, type GreyImage } from '@sheaf/extraction/testing/images';
import test from 'ava';

const [WIDTH, HEIGHT] = [400, 400];
const isMark = (x: number, y: number): boolean => x % 40 < 6 && y % 40 < 20;

/** Paper that darkens from left to right, with faded marks. */
const fadedPage = (): GreyImage => {
  const pixels = new Uint8Array(WIDTH * HEIGHT);
  for (let y = 0; y < HEIGHT; y += 1)
    for (let x = 0; x < WIDTH; x += 1) {
      const paper = 220 - Math.round((x / WIDTH) * 100);
      pixels[y * WIDTH + x] = isMark(x, y) ? paper - 60 : paper;
    }
  return { width: WIDTH, height: HEIGHT, pixels };
};

const meanOf = ({ pixels }: GreyImage, isWanted: (x: number, y: number) => boolean): number => {
  const shades = [...pixels].filter((_, at) => isWanted(at % WIDTH, Math.floor(at / WIDTH)));
  return shades.reduce((sum, shade) => sum + shade, 0) / shades.length;
};

test('a faded page that is lit unevenly becomes dark marks on paper that is white on both sides', async (t) => {
  const page = await enhanced(fadedPage());
  t.deepEqual([page.width, page.height], [WIDTH, HEIGHT]);
  const paperOn = (from: number, to: number): number => meanOf(page, (x, y) => !isMark(x, y) && x >= from && x < to);
  t.true(paperOn(40, 100) > 235, `${paperOn(40, 100)}`);
  t.true(paperOn(300, 360) > 235, `${paperOn(300, 360)}`);
  t.true(meanOf(page, isMark) < 60, `${meanOf(page, isMark)}`);
});

test('a page of one shade has nothing to stretch', async (t) => {
  const { pixels } = await enhanced({ width: 40, height: 40, pixels: new Uint8Array(1_600).fill(180) });
  t.is(new Set(pixels).size, 1);
});
