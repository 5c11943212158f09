import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import type { PageWord } from '@sheaf/vocabulary/page-words';
import { PdfWriter } from '../pdf/pdf-writer.ts';
import { FONT, makeGlyphlessFont } from './glyphless-font.ts';
import type { PageFrame } from './page-frames.ts';
import { TextCodes } from './text-codes.ts';
import { textLayerOf } from './text-layer.ts';

const deflated = promisify(deflate);

/** A page to be laid over one of another PDF. */
export interface TextPage {
  readonly frame: PageFrame;
  readonly words: readonly PageWord[];
}

const ROOT = 1;
const PAGE_TREE = 2;
const RESOURCES = 3;
const FONT_OBJECT = 4;
const FONT_NAME = 'GlyphLessFont';
/** A glyph number of two bytes for each code: the first glyph that is one. */
const GLYPH_OF_CODES = Buffer.from(new Uint8Array(2 * 0x10000).map((_, at) => at % 2));

/** Writes a PDF to `path` that has nothing but the words of `pages`, one page at a time. */
export const writeTextOnlyPdf = async (path: string, pages: AsyncIterable<TextPage>): Promise<void> => {
  await using file = await open(path, 'wx', 0o600);
  const pdf = new PdfWriter(file, FONT_OBJECT + 1);
  const codes = new TextCodes();
  const kids: number[] = [];
  for await (const { frame, words } of pages) {
    const contents = await addStream(pdf, Buffer.from(textLayerOf(words, frame, codes), 'latin1'));
    const box = `/MediaBox [0 0 ${frame.width.toFixed(3)} ${frame.height.toFixed(3)}]`;
    kids.push(await pdf.add(`<</Type /Page /Parent ${PAGE_TREE} 0 R ${box} /Resources ${RESOURCES} 0 R /Contents ${contents} 0 R>>`));
  }
  await writeFont(pdf, codes);
  await pdf.write(RESOURCES, `<</Font <</F ${FONT_OBJECT} 0 R>>>>`);
  await pdf.write(PAGE_TREE, `<</Type /Pages /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] /Count ${kids.length}>>`);
  await pdf.write(ROOT, `<</Type /Catalog /Pages ${PAGE_TREE} 0 R>>`);
  await pdf.end(ROOT);
};

const addStream = async (pdf: PdfWriter, bytes: Buffer, entries = ''): Promise<number> =>
  pdf.addStream(`/Filter /FlateDecode ${entries}`, await deflated(bytes, { level: 9 }));

const writeFont = async (pdf: PdfWriter, codes: TextCodes): Promise<void> => {
  const font = makeGlyphlessFont();
  const program = await addStream(pdf, font, `/Length1 ${font.length}`);
  const map = await addStream(pdf, GLYPH_OF_CODES);
  const toUnicode = await addStream(pdf, Buffer.from(codes.toUnicode(), 'latin1'));
  const { ascent, descent, advance } = FONT;
  const look = `/FontBBox [0 ${descent} ${advance} ${ascent}] /Ascent ${ascent} /Descent ${descent} /CapHeight ${ascent}`;
  const descriptor = await pdf.add(
    `<</Type /FontDescriptor /FontName /${FONT_NAME} /Flags 5 ${look} /ItalicAngle 0 /StemV 80 /FontFile2 ${program} 0 R>>`,
  );
  const system = '/CIDSystemInfo <</Registry (Adobe) /Ordering (Identity) /Supplement 0>>';
  const glyphs = `/CIDToGIDMap ${map} 0 R /DW ${advance}`;
  const descendant = await pdf.add(
    `<</Type /Font /Subtype /CIDFontType2 /BaseFont /${FONT_NAME} ${system} /FontDescriptor ${descriptor} 0 R ${glyphs}>>`,
  );
  const unicode = `/Encoding /Identity-H /ToUnicode ${toUnicode} 0 R`;
  await pdf.write(FONT_OBJECT, `<</Type /Font /Subtype /Type0 /BaseFont /${FONT_NAME} ${unicode} /DescendantFonts [${descendant} 0 R]>>`);
};
