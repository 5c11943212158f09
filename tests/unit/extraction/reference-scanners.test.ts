import { applyEdits, RtfInspection, RtfReader, UnreadablePart, XmlInspection } from '@sheaf/extraction/testing/external-references';
import test from 'ava';
import * as fc from 'fast-check';

const RTF_PIECES = [
  '{',
  '}',
  '\\',
  "\\'",
  '49',
  '\\bin3 ',
  '\\u73 ?',
  '\\uc2',
  '\\*',
  '\\field',
  '\\fldinst ',
  'INCLUDE',
  'PICTURE "x"',
  '\\objdata ',
  '\\objlink',
  '\\template ',
  '\\sp',
  '{\\sn pibName}',
  '{\\sv /x}',
  '\r\n',
  '\0',
  ' ',
  '-1',
  '\u00ff',
];
const rtf = fc.array(fc.constantFrom(...RTF_PIECES), { maxLength: 60 }).map((pieces) => Buffer.from(pieces.join(''), 'latin1'));

const cutsOf = (bytes: Buffer, chunkBytes: number) => {
  const inspection = new RtfInspection();
  const reader = new RtfReader(inspection);
  for (let at = 0; at < bytes.length; at += chunkBytes) reader.write(bytes.subarray(at, at + chunkBytes));
  return inspection.close(bytes.length);
};

test('whatever an RTF file holds, its cuts lie in order within it, and do not depend on how it is cut into chunks', (t) => {
  fc.assert(
    fc.property(rtf, fc.integer({ min: 1, max: 7 }), (bytes, chunkBytes) => {
      const cuts = cutsOf(bytes, Math.max(1, bytes.length));
      let last = 0;
      for (const { start, end } of cuts) {
        if (start < last || end < start || end > bytes.length) return false;
        last = end;
      }
      return JSON.stringify(cutsOf(bytes, chunkBytes)) === JSON.stringify(cuts);
    }),
    { numRuns: 2_000 },
  );
  t.pass();
});

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const XML_PIECES = [
  '<w:p>',
  '</w:p>',
  '<w:fldChar w:fldCharType="begin"/>',
  '<w:fldChar w:fldCharType="end"/>',
  '<w:instrText>INCLUDETEXT x</w:instrText>',
  '<a href="/x" b="&lt;"/>',
  '<f>WEBSERVICE()</f>',
  'text',
  '&amp;',
  '<!-- <a> -->',
  '<![CDATA[<f>]]>',
  '\u{1f600}',
  '\n',
];
const xml = fc.array(fc.constantFrom(...XML_PIECES), { maxLength: 40 }).map((pieces) => `<r xmlns:w="${WORD}">${pieces.join('')}</r>`);

const strip = async (text: string, chunkChars: number): Promise<string> => {
  const chunks = Array.from({ length: Math.ceil(text.length / chunkChars) }, (_, i) => text.slice(i * chunkChars, (i + 1) * chunkChars));
  const inspection = new XmlInspection({ name: 'part.xml', encoding: { label: 'utf-8', isUtf8: true }, hyperlinks: new Set() });
  for (const chunk of chunks) inspection.write(chunk);
  const edits = inspection.close();
  let out = '';
  for await (const piece of applyEdits(toAsync(chunks), edits)) out += piece;
  return out;
};

async function* toAsync(chunks: readonly string[]): AsyncGenerator<string> {
  yield* chunks;
}

/** Undefined for XML that is not well-formed. */
const stripOrRefuse = async (text: string, chunkChars: number): Promise<string | undefined> => {
  try {
    return await strip(text, chunkChars);
  } catch (error) {
    if (error instanceof UnreadablePart) return undefined;
    throw error;
  }
};

test('whatever XML holds, it is stripped or refused, is well-formed afterwards, and chunks make no difference', async (t) => {
  await fc.assert(
    fc.asyncProperty(xml, fc.integer({ min: 1, max: 9 }), async (text, chunkChars) => {
      const stripped = await stripOrRefuse(text, text.length);
      if ((await stripOrRefuse(text, chunkChars)) !== stripped) return false;
      return stripped === undefined || (await stripOrRefuse(stripped, stripped.length)) === stripped;
    }),
    { numRuns: 500 },
  );
  t.pass();
});
