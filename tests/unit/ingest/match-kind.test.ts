import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { matchContainer, matchKind } from '@sheaf/ingest/testing';
import { FILE_KINDS, findKindByExtension } from '@sheaf/vocabulary/file-kinds';
import test from 'ava';
import { makeOle } from '../../fixtures/ole.ts';
import { makeOoxml, makeOpenDocument, makeZip } from '../../fixtures/zip.ts';
import { ciiXml } from '../einvoice/cii-xml.ts';
import { ublXml } from '../einvoice/ubl-xml.ts';

const folder = mkdtempSync(join(tmpdir(), 'sheaf-kinds-'));
test.after.always(() => rmSync(folder, { recursive: true }));

const matchAs = (extension: string, bytes: Buffer | string) => {
  const path = join(folder, randomBytes(6).toString('hex'));
  writeFileSync(path, bytes);
  const kind = findKindByExtension(extension);
  if (kind === undefined) throw new Error(`no kind ${extension}`);
  return matchKind(path, kind, matchContainer);
};

const bmp = Buffer.alloc(70);
bmp.write('BM');
bmp.writeUInt32LE(40, 14);

/** One file of each kind, by the first extension of the kind. */
const SAMPLES = {
  pdf: Buffer.from('%PDF-1.7\n%\u00e2\u00e3\n1 0 obj\n<<>>\nendobj\n', 'latin1'),
  txt: Buffer.from('A letter to the harbour office.\n'),
  doc: makeOle('WordDocument'),
  docx: makeOoxml('wordprocessingml.document'),
  odt: makeOpenDocument('text'),
  rtf: Buffer.from('{\\rtf1\\ansi A letter.}'),
  ppt: makeOle('PowerPoint Document'),
  pptx: makeOoxml('presentationml.presentation'),
  odp: makeOpenDocument('presentation'),
  xls: makeOle('Workbook'),
  xlsx: makeOoxml('spreadsheetml.sheet'),
  ods: makeOpenDocument('spreadsheet'),
  png: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
  jpg: Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'),
  tiff: Buffer.from('49492a0008000000', 'hex'),
  bmp,
  xml: Buffer.from(ublXml()),
} as const satisfies Readonly<Record<string, Buffer>>;

const PDF_TEXT = SAMPLES.pdf.toString('latin1');

test('the samples cover every kind of file', (t) => {
  t.deepEqual(
    Object.keys(SAMPLES),
    FILE_KINDS.map((kind) => kind.extensions[0]),
  );
});

test('every kind of file matches its own name and no other one', async (t) => {
  for (const [actual, bytes] of Object.entries(SAMPLES))
    for (const { extensions } of FILE_KINDS)
      for (const named of extensions) {
        const { isMatch } = await matchAs(named, bytes);
        // an e-invoice is a text as well
        t.is(isMatch, extensions[0] === actual || (named === 'txt' && actual === 'xml'), `${actual} bytes called .${named}`);
      }
});

test('of XML, e-invoices alone match, whatever is before their root and however they are encoded', async (t) => {
  const licence = `<!--${'x'.repeat(60_000)}-->`;
  for (const xml of [ciiXml(), ciiXml({}, 'first'), ublXml({}, 'CreditNote'), ublXml({ beforeRoot: licence })])
    t.true((await matchAs('xml', xml)).isMatch);
  const utf16 = Buffer.from(`\ufeff${ublXml({ declaration: '<?xml version="1.0" encoding="UTF-16"?>' })}`, 'utf16le');
  t.true((await matchAs('xml', utf16)).isMatch);
  const other = { isMatch: false, notEinvoice: true };
  for (const text of ['<Invoice/>', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'a letter', `<Invoice a="${'x'.repeat(100_000)}"`])
    t.deepEqual(await matchAs('xml', text), other as never);
  t.deepEqual(await matchAs('xml', ublXml({ beforeRoot: licence + licence })), other as never);
  t.like(await matchAs('xml', Buffer.concat([Buffer.from('MZ\u0090\u0000'), Buffer.alloc(500)])), {
    found: 'of the type application/x-msdownload',
  });
});

test('a mismatch says what the file is', async (t) => {
  const found = async (extension: string, bytes: Buffer | string) => {
    const match = await matchAs(extension, bytes);
    return match.isMatch ? 'match' : match.found;
  };
  t.is(await found('doc', SAMPLES.rtf), 'an RTF document');
  t.is(await found('pdf', SAMPLES.png), 'a PNG image');
  t.is(await found('pdf', 'just text'), 'plain text');
  t.is(await found('docx', makeZip([{ name: 'a.txt', text: 'x' }])), 'a ZIP archive');
  t.is(await found('xls', makeOle('WordDocument')), 'a Word 97 document (.doc)');
  t.is(await found('pdf', Buffer.concat([Buffer.from('MZ\u0090\u0000'), Buffer.alloc(500)])), 'of the type application/x-msdownload');
});

test('an embedded workbook does not make a letter a workbook', async (t) => {
  const letter = makeOle('WordDocument', { embedded: 'Workbook' });
  t.true((await matchAs('doc', letter)).isMatch);
  t.false((await matchAs('xls', letter)).isMatch);
});

test('the directory of an OLE file is found wherever it stands', async (t) => {
  t.true((await matchAs('doc', makeOle('WordDocument', { paddingSectors: 300 }))).isMatch);
  // beyond the allocation table sectors that fit into the header
  t.true((await matchAs('ppt', makeOle('PowerPoint Document', { paddingSectors: 16_000 }))).isMatch);
});

test('an OLE file whose chains go round in circles is refused, not followed for ever', async (t) => {
  const looped = makeOle('WordDocument');
  looped.writeUInt32LE(0, 68); // the list of tables begins in the directory
  looped.fill(0, 512 + 1_024 + 4); // every sector is followed by sector 0
  t.false((await matchAs('xls', looped)).isMatch);
  t.false((await matchAs('doc', Buffer.from('d0cf11e0a1b11ae1', 'hex'))).isMatch);
});

test('a protected office document passes under each of the names it can have', async (t) => {
  const locked = makeOle('EncryptedPackage');
  for (const extension of ['docx', 'xlsx', 'pptx']) t.true((await matchAs(extension, locked)).isMatch);
  t.false((await matchAs('doc', locked)).isMatch);
});

test('a package that was cut off still counts as what it began as', async (t) => {
  const whole = makeZip([
    { name: '[Content_Types].xml', text: '<Types/>' },
    { name: 'word/document.xml', text: 'x'.repeat(5_000) },
  ]);
  t.true((await matchAs('docx', whole.subarray(0, 200))).isMatch);
  t.false((await matchAs('xlsx', whole.subarray(0, 200))).isMatch);
  t.true((await matchAs('odt', makeOpenDocument('text').subarray(0, 90))).isMatch);
});

test('an entry that unpacks to more than a megabyte is not believed', async (t) => {
  const bomb = makeZip([{ name: '[Content_Types].xml', text: `wordprocessingml.document.main+xml${' '.repeat(3 * 1024 ** 2)}` }]);
  t.false((await matchAs('docx', bomb)).isMatch);
});

test('a PDF may have something in front of its header', async (t) => {
  t.true((await matchAs('pdf', `\u001b%-12345X@PJL JOB\r\n${PDF_TEXT}`)).isMatch);
  t.true((await matchAs('pdf', `\n\n${PDF_TEXT}`)).isMatch);
  t.false((await matchAs('pdf', `${'x'.repeat(1_100)}${PDF_TEXT}`)).isMatch);
  t.false((await matchAs('pdf', Buffer.concat([Buffer.from('MZ\u0090\u0000'), Buffer.alloc(100), SAMPLES.pdf]))).isMatch);
});

test('a text may speak of PDF and begin with BM', async (t) => {
  t.true((await matchAs('txt', 'The header %PDF-1.4 comes first.')).isMatch);
  t.true((await matchAs('txt', 'BMW sends its regards from Munich, as every year.')).isMatch);
});

test('a text may have any encoding', async (t) => {
  const words = 'Der Käse der Größe fünf. Съешь ещё этих мягких булок. 日本語の文章です。\r\n'.repeat(20);
  const utf16le = Buffer.from(words, 'utf16le');
  const utf16be = Buffer.from(utf16le).swap16();
  t.true((await matchAs('txt', words)).isMatch);
  t.true((await matchAs('txt', Buffer.concat([Buffer.from('fffe', 'hex'), utf16le]))).isMatch);
  t.true((await matchAs('txt', Buffer.concat([Buffer.from('feff', 'hex'), utf16be]))).isMatch);
  t.true((await matchAs('txt', Buffer.from('plain words without a mark', 'utf16le'))).isMatch);
  t.true((await matchAs('txt', Buffer.from('Съешь ещё этих мягких булок', 'utf16le').swap16())).isMatch);
  t.true((await matchAs('txt', Buffer.from('Größe, Käse, Öl', 'latin1'))).isMatch);
  t.true((await matchAs('txt', Buffer.from('birch\0cargo\0note\0'))).isMatch);
});

test('a text longer than the samples is judged at its end too', async (t) => {
  const long = 'é'.repeat(200_000);
  t.true((await matchAs('txt', long)).isMatch);
  t.true((await matchAs('txt', `x${long}`)).isMatch);
  t.false((await matchAs('txt', Buffer.concat([Buffer.from(long), randomBytes(100_000)]))).isMatch);
});

test('bytes at random are no text', async (t) => {
  t.false((await matchAs('txt', randomBytes(10_000))).isMatch);
  t.false((await matchAs('txt', Buffer.concat([Buffer.from('fffe', 'hex'), randomBytes(10_000)]))).isMatch);
  t.false((await matchAs('txt', Buffer.alloc(10_000))).isMatch);
});
