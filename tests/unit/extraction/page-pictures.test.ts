import { mayShowMoreText, parsePictures, pictureLoads, picturesToRead } from '@sheaf/extraction/testing/pdf';
import test from 'ava';

const HEAD = `page   num  type   width height color comp bpc  enc interp  object ID x-ppi y-ppi size ratio
--------------------------------------------------------------------------------------------
`;
const LIST = `${HEAD}   1     0 image    1500  1500  gray    1   8  jpeg   no        10  0   300   300  320K 8.8%
   1     1 smask    1500  1500  gray    1   8  image  no        11  0   300   300   20K 9.5%
   1     2 image     150   150  gray    1   8  jpeg   no        12  0   300   300   20K 9.5%
   2     3 image    1500  1500  gray    1   8  jpeg   no        10  0   300   300  320K 8.8%
   3     4 image     900   900  rgb     3   8  image  no   [inline]     300   300   20K 9.5%
   4     5 image    3000    30  gray    1   8  jpeg   no        14  0   300   300   20K 9.5%
`;

test('pictures have their size on the page; masks are none', (t) => {
  const pictures = parsePictures(LIST);
  t.deepEqual(
    [...pictures].map(([page, of]) => [page, of.map(({ squareInches, dpi }) => [squareInches, dpi])]),
    [
      [
        1,
        [
          [25, 300],
          [0.25, 300],
        ],
      ],
      [2, [[25, 300]]],
      [3, [[9, 300]]],
      [4, [[1, 300]]],
    ],
  );
});

test('what taking the pictures of a page out comes to counts all of them, each time', (t) => {
  t.deepEqual(pictureLoads(LIST).get(1), { count: 3, pixels: 2 * 1_500 * 1_500 + 150 * 150 });
  t.deepEqual(pictureLoads(LIST).get(4), { count: 1, pixels: 90_000 });
  t.is(pictureLoads('').size, 0);
});

test('small ones and lines are not looked at, and one that is shown again is looked at once', (t) => {
  t.deepEqual(
    [...picturesToRead(parsePictures(LIST))].map(([page, of]) => [page, of.length]),
    [
      [1, 1],
      [3, 1],
    ],
  );
});

test('a page shows more than its text layer where it has pictures, unless a scan with its text', (t) => {
  const page = { pageSquareInches: 93 };
  const scan = { ...page, pictures: [{ squareInches: 92 }] };
  t.false(mayShowMoreText('text', { ...page, pictures: [] }));
  t.true(mayShowMoreText('text '.repeat(100), { ...page, pictures: [{ squareInches: 20 }] }));
  t.true(mayShowMoreText('Scanned by a machine', scan));
  t.false(mayShowMoreText('recognised '.repeat(40), scan));
});
