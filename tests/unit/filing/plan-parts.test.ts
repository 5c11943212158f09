import { type BarcodeRules, type CodedPage, planParts } from '@sheaf/filing/barcodes';
import test from 'ava';

const RULES: BarcodeRules = { enabled: true, separator: 'PATCHT', asnPrefix: 'ASN', labelPrefix: 'LABEL:', keepSeparator: false };

/** The codes of pages, by a string each; a page without any is ''. */
const pagesOf = (texts: readonly string[]): CodedPage[] =>
  texts.flatMap((text, at) => (text === '' ? [] : [{ page: at + 1, texts: text.split('|') }]));

const plan = (texts: readonly string[], rules: Partial<BarcodeRules> = {}) =>
  planParts(texts.length, pagesOf(texts), { ...RULES, ...rules });

const pages = (texts: readonly string[], rules: Partial<BarcodeRules> = {}) => plan(texts, rules).map((part) => part.pages);

test('a separator sheet splits and is dropped', (t) => {
  t.deepEqual(pages(['', 'PATCHT', '']), [[1], [3]]);
  t.deepEqual(pages(['', 'PATCHT', '', '', 'PATCHT', '']), [[1], [3, 4], [6]]);
  t.deepEqual(pages(['', '', '']), [[1, 2, 3]]);
  t.deepEqual(pages(['', 'patcht', '']), [[1, 2, 3]], 'another text');
  t.deepEqual(pages(['', 'PATCHT', ''], { separator: '' }), [[1, 2, 3]], 'off');
});

test('separators at the ends or in a row make no empty document', (t) => {
  t.deepEqual(pages(['PATCHT', '', 'PATCHT']), [[2]]);
  t.deepEqual(pages(['', 'PATCHT', 'PATCHT', '']), [[1], [4]]);
  t.deepEqual(pages(['PATCHT', 'PATCHT']), [[1, 2]], 'nothing else: it stays as it is');
});

test('a sheet that is kept becomes the first page of the document after it, and no page is lost', (t) => {
  const kept = { keepSeparator: true };
  t.deepEqual(pages(['', 'PATCHT', ''], kept), [[1], [2, 3]]);
  t.deepEqual(pages(['PATCHT', '', 'PATCHT', 'PATCHT', '', 'PATCHT'], kept), [
    [1, 2],
    [3, 4, 5, 6],
  ]);
  t.deepEqual(pages(['PATCHT'], kept), [[1]]);
  // what was split is not split again
  t.deepEqual(pages(['PATCHT', 'PATCHT', '', 'PATCHT'], kept), [[1, 2, 3, 4]]);
});

test('a page with an archive number begins a document, the first page and an invalid number do not', (t) => {
  t.deepEqual(pages(['ASN1', '', 'ASN00002', '']), [
    [1, 2],
    [3, 4],
  ]);
  t.deepEqual(pages(['', 'PATCHT', 'ASN2']), [[1], [3]]);
  t.deepEqual(pages(['ASN1', 'ASN0001']), [[1, 2]], 'the same number is the same document');
  for (const invalid of ['ASN', 'ASNX', 'ASN0', 'ASN2147483648', 'ASN99999999999999999999', 'ASN-', 'ASN1A', 'XASN1'])
    t.deepEqual(pages(['', invalid]), [[1, 2]], invalid);
  t.deepEqual(pages(['', 'ASN1'], { asnPrefix: '' }), [[1, 2]], 'off');
});

test('each document has the number and the labels of its own pages', (t) => {
  const parts = plan(['LABEL:tax', 'ASN 000123|LABEL:home / insurance', '', 'PATCHT|LABEL:lost', 'ASNX|LABEL:', 'LABEL:a|LABEL:b']);
  t.like(parts, [
    { pages: [1], archiveNumber: undefined, labels: [['tax']] },
    { pages: [2, 3], archiveNumber: 123, labels: [['home', 'insurance']] },
    { pages: [5, 6], archiveNumber: undefined, invalidNumbers: ['ASNX'], labels: [['a'], ['b']] },
  ]);
  t.is(plan(['ASN-2147483647'])[0]?.archiveNumber, 2_147_483_647);
  t.deepEqual(plan(['LABEL:tax'], { labelPrefix: '' })[0]?.labels, []);
});

test('a page with many labels gives as many as a page may', (t) => {
  const texts = Array.from({ length: 500 }, (_, at) => `LABEL:${at}`).join('|');
  t.is(plan([texts])[0]?.labels.length, 20);
});
