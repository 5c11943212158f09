import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import type { PageWord } from '@sheaf/vocabulary/page-words';
import { type PictureMaker, picturePdf } from '../images/image-host.ts';
import { layOver } from '../pdf/lay-over.ts';
import { PdfWriter } from '../pdf/pdf-writer.ts';
import { Poppler } from '../pdf/poppler.ts';
import { FONT, makeGlyphlessFont, type PageFrame, parsePageFrames, TextCodes, textLayerOf } from './text-layer.ts';

/** A page whose words the file itself does not have. */
export interface RecognisedPage {
  /** From 1. */
  readonly page: number;
  readonly words: readonly PageWord[];
}

interface SearchableRequest {
  /** A PDF or a picture. */
  readonly path: string;
  readonly mimeType: string;
  /** In their order. */
  readonly pages: AsyncIterable<RecognisedPage>;
  /** A folder for this alone, which is removed by whoever made it. */
  readonly scratchPath: string;
  readonly pictures: Pick<PictureMaker, 'ask' | 'limits'>;
  readonly signal: AbortSignal;
}

/** Why there is none. */
export type SearchableProblem = 'encrypted' | 'damaged' | 'timeout' | 'tool_missing' | 'unsupported' | 'too_large';

/** What came of making one. */
export type SearchablePdf =
  /** `path` may be the file itself, where no page lacks its words. */
  { readonly ok: true; readonly path: string } | { readonly ok: false; readonly problem: SearchableProblem };

const LIMIT_MS = 300_000;
const INFO_MS = 60_000;
/** More than anybody lets be recognised. */
const MAX_PAGES = 100_000;

/**
 * A PDF of the file with the recognised words as text that nobody sees. What the document can break runs in processes of its own, one
 * page's words are in memory at a time. Throws the signal's reason.
 */
export const makeSearchablePdf = async (request: SearchableRequest): Promise<SearchablePdf> => {
  const { scratchPath, signal } = request;
  const { limits } = request.pictures;
  const source = await sourceOf(request);
  if (!source.ok) return source;
  const poppler = await Poppler.open(source.path, scratchPath, limits);
  if (poppler === undefined) return { ok: false, problem: 'tool_missing' };
  const info = await poppler.pages(MAX_PAGES, { timeoutMs: INFO_MS, signal });
  if (!info.ok) return { ok: false, problem: PROBLEMS[info.reason] };
  const frames = parsePageFrames(info.value.sizes);
  const onto: number[] = [];
  let isPlaceless = false;
  async function* framed(): AsyncGenerator<TextPage> {
    for await (const { page, words } of request.pages) {
      signal.throwIfAborted();
      const frame = frames.get(page);
      if (words.length === 0) continue;
      if (frame === undefined) {
        isPlaceless = true;
        continue;
      }
      onto.push(page);
      yield { frame, words };
    }
  }
  const textPath = join(scratchPath, 'text.pdf');
  await writeTextOnlyPdf(textPath, framed());
  // its pages have no area, or none is found: no reader shows it
  if (onto.length === 0) return isPlaceless ? { ok: false, problem: 'damaged' } : source;
  const outPath = join(scratchPath, 'searchable.pdf');
  const problem = await layOver({ path: source.path, scratchPath, limits }, { path: textPath, onto }, outPath, {
    timeoutMs: LIMIT_MS,
    signal,
  });
  return problem === undefined ? { ok: true, path: outPath } : { ok: false, problem };
};

const PROBLEMS = { timeout: 'timeout', encrypted: 'encrypted', corrupt: 'damaged', reader_died: 'damaged' } as const;

const sourceOf = async ({ path, mimeType, scratchPath, pictures, signal }: SearchableRequest): Promise<SearchablePdf> => {
  const family = findKindByMimeType(mimeType)?.family;
  if (family === 'pdf') return { ok: true, path };
  if (family !== 'image') return { ok: false, problem: 'unsupported' };
  return picturePdf({ path, mimeType, scratchPath, pictures, timeoutMs: LIMIT_MS, signal });
};

const deflated = promisify(deflate);

/** A page to be laid over one of another PDF. */
interface TextPage {
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
const writeTextOnlyPdf = async (path: string, pages: AsyncIterable<TextPage>): Promise<void> => {
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
