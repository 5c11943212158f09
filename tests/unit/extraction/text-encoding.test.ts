import { detectEncoding } from '@sheaf/extraction/testing/text';
import test from 'ava';

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

/** Node decodes single-byte encodings but does not write them. */
const encode = (text: string, encoding: string): Buffer => {
  const table = new Map(Array.from({ length: 256 }, (_, byte) => [new TextDecoder(encoding).decode(Uint8Array.of(byte)), byte]));
  return Buffer.from(Array.from(text, (char) => table.get(char) ?? 0x3f));
};

const GERMAN = 'Die Würde des Menschen ist unantastbar. Sie zu achten und zu schützen ist Verpflichtung aller Größe.';
const CZECH = 'Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím.';
const RUSSIAN = 'Все люди рождаются свободными и равными в своём достоинстве и правах.';
const JAPANESE = 'すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。';

test('a byte order mark decides', (t) => {
  t.is(detectEncoding(Buffer.from('\ufeffabc')), 'utf-8');
  t.is(detectEncoding(Buffer.from('\ufeffabc', 'utf16le')), 'utf-16le');
  t.is(detectEncoding(utf16be('\ufeffabc')), 'utf-16be');
});

test('UTF-16 without a mark is known by its upper halves', (t) => {
  for (const text of [GERMAN, RUSSIAN]) {
    t.is(detectEncoding(Buffer.from(text, 'utf16le')), 'utf-16le', text);
    t.is(detectEncoding(utf16be(text)), 'utf-16be', text);
  }
});

test('NUL bytes in plain text do not make it UTF-16', (t) => {
  t.is(detectEncoding(Buffer.from('birch\0 cargo\0 note\0 two\0')), 'utf-8');
  t.is(detectEncoding(Buffer.from('abc\0def ghi\0jkl mno')), 'utf-8', 'all in odd places');
});

test('UTF-8 is known by its pattern, also when the sample ends inside a character', (t) => {
  const bytes = Buffer.from(JAPANESE);
  t.is(detectEncoding(bytes), 'utf-8');
  t.is(detectEncoding(bytes.subarray(0, bytes.length - 1)), 'utf-8');
});

test('single-byte text is read in the encoding that makes words of it', (t) => {
  t.is(detectEncoding(encode(GERMAN, 'windows-1252')), 'windows-1252');
  t.is(detectEncoding(encode(CZECH, 'iso-8859-2')), 'iso-8859-2');
  t.is(detectEncoding(encode(CZECH, 'windows-1250')), 'windows-1250');
  t.is(detectEncoding(encode(RUSSIAN, 'windows-1251')), 'windows-1251');
  t.is(detectEncoding(encode(RUSSIAN, 'koi8-r')), 'koi8-r');
});
