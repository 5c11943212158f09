import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DocumentSettings } from '../document-parts.ts';
import { type ExtractedPage, type Extraction, failed } from '../extraction.ts';
import { type DrawnPage, type DrawPage, type Recognition, recognisePages } from '../ocr/recognise-pages.ts';
import { type BeginStage, inStage } from '../stage.ts';
import { dpiFor, type PageGeometry } from './pdf-geometry.ts';
import { isUsableTextLayer, textLayers } from './pdf-text-layer.ts';
import { type Limit, Poppler } from './poppler.ts';

export interface PdfToRead {
  readonly path: string;
  readonly settings: DocumentSettings;
  readonly donePages: ReadonlySet<number>;
  readonly scratchPath: string;
  readonly signal: AbortSignal;
  /** Undefined: pages without a text layer stay empty. */
  readonly recognition: Recognition | undefined;
  /** Set when the PDF was made of an office file. */
  readonly previewPath: string | undefined;
  /** Given what the pages show, what they say: of a rendition whose source is at hand. Pages of a long text are not rewritten. */
  readonly ownText?: ((rendered: readonly string[]) => readonly string[]) | undefined;
  readonly onStage: BeginStage | undefined;
  readonly isUrgent: boolean;
}

const FORM_FEED = '\f';
const TEXT_LAYER = 'text-layer.txt';
const MAX_WHOLE_TEXT_BYTES = 32 * 1024 * 1024;
const INFO_MS = 30_000;
const BATCH_CHARS = 1_000_000;
const BATCH_PAGES = 500;

/** Opens a PDF: the text layer of all pages in one run, then a picture of each page that lacks one. */
export const readPdf = async (pdf: PdfToRead): Promise<Extraction> => {
  const { path, scratchPath, settings, signal } = pdf;
  const poppler = await Poppler.open(path, scratchPath, settings.limits);
  if (poppler === undefined) return failed('tool_missing');
  const count = await poppler.countPages({ timeoutMs: Math.min(INFO_MS, settings.timeoutMs), signal });
  if (!count.ok) return failed(count.reason);
  if (count.value > settings.maxPages) return failed('too_many_pages');
  const textPath = join(scratchPath, TEXT_LAYER);
  const limit = { timeoutMs: settings.timeoutMs, signal };
  const facts = { 'sheaf.pages': count.value };
  const written = await inStage(pdf.onStage, 'text_layer', facts, () => poppler.writeText(textPath, count.value, limit));
  // A PDF whose text cannot be had may still be looked at, unless recognition is off.
  if (!written.ok && (written.reason !== 'corrupt' || pdf.recognition === undefined)) return failed(written.reason);
  return {
    ok: true,
    pageCount: count.value,
    previewPath: pdf.previewPath,
    pages: pagesOf(pdf, poppler, count.value, textPath),
    [Symbol.asyncDispose]: async () => {},
  };
};

/** The text layer of all pages of the PDF that was opened in this scratch folder, or undefined when it is too long to look at whole. */
export const readTextLayer = async (scratchPath: string): Promise<string | undefined> => {
  const path = join(scratchPath, TEXT_LAYER);
  try {
    return (await stat(path)).size > MAX_WHOLE_TEXT_BYTES ? undefined : await readFile(path, 'utf8');
  } catch {
    return ''; // pdftotext writes no file when it cannot read the document
  }
};

async function* pagesOf(pdf: PdfToRead, poppler: Poppler, pageCount: number, textPath: string): AsyncGenerator<readonly ExtractedPage[]> {
  const withoutText = new Set<number>();
  for (let page = 1; page <= pageCount; page += 1) if (!pdf.donePages.has(page)) withoutText.add(page);
  const rendered = pdf.ownText && (await renderedPages(pdf.scratchPath, pageCount));
  const ownText = rendered && pdf.ownText?.(rendered);
  for await (const batch of textBatches(pdf, textPath, withoutText, ownText)) yield batch;
  if (withoutText.size === 0) return;
  const pages = [...withoutText];
  if (pdf.recognition === undefined) {
    yield pages.map((page) => ({ page, text: '', confidence: 1, origin: 'text' }));
    return;
  }
  for await (const page of recognisePages(pages, drawFrom(poppler, pdf.settings, pages), pdf.recognition)) yield [page];
}

const renderedPages = async (scratchPath: string, pageCount: number): Promise<readonly string[] | undefined> => {
  const pages = (await readTextLayer(scratchPath))?.split(FORM_FEED);
  return pages && Array.from({ length: pageCount }, (_, at) => pages[at] ?? '');
};

/** Pages with a usable text layer, which are taken off `wanted`. `ownText` stands in for what they show. */
async function* textBatches(
  pdf: PdfToRead,
  textPath: string,
  wanted: Set<number>,
  ownText: readonly string[] | undefined,
): AsyncGenerator<readonly ExtractedPage[]> {
  let batch: ExtractedPage[] = [];
  let chars = 0;
  let page = 0;
  for await (const layer of existingLayers(textPath, pdf.signal)) {
    page += 1;
    const text = ownText?.[page - 1] ?? layer;
    if (!wanted.has(page) || !(isUsableTextLayer(text) || isUsableTextLayer(layer))) continue;
    wanted.delete(page);
    batch.push({ page, text, confidence: 1, origin: 'text' });
    chars += text.length;
    if (chars < BATCH_CHARS && batch.length < BATCH_PAGES) continue;
    yield batch;
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) yield batch;
}

/** pdftotext writes no file when it cannot read the document. */
async function* existingLayers(textPath: string, signal: AbortSignal): AsyncGenerator<string> {
  try {
    yield* textLayers(textPath, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

const drawFrom = (poppler: Poppler, settings: DocumentSettings, pages: readonly number[]): DrawPage => {
  let geometry: Promise<ReadonlyMap<number, PageGeometry>> | undefined;
  const measure = async (limit: Limit): Promise<ReadonlyMap<number, PageGeometry>> => {
    const result = await poppler.geometry(pages[0] ?? 1, pages.at(-1) ?? 1, limit);
    return result.ok ? result.value : new Map();
  };
  return async (page, prefix, limit): Promise<DrawnPage> => {
    geometry ??= measure(limit);
    const dpi = dpiFor((await geometry).get(page), settings.dpi, settings.maxPixels);
    const drawn = await poppler.drawGrey(page, dpi, prefix, limit);
    // The program is silent about a page that it could not draw; then there is no file, and the reader says so.
    if (drawn.ok) return { ok: true, image: { path: `${prefix}.pgm`, dpi } };
    return { ok: false, reason: !drawn.ok && drawn.reason === 'timeout' ? 'timeout' : 'corrupt' };
  };
};
