import { cleanFilename, titleFor } from '@sheaf/ingest/testing';
import test from 'ava';
import { assert, property, string } from 'fast-check';

test('a name is kept as its sender sees it', (t) => {
  for (const name of [
    'Müller – Rechnung №5 (Entwurf).txt',
    'line\nbreak\ttab.txt',
    '📄🧾 receipt.txt',
    'invoice\u202Egpj.txt',
    '-rf --help.txt',
  ])
    t.is(cleanFilename(name), name);
});

test('a path in front of a name is stripped, in the manner of every system', (t) => {
  t.is(cleanFilename('../../etc/passwd.txt'), 'passwd.txt');
  t.is(cleanFilename('C:\\fakepath\\scan.pdf'), 'scan.pdf');
  t.is(cleanFilename('/'), 'unnamed');
  t.is(cleanFilename('..'), 'unnamed');
  t.is(cleanFilename(''), 'unnamed');
});

test('two writings of one name become one', (t) => {
  t.is(cleanFilename('Größe.pdf'.normalize('NFD')), 'Größe.pdf'.normalize('NFC'));
});

test('what PostgreSQL cannot keep is taken out', (t) => {
  t.is(cleanFilename('a\0b.pdf'), 'ab.pdf');
  t.is(cleanFilename('half\ud83d.pdf'), 'half\ufffd.pdf');
});

test('a name of more than 255 bytes is cut in its stem, between characters', (t) => {
  const cut = cleanFilename(`${'😀'.repeat(100)}.pdf`);
  t.is(cut, `${'😀'.repeat(62)}.pdf`);
  t.is(Buffer.byteLength(cleanFilename(`${'a'.repeat(251)}.pdf`)), 255);
});

test('whatever a sender writes, the name is storable and no path', (t) => {
  assert(
    property(string({ unit: 'binary', maxLength: 400 }), (name) => {
      const clean = cleanFilename(name);
      return (
        clean !== '' && clean !== '.' && clean !== '..' && Buffer.byteLength(clean) <= 255 && !/[/\\\0]/.test(clean) && clean.isWellFormed()
      );
    }),
  );
  t.pass();
});

test('a document without a title is called like its file', (t) => {
  t.is(titleFor(undefined, 'Report.2026.pdf'), 'Report.2026');
  t.is(titleFor('   ', 'Report.pdf'), 'Report');
  t.is(titleFor(' Yearly report ', 'Report.pdf'), 'Yearly report');
  t.is(titleFor(undefined, 'noextension'), 'noextension');
});

test('a title has no signs that turn the direction of its letters; letters of every direction stay', (t) => {
  t.is(titleFor(undefined, 'invoice\u202Efdp.txt'), 'invoicefdp');
  t.is(titleFor('\u2067שלום\u2069 2026', 'a.txt'), 'שלום 2026');
  t.is(titleFor(undefined, '\u202E.txt'), '\u202E.txt', 'there is nothing else to call it');
});
