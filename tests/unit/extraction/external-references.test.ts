import test from 'ava';
import { REFERENCE_CASES } from '../../fixtures/external-references/index.ts';
import { makeDocx, makeXlsx, wordField, wordPicture } from '../../fixtures/external-references/ooxml.ts';
import { frame, ods, odt } from '../../fixtures/external-references/open-document.ts';
import { makeRtf } from '../../fixtures/external-references/rtf.ts';
import { makeZip, type ZipPart } from '../../fixtures/zip.ts';
import { partsOf, strip } from '../../support/stripped.ts';

const TARGET = '/srv/somebody/secret.png';
const countsOf = async (document: Buffer) => {
  const { outcome } = await strip(document);
  return outcome.kind === 'stripped' ? outcome.counts : outcome.kind;
};
const partOf = async (document: Buffer, name: string): Promise<string> => String((await partsOf((await strip(document)).output))[name]);
/** The text of all parts, or the file itself. */
const everythingOf = async (document: Buffer): Promise<string> =>
  document.toString('latin1', 0, 2) === 'PK' ? Object.values(await partsOf(document)).join('\n') : document.toString('latin1');

for (const { name, make } of REFERENCE_CASES)
  test(`nothing is left of the reference in ${name}`, async (t) => {
    const hidden = make('/srv/somebody/secret.png');
    const { outcome, output } = await strip(hidden);
    t.is(outcome.kind, 'stripped');
    // a relationship that is called a hyperlink stays one; nothing but a link may use it
    if (name === 'docx-picture-by-hyperlink') t.notRegex(await partOf(hidden, 'word/document.xml'), /r:link/);
    else t.notRegex(await everythingOf(output), /somebody/);
    t.regex(await everythingOf(output), /Harbour ledger of its own/);
    t.is((await strip(output)).outcome.kind, 'unchanged');
  });

const HYPERLINK = { id: 'rId3', type: 'hyperlink', target: 'https://example.org/a', isExternal: true };
const EMBEDDED = { id: 'rId4', type: 'image', target: 'media/image1.png' };
const IMAGE: ZipPart = { name: 'word/media/image1.png', text: Buffer.from('89504e470d0a1a0a', 'hex') };

test('hyperlinks, embedded pictures and fields that load nothing stay as they are', async (t) => {
  const link = '<w:p><w:hyperlink r:id="rId3"><w:r><w:t>see</w:t></w:r></w:hyperlink></w:p>';
  const fields = [' PAGE ', ' TOC \\o "1-3" ', ' HYPERLINK "https://example.org" ', ' SEQ Link ', ' REF import \\h '];
  const body = `${link}${wordPicture('<a:blip r:embed="rId4"/>')}${fields.map((field) => wordField([field], 'kept')).join('')}`;
  const docx = makeDocx(body, [HYPERLINK, EMBEDDED], [IMAGE]);
  t.is(await countsOf(docx), 'unchanged');
  t.deepEqual(await partsOf((await strip(docx)).output), await partsOf(docx));

  const links =
    '<text:p><text:a xlink:href="https://example.org/">a</text:a><text:a xlink:href="mailto:a@example.org">m</text:a><text:a xlink:href="#part">p</text:a></text:p>';
  const pictures = `<text:p>${frame('<draw:image xlink:href="Pictures/one.png"/>')}${frame('<draw:object xlink:href="./Object 1"/>')}</text:p>`;
  t.is(await countsOf(odt(`${links}${pictures}`)), 'unchanged');

  const formulas = ['SUM([.A1:.B2])', 'HYPERLINK(&quot;https://example.org&quot;)', "[$'Other sheet'.A1]&amp;[.B1]"];
  const cells = formulas.map((text) => `<table:table-row><table:table-cell table:formula="of:=${text}"/></table:table-row>`);
  t.is(await countsOf(ods(cells.join(''))), 'unchanged');
  t.is(await countsOf(makeXlsx('<row r="2"><c r="A2"><f>SUM(A1:B2)+Table1[[#This Row],[2019]]</f><v>1</v></c></row>')), 'unchanged');
  t.is(await countsOf(makeRtf('{\\field{\\*\\fldinst HYPERLINK "https://example.org"}{\\fldrslt see}}{\\pict\\bin4 {{{{}')), 'unchanged');
});

test('what stands beside a reference stays: the result of a field, the last value of a cell, the content of a section', async (t) => {
  const docx = await partOf(makeDocx(wordField([`INCLUDETEXT "${TARGET}"`], 'the result')), 'word/document.xml');
  t.regex(docx, /the result/);
  t.regex(docx, /<w:instrText xml:space="preserve"><\/w:instrText>/);
  const xlsx = await partOf(makeXlsx(`<row r="2"><c r="A2"><f>[1]Sheet1!A1</f><v>42</v></c></row>`), 'xl/worksheets/sheet1.xml');
  t.regex(xlsx, /<c r="A2"><v>42<\/v><\/c>/);
  const section = `<text:section text:name="s"><text:section-source xlink:href="${TARGET}"/><text:p>the section</text:p></text:section>`;
  t.regex(await partOf(odt(section), 'content.xml'), /<text:section text:name="s"><text:p>the section<\/text:p><\/text:section>/);
  const rtf = await strip(makeRtf(`{\\field{\\*\\fldinst INCLUDEPICTURE "${TARGET}"}{\\fldrslt the result}}`));
  t.true(rtf.output.toString('latin1').includes('{\\field{\\*}{\\fldrslt the result}}'));
});

const replaced = async (document: Buffer, name: string, change: (text: string) => string | Buffer): Promise<Buffer> =>
  makeZip(
    Object.entries(await partsOf(document)).map(([part, text]) => ({ name: part, text: part === name ? change(String(text)) : text })),
  );
const linked = (href: string): Buffer => odt(`<text:p>${frame(`<draw:image xlink:href="${href}"/>`)}</text:p>`);

test('a reference is found in every encoding, with any prefix, and however it is written', async (t) => {
  const odf = linked(`file://${TARGET}`);
  const utf16 = (text: string) => Buffer.from(`\ufeff${text.replace('UTF-8', 'UTF-16')}`, 'utf16le');
  const variants: Record<string, (text: string) => string | Buffer> = {
    utf16,
    'utf-16 big endian': (text) => utf16(text).swap16(),
    'latin 1': (text) => Buffer.from(text.replace('UTF-8', 'ISO-8859-1'), 'latin1'),
    'other prefix': (text) => text.replaceAll('xlink:', 'q:').replaceAll('xmlns:xlink', 'xmlns:q'),
    'character references': (text) => text.replace('file:', '&#102;i&#x6c;e&#58;'),
    'blanks and capitals': (text) => text.replace('file:', '&#10; FiLe:'),
    'line ends': (text) => text.replaceAll(' ', '\r\n'),
    'behind blanks': (text) => ' '.repeat(2_000_000) + text.replace(/^<\?.*?\?>/, ''),
    'single quotes': (text) => text.replaceAll('"', "'"),
  };
  for (const [name, change] of Object.entries(variants)) {
    const { outcome, output } = await strip(await replaced(odf, 'content.xml', change));
    t.deepEqual(outcome, { kind: 'stripped', counts: { link: 1 } }, name);
    const content = String((await partsOf(output))['content.xml']);
    t.false(content.includes('somebody'), name);
    t.true(content.includes('Harbour') && content.includes('</'), name);
  }
});

test('paths that lead out of the document count, and those inside of it do not', async (t) => {
  const outside = ['/etc/passwd', '../x.png', 'a/../../x.png', '%2e%2e/x.png', '..\\x.png', '\\\\host\\x', '//host/x', 'smb://host/x'];
  for (const href of [...outside, 'vnd.sun.star.Package:../x', 'C:\\x.png', 'http://127.0.0.1/'])
    t.deepEqual(await countsOf(linked(href)), { link: 1 }, href);
  for (const href of ['Pictures/a.png', './Object 1', '#a', 'data:image/png;base64,AA', 'Pictures/a:b.png', 'a..b/c'])
    t.is(await countsOf(linked(href)), 'unchanged', href);
  const target = (path: string) => countsOf(makeDocx('', [{ id: 'rId4', type: 'image', target: path }]));
  for (const path of ['../../etc/passwd', '//host/x', 'file:///etc/passwd', '/../x', '..\\..\\x'])
    t.deepEqual(await target(path), { relationship: 1 }, path);
  for (const path of ['media/a.png', '../media/a.png', '/word/media/a.png']) t.is(await target(path), 'unchanged', path);
});

test('documents inside of documents and drawings are looked into as well', async (t) => {
  const inner = makeDocx('', [{ id: 'rId7', type: 'image', target: `file://${TARGET}`, isExternal: true }]);
  const nested = makeDocx('', [], [{ name: 'word/embeddings/inner.docx', text: inner }]);
  const { outcome, output } = await strip(makeDocx('', [], [{ name: 'word/embeddings/middle.docx', text: nested }]));
  t.deepEqual(outcome, { kind: 'stripped', counts: { relationship: 1 } });
  const middle = (await partsOf(output))['word/embeddings/middle.docx'] ?? Buffer.alloc(0);
  const last = (await partsOf(middle))['word/embeddings/inner.docx'] ?? Buffer.alloc(0);
  t.false((await everythingOf(last)).includes('somebody'));

  const svg = `<svg xmlns="http://www.w3.org/2000/svg"><image href="file://${TARGET}"/><image href="data:image/png;base64,AA"/></svg>`;
  t.deepEqual(await countsOf(odt('', { more: [{ name: 'Pictures/a.svg', text: svg }] })), { link: 1 });
  const rtf = makeRtf(`{\\field{\\*\\fldinst INCLUDETEXT "${TARGET}"}}`);
  t.deepEqual(await countsOf(makeDocx('', [], [{ name: 'word/afchunk.rtf', text: rtf }])), { field: 1 });
});

test('a part that cannot be read for certain ends the document, or is emptied where the document can do without', async (t) => {
  const odf = linked(`file://${TARGET}`);
  const changed = async (change: (text: string) => string | Buffer) => countsOf(await replaced(odf, 'content.xml', change));
  t.is(await changed((text) => text.replace('</office:body>', '')), 'corrupt');
  t.is(await changed((text) => text.replace('UTF-8', 'UTF-7')), 'corrupt');
  t.is(await changed((text) => text.replace('?>', '?><!DOCTYPE x [<!ENTITY e "file:///etc/passwd">]>')), 'corrupt');
  t.is(await changed((text) => Buffer.concat([Buffer.from(text), Buffer.from([0xff])])), 'corrupt');
  t.deepEqual(await countsOf(makeDocx('', [], [{ name: 'word/a.html', text: `<html><img src="${TARGET}"></html>` }])), { part: 1 });
  t.deepEqual(await countsOf(makeDocx('', [], [{ name: 'customXml/item1.xml', text: '<broken href="' }])), { part: 1 });
});

test('an entry that the directory does not name is not handed on', async (t) => {
  const docx = makeDocx('');
  const hidden = makeZip([{ name: 'word/document.xml', text: 'hidden' }]);
  // in front of the archive: its local header is there, its directory is not
  const local = hidden.subarray(0, hidden.indexOf('PK\u0001\u0002'));
  const { output } = await strip(Buffer.concat([docx, local, docx.subarray(docx.lastIndexOf('PK\u0005\u0006'))]));
  t.false(output.includes('hidden'));
  t.true((await everythingOf(output)).includes('Harbour'));
});
