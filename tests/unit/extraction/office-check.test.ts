import test from 'ava';
import { checkOfficeFile as check } from '../../../packages/extraction/src/office-check.ts';
import { makeOle } from '../../fixtures/ole.ts';
import { makeOoxml, makeOpenDocument, makeZip } from '../../fixtures/zip.ts';
import { extractionLimits } from '../../support/extraction.ts';

const checkOfficeFile = (bytes: Buffer, limits = extractionLimits) => check(bytes, limits);

test('documents may be opened', (t) => {
  t.is(checkOfficeFile(makeOoxml('wordprocessingml')), undefined);
  t.is(checkOfficeFile(makeOpenDocument('text')), undefined);
  t.is(checkOfficeFile(makeOle('WordDocument')), undefined);
  t.is(checkOfficeFile(Buffer.from('{\\rtf1 hello}')), undefined);
});

test('what is no container of documents is not opened, whatever LibreOffice would make of it', (t) => {
  t.is(checkOfficeFile(Buffer.from('<html><img src="http://127.0.0.1/"></html>')), 'corrupt');
  t.is(checkOfficeFile(Buffer.from('PK\u0003\u0004 and nothing else')), 'corrupt');
});

test('a password is seen before LibreOffice asks for it', (t) => {
  t.is(checkOfficeFile(makeOle('EncryptedPackage')), 'encrypted');
  const manifest = '<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>';
  t.is(checkOfficeFile(makeZip([{ name: 'META-INF/manifest.xml', text: manifest }])), 'encrypted');
});

test('a bomb is not opened, a repetitive small file is', (t) => {
  t.is(checkOfficeFile(makeZip([{ name: 'word/document.xml', text: ' '.repeat(100_000_000) }])), 'unpacks_too_large');
  t.is(checkOfficeFile(makeZip([{ name: 'word/document.xml', text: ' '.repeat(10_000_000) }])), undefined);
});

test('the limits on archives are the ones given', (t) => {
  const two = makeZip(['one.xml', 'two.xml'].map((name) => ({ name, text: 'x'.repeat(1_000) })));
  t.is(checkOfficeFile(two, { ...extractionLimits, archiveEntries: 2, archiveBytes: 2_000 }), undefined);
  t.is(checkOfficeFile(two, { ...extractionLimits, archiveEntries: 1 }), 'unpacks_too_large');
  t.is(checkOfficeFile(two, { ...extractionLimits, archiveBytes: 1_999 }), 'unpacks_too_large');
});

test('a broken container is judged, not tripped over', (t) => {
  for (const whole of [makeOoxml('spreadsheetml'), makeOle('Workbook')]) {
    for (let length = 0; length < whole.length; length += 7) t.notThrows(() => checkOfficeFile(whole.subarray(0, length)));
    for (let at = 0; at < whole.length; at += 3) {
      const broken = Buffer.from(whole);
      broken[at] = 0xff;
      t.notThrows(() => checkOfficeFile(broken));
    }
  }
});
