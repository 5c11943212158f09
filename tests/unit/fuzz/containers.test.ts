import { checkOfficeFile, readSourceParagraphs } from '@sheaf/extraction/testing/office';
import { matchContainer } from '@sheaf/ingest/testing';
import { OleFile, openByteSource, openZip, readCutArchive, XmlReader } from '@sheaf/sandbox/containers';
import { findKindByExtension } from '@sheaf/vocabulary/file-kinds';
import test from 'ava';
import { makeCircularTables, makeSharedStream } from '../../fixtures/hostile-containers.ts';
import { makeOle } from '../../fixtures/ole.ts';
import { makeOoxml, makeOpenDocument, makeZip } from '../../fixtures/zip.ts';
import { extractionLimits } from '../../support/extraction.ts';
import { fuzz, mutated, spliced } from '../../support/fuzz.ts';

const MIB = 1024 * 1024;
const LIMITS = { maxEntries: 200, maxWorkBytes: MIB };

const manifest =
  '<manifest:manifest><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/></manifest:manifest>';
const ARCHIVES = [
  makeOoxml('wordprocessingml.document'),
  makeOpenDocument('spreadsheet'),
  makeZip([{ name: 'META-INF/manifest.xml', text: manifest }]),
  makeZip([{ name: 'word/document.xml', text: `<w:document>${'<w:p><w:r><w:t>tea</w:t></w:r></w:p>'.repeat(30)}</w:document>` }]),
  makeSharedStream(5, 100),
];
const COMPOUND_FILES = [makeOle('WordDocument', { embedded: 'Workbook' }), makeOle('PowerPoint Document'), makeCircularTables(8_192, 3)];

const kind =
  findKindByExtension('docx') ??
  (() => {
    throw new Error('no kind');
  })();

test.serial('a ZIP archive, whatever is in it, is read or refused within its budget', async (t) => {
  await fuzz(mutated(ARCHIVES), async (bytes) => {
    const source = await openByteSource(bytes);
    await readCutArchive(source);
    const opened = await openZip(source, LIMITS);
    if (!opened.ok) return;
    let produced = 0;
    void opened.archive.hasSharedBytes;
    for (const entry of opened.archive.entries) await opened.archive.unpack(entry, (piece) => (produced += piece.length) > 0);
    if (opened.archive.entries.length > LIMITS.maxEntries || produced > LIMITS.maxWorkBytes + 64 * 1024)
      throw new Error('beyond the budget');
  });
  t.pass();
});

test.serial('a compound file, whatever is in it, gives no more than it holds', async (t) => {
  await fuzz(mutated(COMPOUND_FILES), async (bytes) => {
    const file = await OleFile.open(await openByteSource(bytes));
    for (const name of file?.names ?? []) {
      const stream = await file?.read(name, 64 * MIB);
      if ((stream?.length ?? 0) > bytes.length) throw new Error(`${name} has ${stream?.length} bytes`);
    }
  });
  t.pass();
});

test.serial('the type of a container is found or not, and nothing is thrown', async (t) => {
  await fuzz(mutated([...ARCHIVES, ...COMPOUND_FILES]), async (content) => {
    for (const container of ['zip', 'ole'] as const) await matchContainer({ content, container, declared: kind });
  });
  t.pass();
});

test.serial('an office file is judged and its text gathered, and nothing is thrown', async (t) => {
  await fuzz(mutated([...ARCHIVES, ...COMPOUND_FILES]), async (bytes) => {
    const source = await openByteSource(bytes);
    await checkOfficeFile(source, extractionLimits);
    await readSourceParagraphs(source, 1_000);
  });
  t.pass();
});

const XML_PIECES = [
  '<a>',
  '</a>',
  '<w:p ',
  'b="',
  '"',
  "'",
  '>',
  '/>',
  '<',
  '</',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<?',
  '?>',
  '<?xml version="1.1"',
  '<!DOCTYPE x [',
  '<!ENTITY a "b">',
  ']>',
  '&',
  '&a;',
  '&#',
  '&#x110000;',
  '&#0;',
  '&lt;',
  'text',
  ' ',
  '\n',
  '\u0000',
  '\ufeff',
  '\ud800',
  '=',
  ':',
  'xmlns:',
];

test.serial('XML, however broken, is read to an end', async (t) => {
  await fuzz(spliced(XML_PIECES), (text) => {
    let depth = 0;
    const reader = new XmlReader({ open: () => (depth += 1), close: () => (depth -= 1), text: () => {} }, { maxDepth: 10, maxChars: MIB });
    const bytes = Buffer.from(text);
    const middle = Math.floor(bytes.length / 2);
    if (reader.write(bytes.subarray(0, middle))) reader.write(bytes.subarray(middle));
    reader.end();
    if (depth > 10) throw new Error('deeper than allowed');
  });
  t.pass();
});
