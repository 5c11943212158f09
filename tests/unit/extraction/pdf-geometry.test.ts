import { dpiFor, parseGeometry } from '@sheaf/extraction/testing/pdf';
import test from 'ava';

const SIZES = `Pages:           3
Page    1 size:  595.2 x 841.92 pts (A4)
Page    1 rot:   0
Page    2 size:  612 x 792 pts (letter)
Page    3 size:  2e+06 x 2e+06 pts
`;
const IMAGES = `page   num  type   width height color comp bpc  enc interp  object ID x-ppi y-ppi size ratio
--------------------------------------------------------------------------------------------
   1     0 image    2067  2923  gray    1   8  jpeg   no         1  0   250   250  320K 8.8%
   2     1 image     300   300  gray    1   8  jpeg   no         3  0   150   150   20K 9.5%
`;

test('a page that one picture covers is a scan with its own resolution', (t) => {
  const geometry = parseGeometry(SIZES, IMAGES);
  t.is(geometry.get(1)?.scanDpi, 250);
  t.is(geometry.get(2)?.scanDpi, undefined);
  t.is(geometry.get(2)?.widthInches, 8.5);
});

test('a scan is drawn pixel for pixel when its resolution is near the wanted one, other pages at the wanted one', (t) => {
  const geometry = parseGeometry(SIZES, IMAGES);
  t.is(dpiFor(geometry.get(1), 300, 50_000_000), 250);
  t.is(dpiFor(geometry.get(1), 150, 50_000_000), 150);
  t.is(dpiFor(geometry.get(2), 300, 50_000_000), 300);
  t.is(dpiFor(undefined, 300, 50_000_000), 300);
});

test('a page the size of a town is drawn small', (t) => {
  const page = parseGeometry(SIZES, IMAGES).get(3);
  const dpi = dpiFor(page, 300, 50_000_000);
  t.true((page?.widthInches ?? 0) * (page?.heightInches ?? 0) * dpi ** 2 <= 50_000_001);
});
