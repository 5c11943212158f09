import { detectEinvoice, readEinvoice } from '@sheaf/einvoice';
import test from 'ava';
import { ublXml } from './ubl-xml.ts';

const NAME = 'Müller & Söhne';

const xml = (encoding: string): string =>
  ublXml({
    declaration: encoding === '' ? '' : `<?xml version="1.0" encoding="${encoding}"?>`,
    sellerName: 'Müller &amp; Söhne',
  }).trimStart();

const swapped = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

const CASES: Readonly<Record<string, Buffer>> = {
  'UTF-8 without a declaration': Buffer.from(xml('')),
  'UTF-8 with a byte order mark': Buffer.from(`\ufeff${xml('UTF-8')}`),
  'UTF-16 with a byte order mark': Buffer.from(`\ufeff${xml('UTF-16')}`, 'utf16le'),
  'UTF-16 in the other byte order': swapped(`\ufeff${xml('UTF-16')}`),
  'UTF-16 without a byte order mark': Buffer.from(xml('UTF-16'), 'utf16le'),
  'UTF-16 in the other byte order without a mark': swapped(xml('UTF-16')),
  'ISO-8859-1 behind a line feed': Buffer.from(`\n${xml('ISO-8859-1')}`, 'latin1'),
  'ISO-8859-1 by its declaration': Buffer.from(xml('ISO-8859-1'), 'latin1'),
};

for (const [what, bytes] of Object.entries(CASES)) {
  test(`names are right in ${what}`, async (t) => {
    t.is(detectEinvoice(bytes)?.syntax, 'UBL');
    t.is((await readEinvoice(bytes)).seller.name, NAME);
  });
}

const WRONG: Readonly<Record<string, Buffer>> = {
  'declares UTF-16 and is not': Buffer.from(xml('UTF-16'), 'latin1'),
  'declares UTF-8 and is not': Buffer.from(xml('UTF-8'), 'latin1'),
  'declares an unknown encoding': Buffer.from(xml('EBCDIC')),
};

for (const [what, bytes] of Object.entries(WRONG)) {
  test(`a document is refused that ${what}`, async (t) => {
    await t.throwsAsync(readEinvoice(bytes), { name: 'EinvoiceError', code: 'wrong_encoding' });
  });
}
