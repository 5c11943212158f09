import { scaleFor } from '@sheaf/extraction/testing/images';
import test from 'ava';

const PLENTY = 50_000_000;

test('a scan of 300 dpi stays as it is', (t) => {
  t.deepEqual(scaleFor({ width: 2_480, height: 3_508, density: 300 }, PLENTY), { factor: 1, dpi: 300 });
});

test('a small picture is first read as it is', (t) => {
  t.is(scaleFor({ width: 800, height: 1_000, density: 72 }, PLENTY).factor, 1);
  t.is(scaleFor({ width: 80, height: 40, density: undefined }, PLENTY).factor, 1);
});

test('a picture of too many pixels is made smaller', (t) => {
  const { factor } = scaleFor({ width: 20_000, height: 20_000, density: undefined }, PLENTY);
  t.true(20_000 * 20_000 * factor ** 2 <= PLENTY);
});

test('no side gets longer than the engine takes', (t) => {
  t.true(scaleFor({ width: 60_000, height: 100, density: 300 }, PLENTY).factor * 60_000 <= 32_000);
});
