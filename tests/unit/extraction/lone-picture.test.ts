import { isPlainJpeg, isPlainPage, lonelyJpegs, lonePicture, packingOf } from '@sheaf/extraction/testing/pdf';
import test from 'ava';

const HEAD = `page   num  type   width height color comp bpc  enc interp  object ID x-ppi y-ppi size ratio
--------------------------------------------------------------------------------------------
`;
const WHOLE_PAGE = { left: 0, bottom: 0, right: 595, top: 842 };
const object = (dictionary: Record<string, unknown>) => ({ dictionary, streamPath: undefined });

test('the picture of a page that does nothing but show it stands where its matrices put it', (t) => {
  t.deepEqual(lonePicture('q 595 0 0 842 0 0 cm /Im0 Do Q', '/Im0'), WHOLE_PAGE);
  t.deepEqual(lonePicture('q\n.5 0 0 .5 10 20 cm\r\nq 100 0 0 200 4 6 cm /Im0 Do Q Q\n', '/Im0'), {
    left: 12,
    bottom: 23,
    right: 62,
    top: 123,
  });
});

for (const [what, content] of Object.entries({
  'nothing is shown': 'q 595 0 0 842 0 0 cm Q',
  'it is shown twice': 'q 595 0 0 842 0 0 cm /Im0 Do /Im0 Do Q',
  'another thing is shown': 'q 595 0 0 842 0 0 cm /Fm0 Do Q',
  'a line is drawn': 'q 595 0 0 842 0 0 cm /Im0 Do Q 0 0 m 10 10 l S',
  'text is written': 'q 595 0 0 842 0 0 cm /Im0 Do Q BT (a) Tj ET',
  'it is clipped': 'q 0 0 100 100 re W n 595 0 0 842 0 0 cm /Im0 Do Q',
  'it is let through': 'q /GS0 gs 595 0 0 842 0 0 cm /Im0 Do Q',
  'it is turned': 'q 0 595 -842 0 842 0 cm /Im0 Do Q',
  'it is mirrored': 'q -595 0 0 842 595 0 cm /Im0 Do Q',
  'a matrix is not whole': 'q 595 0 0 842 0 cm /Im0 Do Q',
  'there is a comment': '% q 595 0 0 842 0 0 cm /Im0 Do Q',
  'an inline picture is shown': 'q 595 0 0 842 0 0 cm /Im0 Do Q BI /W 1 /H 1 ID x EI',
  'there is very much of it': `${'q Q '.repeat(300)} q 595 0 0 842 0 0 cm /Im0 Do Q`,
}))
  test(`a page is no lone picture where ${what}`, (t) => {
    t.is(lonePicture(content, '/Im0'), undefined);
  });

test('a page with annotations or in another unit is not plain', (t) => {
  t.true(isPlainPage(object({ '/Annots': [] })));
  t.false(isPlainPage(object({ '/Annots': ['7 0 R'] })));
  t.false(isPlainPage(object({ '/Annots': '7 0 R' })));
  t.false(isPlainPage(object({ '/UserUnit': 2 })));
});

test('a JPEG is plain when nothing changes how it looks', (t) => {
  const plain = { '/Subtype': '/Image', '/Filter': '/DCTDecode' };
  t.true(isPlainJpeg(object(plain)));
  t.true(isPlainJpeg(object({ ...plain, '/Filter': ['/DCTDecode'], '/ImageMask': false })));
  for (const more of [
    { '/Filter': ['/FlateDecode', '/DCTDecode'] },
    { '/Filter': '/JPXDecode' },
    { '/Decode': [1, 0] },
    { '/SMask': '9 0 R' },
    { '/Mask': [0, 10] },
    { '/ImageMask': true },
    { '/OC': '9 0 R' },
    { '/Subtype': '/Form' },
    { '/F': 'u:elsewhere.jpg' },
  ])
    t.false(isPlainJpeg(object({ ...plain, ...more })), JSON.stringify(more));
});

test('instructions are unpacked where they are packed in the usual way', (t) => {
  t.is(packingOf(object({})), 'none');
  t.is(packingOf(object({ '/Filter': '/FlateDecode' })), 'deflate');
  t.is(packingOf(object({ '/Filter': ['/FlateDecode'], '/DecodeParms': null })), 'deflate');
  t.is(packingOf(object({ '/Filter': ['/ASCII85Decode', '/FlateDecode'] })), undefined);
  t.is(packingOf(object({ '/Filter': '/FlateDecode', '/DecodeParms': { '/Predictor': 12 } })), undefined);
  t.is(packingOf(object({ '/F': 'u:elsewhere' })), undefined);
});

test('only a JPEG in grey or three colours that is the one picture of its page is lonely', (t) => {
  const jpegs = lonelyJpegs(`${HEAD}   1     0 image    2480  3508  gray    1   8  jpeg   no         4  0   300   300  303K 3.6%
   2     1 image    2480  3508  icc     3   8  jpeg   no         7  0   300   300  303K 3.6%
   2     2 smask    2480  3508  gray    1   8  image  no         8  0   300   300  303K 3.6%
   3     3 image    2480  3508  cmyk    4   8  jpeg   no         9  0   300   300  303K 3.6%
   4     4 image    2480  3508  gray    1   8  jpeg   no   [inline]     300   300  303K 3.6%
   5     5 image    2480  3508  rgb     3   8  image  no        11  0   300   300  303K 3.6%
   6     6 image    2480  3508  gray    1   8  jpeg   no        12  0   300   150  303K 3.6%
   7     7 image    1240  1754  icc     3   8  jpeg   no        13  2   150   150  303K 3.6%
`);
  t.deepEqual(
    [...jpegs],
    [
      [1, { width: 2_480, height: 3_508, dpi: 300, object: '4 0 R' }],
      [7, { width: 1_240, height: 1_754, dpi: 150, object: '13 2 R' }],
    ],
  );
});
