import { checkOfficeFile as check } from '@sheaf/extraction/testing/office';
import { openByteSource } from '@sheaf/sandbox/containers';
import test from 'ava';
import { makeOle } from '../../fixtures/ole.ts';
import { makeOoxml, makeOpenDocument, makeZip } from '../../fixtures/zip.ts';
import { extractionLimits } from '../../support/extraction.ts';

const checkOfficeFile = async (bytes: Buffer, limits = extractionLimits) => {
  await using source = await openByteSource(bytes);
  return await check(source, limits);
};

test('documents may be opened', async (t) => {
  t.is(await checkOfficeFile(makeOoxml('wordprocessingml')), undefined);
  t.is(await checkOfficeFile(makeOpenDocument('text')), undefined);
  t.is(await checkOfficeFile(makeOle('WordDocument')), undefined);
  t.is(await checkOfficeFile(Buffer.from('{\\rtf1 hello}')), undefined);
});

test('what is no container of documents is not opened, whatever LibreOffice would make of it', async (t) => {
  t.is(await checkOfficeFile(Buffer.from('<html><img src="http://127.0.0.1/"></html>')), 'corrupt');
  t.is(await checkOfficeFile(Buffer.from('PK\u0003\u0004 and nothing else')), 'corrupt');
});

test('a password is seen before LibreOffice asks for it', async (t) => {
  t.is(await checkOfficeFile(makeOle('EncryptedPackage')), 'encrypted');
  const manifest = '<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>';
  t.is(await checkOfficeFile(makeZip([{ name: 'META-INF/manifest.xml', text: manifest }])), 'encrypted');
});

test('a bomb is not opened, a repetitive small file is', async (t) => {
  t.is(await checkOfficeFile(makeZip([{ name: 'word/document.xml', text: ' '.repeat(100_000_000) }])), 'unpacks_too_large');
  t.is(await checkOfficeFile(makeZip([{ name: 'word/document.xml', text: ' '.repeat(10_000_000) }])), undefined);
});

test('the limits on archives are the ones given', async (t) => {
  const two = makeZip(['one.xml', 'two.xml'].map((name) => ({ name, text: 'x'.repeat(1_000) })));
  t.is(await checkOfficeFile(two, { ...extractionLimits, archiveEntries: 2, archiveBytes: 2_000 }), undefined);
  t.is(await checkOfficeFile(two, { ...extractionLimits, archiveEntries: 1 }), 'unpacks_too_large');
  t.is(await checkOfficeFile(two, { ...extractionLimits, archiveBytes: 1_999 }), 'unpacks_too_large');
});

test('a broken container is judged, not tripped over', async (t) => {
  for (const whole of [makeOoxml('spreadsheetml'), makeOle('Workbook')]) {
    for (let length = 0; length < whole.length; length += 7) await t.notThrowsAsync(() => checkOfficeFile(whole.subarray(0, length)));
    for (let at = 0; at < whole.length; at += 3) {
      const broken = Buffer.from(whole);
      broken[at] = 0xff;
      await t.notThrowsAsync(() => checkOfficeFile(broken));
    }
  }
});
