import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isBlank, readPgm } from '@sheaf/extraction/testing/images';
import {
  operation,
  parseJson,
  parseOrientation,
  parseRetryAfterMs,
  parseServiceError,
  parseTsv,
  toCloudReading,
} from '@sheaf/extraction/testing/ocr';
import { findUnseen } from '@sheaf/extraction/testing/office';
import { dpiFor, isUsableTextLayer, parseGeometry, textLayers } from '@sheaf/extraction/testing/pdf';
import { detectEncoding, splitIntoPages } from '@sheaf/extraction/testing/text';
import { findSignature, looksLikeText } from '@sheaf/ingest/testing';
import { openByteSource } from '@sheaf/sandbox/containers';
import test from 'ava';
import { string, uint8Array } from 'fast-check';
import { fuzz, mutated, spliced } from '../../support/fuzz.ts';

const folder = mkdtempSync(join(tmpdir(), 'sheaf-fuzz-'));
test.after.always(() => rmSync(folder, { recursive: true }));

const writeFile = (name: string, bytes: Uint8Array | string): string => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};

async function* inPieces(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += 1_000) yield text.slice(at, at + 1_000);
}

const TEXTS = ['Größe und Käse', 'Съешь ещё этих мягких булок', '日本語の文章です'].flatMap((text) => [
  Buffer.from(text.repeat(20)),
  Buffer.from(text.repeat(20), 'utf16le'),
  Buffer.from(text.repeat(20), 'latin1'),
]);

test.serial('any bytes have an encoding by which they can be decoded, and are text or not', async (t) => {
  await fuzz(mutated(TEXTS), async (bytes) => {
    new TextDecoder(detectEncoding(bytes)).decode(bytes);
    await looksLikeText(await openByteSource(bytes));
    findSignature(bytes);
  });
  t.pass();
});

test.serial('the pages of a text hold all of it but the form feeds', async (t) => {
  await fuzz(spliced(['word ', 'x'.repeat(3_000), 'a b '.repeat(2_000), '\f', '\n', '\r\n', '🗂', '\ud800', ' '], 40), async (text) => {
    const pages: string[] = [];
    for await (const page of splitIntoPages(inPieces(text))) pages.push(page);
    if (pages.some((page) => page.length > 110_000)) throw new Error('a page has no end');
    if (pages.join('').replaceAll('\f', '').trimEnd() !== text.replaceAll('\f', '').trimEnd()) throw new Error('text is lost');
  });
  t.pass();
});

test.serial('what pdfinfo and pdfimages print, whatever the document made them print, gives sizes that can be drawn', async (t) => {
  const pieces = [
    'Page',
    ' ',
    '    1 size: ',
    '595 x 842 pts',
    '1e308 x 1e-308 pts',
    'NaN x -1 pts',
    '\n',
    'page num type width\n',
    '---\n',
    '1 0 image 10 10 gray 1 8 jpeg no 9 0 300 300 1K 1%\n',
    '0',
    '99999999999',
  ];
  await fuzz(spliced(pieces), (text) => {
    for (const page of parseGeometry(text, text).values()) {
      const dpi = dpiFor(page, 300, 50_000_000);
      if (!(dpi > 0 && Number.isFinite(dpi))) throw new Error(`${dpi} dpi`);
    }
  });
  t.pass();
});

test.serial('what tesseract prints gives words with a confidence between 0 and 1', async (t) => {
  const pieces = ['5', '\t', '1', '\n', '-1', '96.5', 'word', '1e999', 'NaN', '4', 'Rotate: 90\n', 'Orientation confidence: 1.2.3\n', '\r'];
  await fuzz(spliced(pieces, 80), (text) => {
    for (const { words } of parseTsv(text))
      for (const { confidence } of words) if (!(confidence >= 0 && confidence <= 1)) throw new Error(`${confidence}`);
    parseOrientation(text, 1);
  });
  t.pass();
});

test.serial('a picture of a page is whole or none', async (t) => {
  await fuzz(
    mutated([Buffer.concat([Buffer.from('P5\n4 3\n255\n'), Buffer.alloc(12, 7)]), Buffer.from('P5 99999999 99999999 255 ')]),
    async (bytes) => {
      const image = await readPgm(writeFile('page.pgm', bytes));
      if (image !== undefined && image.pixels.length !== image.width * image.height) throw new Error('incomplete');
      if (image !== undefined) isBlank(image);
    },
  );
  t.pass();
});

test.serial('the text layers of a PDF are split at form feeds and hold nothing that cannot be kept', async (t) => {
  await fuzz(mutated([Buffer.from('one\ftwo\f\fdrei \u{1f4c2}\f'), Buffer.from('\0\ufffd\ue000'.repeat(50))]), async (bytes) => {
    for await (const page of textLayers(writeFile('layer.txt', bytes), new AbortController().signal)) {
      if (page.includes('\0') || !page.isWellFormed()) throw new Error('not clean');
      isUsableTextLayer(page);
    }
  });
  t.pass();
});

test.serial('paragraphs that a rendition lacks are found in any text', async (t) => {
  await fuzz(spliced(['ab', 'a', '\u{fdfa}', ' ', '\n', '\u00ad', '\ud800', 'ﬁ', 'İ'], 30), (text) => {
    findUnseen(text.split('\n'), text.slice(3));
  });
  t.pass();
});

test.serial('what a recognition service answers is a reading, an error or nothing', async (t) => {
  const good = {
    status: 'succeeded',
    analyzeResult: {
      pages: [{ words: [{ content: 'a', span: { offset: 0 }, confidence: 0.5 }], lines: [{ content: 'a', spans: [{ offset: 0 }] }] }],
    },
  };
  await fuzz(mutated([Buffer.from(JSON.stringify(good)), Buffer.from('{"error":{"code":"x","message":"y"}}')]), (bytes) => {
    const text = bytes.toString();
    parseServiceError(text);
    const parsed = operation.safeParse(parseJson(text));
    if (parsed.success && parsed.data.analyzeResult !== undefined) toCloudReading(parsed.data.analyzeResult);
  });
  await fuzz(string(), (text) => {
    const ms = parseRetryAfterMs(text, 0);
    if (ms !== undefined && !(ms >= 0)) throw new Error(`${ms}`);
  });
  await fuzz(uint8Array(), (bytes) => findSignature(Buffer.from(bytes)));
  t.pass();
});
