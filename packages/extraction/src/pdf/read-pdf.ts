import { createReadStream } from 'node:fs';
import { constants, copyFile, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { storableText } from '@sheaf/contract/text';
import { encodePageWords, type PageWord, type PageWords } from '@sheaf/vocabulary/page-words';
import type { DocumentSettings, SharedParts } from '../document-parts.ts';
import { findEmbeddedEinvoice } from '../einvoice/embedded-einvoice.ts';
import { type BeginStage, type ExtractedPage, type Extraction, failed, inStage } from '../extraction.ts';
import type { LookRequest } from '../images/image-messages.ts';
import { type DrawnPage, type DrawPage, type Recognition, recognisePages } from '../ocr/recognise-pages.ts';
import {
  type JpegPicture,
  joinPieces,
  lonelyJpegs,
  type PagePicture,
  type PictureLoad,
  type PicturePlaces,
  parsePictures,
  pictureLoads,
  picturesToRead,
  readPicturePlaces,
} from './page-pictures.ts';
import { isUsableTextLayer, textLayers } from './pdf-text-layer.ts';
import {
  type FindPictures,
  FullPageJpegs,
  isPixelForPixel,
  type JpegPage,
  mayShowMoreText,
  WaitingPages,
  withPictureText,
} from './picture-pages.ts';
import { attachmentsIn, type Limit, type Look, Poppler } from './poppler.ts';
import { dpiFor, dpiForPictures, type PageGeometry, POINTS_PER_INCH, parseGeometry, WORD_BEGIN, wordIn } from './text-of-layout.ts';

export interface PdfToRead {
  readonly path: string;
  readonly settings: DocumentSettings;
  readonly donePages: ReadonlySet<number>;
  readonly scratchPath: string;
  readonly signal: AbortSignal;
  readonly images: SharedParts['images'];
  /** Undefined: pages without a text layer stay empty. */
  readonly recognition: Recognition | undefined;
  /** Set when the PDF was made of an office file. */
  readonly previewPath: string | undefined;
  /** Given what the pages show, what they say: of a rendition whose source is at hand. Pages of a long text are not rewritten. */
  readonly ownText?: ((rendered: readonly string[]) => readonly string[]) | undefined;
  readonly onStage: BeginStage | undefined;
  readonly isUrgent: boolean;
  /** The longer side of a picture of the first page, where one is wanted. */
  readonly pictureSize?: number | undefined;
}

const FORM_FEED = '\f';
const TEXT_LAYER = 'text-layer.txt';
const LAYER_WORDS = 'layer-words.html';
const MAX_WHOLE_TEXT_BYTES = 32 * 1024 * 1024;
const INFO_MS = 30_000;
const BATCH_CHARS = 1_000_000;
const BATCH_PAGES = 500;

/** Opens a PDF: the text layer of all pages in one run, then a picture of each page that lacks one. */
export const readPdf = async (pdf: PdfToRead): Promise<Extraction> => {
  const { path, scratchPath, settings, signal } = pdf;
  const poppler = await Poppler.open(path, scratchPath, settings.limits);
  if (poppler === undefined) return failed('tool_missing');
  const textPath = join(scratchPath, TEXT_LAYER);
  const wordsPath = join(scratchPath, LAYER_WORDS);
  const { pictureSize } = pdf;
  const picture = pictureSize === undefined ? undefined : { pixels: pictureSize, path: join(scratchPath, 'first-page.ppm') };
  const wantsAttachments = pdf.previewPath === undefined;
  const request = {
    mostPages: settings.maxPages,
    textPath,
    wordsPath, // without it words have no places
    wantsPictures: isRecognising(pdf.recognition),
    wantsAttachments,
    picture,
  };
  const limit = { timeoutMs: settings.timeoutMs, signal };
  const look = await inStage(pdf.onStage, 'text_layer', {}, async () => {
    const warm = await lookWarm(pdf.images, poppler, pdf, request, limit);
    return warm === undefined ? poppler.look(request, limit) : ({ ok: true, value: warm } as const);
  });
  if (!look.ok) return failed(look.reason);
  const { count, sizes, text: written, pictures: list, attachments, hasPicture } = look.value;
  if (count > settings.maxPages) return failed('too_many_pages');
  const infoLimit = { timeoutMs: Math.min(INFO_MS, settings.timeoutMs), signal };
  const einvoice = wantsAttachments ? await findEmbeddedEinvoice(poppler, attachments, scratchPath, infoLimit) : undefined;
  // A PDF whose text cannot be had may still be looked at, unless recognition is off.
  if (!written.ok && (written.reason !== 'corrupt' || pdf.recognition === undefined)) return failed(written.reason);
  const geometry = parseGeometry(sizes, list);
  const layers = layersOf(
    pdf,
    textPath,
    layerWords(wordsPath, (page) => geometry.get(page)?.isSideways === true, signal),
  );
  return {
    ok: true,
    pageCount: count,
    previewPath: pdf.previewPath,
    picturePath: hasPicture ? picture?.path : undefined,
    einvoice,
    pages: pagesOf(pdf, poppler, count, layers, {
      geometry,
      pictures: picturesToRead(parsePictures(list)),
      loads: pictureLoads(list),
      jpegs: lonelyJpegs(list),
    }),
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

const isRecognising = (recognition: Recognition | undefined): boolean => recognition !== undefined && !('reason' in recognition.runner);

/** What is known of the look of the pages. */
interface Looks {
  readonly geometry: ReadonlyMap<number, PageGeometry>;
  readonly pictures: ReadonlyMap<number, readonly PagePicture[]>;
  readonly loads: ReadonlyMap<number, PictureLoad>;
  readonly jpegs: ReadonlyMap<number, JpegPicture>;
}

async function* pagesOf(
  pdf: PdfToRead,
  poppler: Poppler,
  pageCount: number,
  layers: AsyncIterable<Layer>,
  looks: Looks,
): AsyncGenerator<readonly ExtractedPage[]> {
  const withoutText = new Set<number>();
  for (let page = 1; page <= pageCount; page += 1) if (!pdf.donePages.has(page)) withoutText.add(page);
  const rendered = pdf.ownText && (await renderedPages(pdf.scratchPath, pageCount));
  const ownText = rendered && pdf.ownText?.(rendered);
  const waiting = new WaitingPages();
  for await (const batch of textBatches(layers, withoutText, ownText)) {
    const given = batch.filter((page) => !(mayShowMore(page, looks) && waiting.add(page)));
    if (given.length > 0) yield given;
  }
  const pages = [...withoutText];
  if (pdf.recognition === undefined) {
    if (pages.length > 0) yield pages.map((page) => ({ page, text: '', confidence: 1, origin: 'text' }));
    return;
  }
  const { dpi, maxPixels } = pdf.settings;
  const drawnDpi = (page: number): number => dpiFor(looks.geometry.get(page), dpi, maxPixels);
  const jpegPages = new Map(pages.flatMap((page) => jpegPageOf(page, looks, drawnDpi(page)) ?? []));
  const file = { path: pdf.path, scratchPath: pdf.scratchPath, limits: pdf.settings.limits };
  const draw = new FullPageJpegs(file, jpegPages, pdf.images).insteadOf(drawFrom(poppler, drawnDpi));
  const drawForPictures = drawFrom(poppler, (page) =>
    dpiForPictures(looks.geometry.get(page), looks.pictures.get(page) ?? [], dpi, maxPixels),
  );
  const sources = { draw: drawForPictures, findPictures: pictureFinder(poppler, looks) };
  if (pages.length > 0) for await (const page of recognisePages(pages, draw, pdf.recognition)) yield [page];
  if (waiting.pages.length > 0) for await (const page of withPictureText(waiting, sources, pdf.recognition)) yield [page];
}

const jpegPageOf = (page: number, { geometry, jpegs }: Looks, dpi: number): readonly [readonly [number, JpegPage]] | undefined => {
  const [shown, jpeg] = [geometry.get(page)?.upright, jpegs.get(page)];
  return shown && jpeg && isPixelForPixel(jpeg, dpi) ? [[page, { jpeg, shown, dpi }]] : undefined;
};

const mayShowMore = ({ page, text }: ExtractedPage, { geometry, pictures }: Looks): boolean => {
  const { widthInches, heightInches } = geometry.get(page) ?? { widthInches: 0, heightInches: 0 };
  return mayShowMoreText(text, { pageSquareInches: widthInches * heightInches, pictures: pictures.get(page) ?? [] });
};

const renderedPages = async (scratchPath: string, pageCount: number): Promise<readonly string[] | undefined> => {
  const pages = (await readTextLayer(scratchPath))?.split(FORM_FEED);
  return pages && Array.from({ length: pageCount }, (_, at) => pages[at] ?? '');
};

/** Pages with a usable text layer, which are taken off `wanted`. `ownText` stands in for what they show. */
async function* textBatches(
  layers: AsyncIterable<Layer>,
  wanted: Set<number>,
  ownText: readonly string[] | undefined,
): AsyncGenerator<readonly ExtractedPage[]> {
  let batch: ExtractedPage[] = [];
  let chars = 0;
  let page = 0;
  for await (const layer of layers) {
    page += 1;
    const text = ownText?.[page - 1] ?? layer.text;
    if (!wanted.has(page) || !(isUsableTextLayer(text) || isUsableTextLayer(layer.text))) continue;
    wanted.delete(page);
    batch.push({ page, text, confidence: 1, origin: 'text', words: layer.words && encodePageWords(text, layer.words) });
    chars += text.length;
    if (chars < BATCH_CHARS && batch.length < BATCH_PAGES) continue;
    yield batch;
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) yield batch;
}

interface Layer {
  readonly text: string;
  /** Undefined where their places could not be had. */
  readonly words: PageWords | undefined;
}

/** The text layers of all pages and where their words stand; none where pdftotext could not read the document. */
async function* layersOf({ signal }: PdfToRead, textPath: string, words: AsyncGenerator<PageWords>): AsyncGenerator<Layer> {
  try {
    for await (const text of textLayers(textPath, signal)) yield { text, words: await nextWords(words) };
  } catch (error) {
    if (!isMissing(error)) throw error;
  } finally {
    await words.return(undefined);
  }
}

const nextWords = async (words: AsyncGenerator<PageWords>): Promise<PageWords | undefined> => {
  try {
    const next = await words.next();
    return next.done === true ? undefined : next.value;
  } catch (error) {
    if (!isMissing(error)) throw error;
    return undefined;
  }
};

/** pdftotext writes no file when it cannot read the document. */
const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** pdftohtml writes every picture of the page to tell where it is; beyond this it is not asked. */
const MAX_LOAD: PictureLoad = { count: 100, pixels: 150_000_000 };

/** pdftohtml measures from the media box, so it is believed only where that is what is shown. */
const pictureFinder =
  (poppler: Poppler, { geometry, loads }: Looks): FindPictures =>
  async (page, prefix, limit) => {
    const { count, pixels } = loads.get(page) ?? { count: 0, pixels: 0 };
    if (count > MAX_LOAD.count || pixels > MAX_LOAD.pixels) return undefined;
    const path = `${prefix}.places.xml`;
    await poppler.writePicturePlaces(page, path, limit);
    const places = await readPicturePlaces(path);
    const shown = geometry.get(page);
    if (places === undefined || shown === undefined || !isOfSize(places, shown)) return undefined;
    return joinPieces(places.boxes);
  };

const SAME_SIZE_POINTS = 2;

const isOfSize = ({ width, height }: PicturePlaces, { widthInches, heightInches, isSideways }: PageGeometry): boolean => {
  const [wide, high] = isSideways ? [heightInches, widthInches] : [widthInches, heightInches];
  return Math.abs(width - wide * POINTS_PER_INCH) <= SAME_SIZE_POINTS && Math.abs(height - high * POINTS_PER_INCH) <= SAME_SIZE_POINTS;
};

const drawFrom =
  (poppler: Poppler, dpiOf: (page: number) => number): DrawPage =>
  async (page, prefix, limit): Promise<DrawnPage> => {
    const dpi = dpiOf(page);
    const drawn = await poppler.drawGrey(page, dpi, prefix, limit);
    // The program is silent about a page that it could not draw; then there is no file, and the reader says so.
    if (drawn.ok) return { ok: true, image: { path: `${prefix}.pgm`, dpi } };
    return { ok: false, reason: drawn.reason === 'encrypted' ? 'corrupt' : drawn.reason };
  };

/** A larger file is not held in the memory of a process that others use, and takes so long that a start matters little. */
const MAX_BYTES = 16 * 1024 ** 2;
const MOST_PAGES = 100;
/** Of the time for a look: what is left is for poppler alone. */
const MOST_SHARE = 0.25;
const MOST_MS = 10_000;

/**
 * As `look` of poppler, in a process that is warm: no sandbox is started, and few programs. Undefined for a file that is large or unusual, such as
 * an encrypted or a damaged one, and where the process has failed on it: poppler decides about those. Throws the signal's reason when aborted.
 */
export const lookWarm = async (
  images: SharedParts['images'],
  poppler: Poppler,
  { path, scratchPath }: { readonly path: string; readonly scratchPath: string },
  request: LookRequest,
  { timeoutMs, signal }: Limit,
): Promise<Look | undefined> => {
  const { programs } = poppler;
  const { textPath, wordsPath, picture } = request;
  if ((await stat(path)).size > MAX_BYTES || !Object.values(programs).every((program) => IN_SANDBOX.test(program))) return undefined;
  const copy = join(scratchPath, 'look.pdf');
  await copyFile(path, copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  const answer = await images.ask(
    { ...request, kind: 'pdf_look', path: copy, programs, mostPages: Math.min(request.mostPages, MOST_PAGES) },
    { timeoutMs: Math.min(MOST_MS, timeoutMs * MOST_SHARE), signal },
  );
  await rm(copy, { force: true });
  const found = answer.ok ? answer.look : undefined;
  if (found !== undefined)
    return {
      count: answer.ok ? answer.pages : 0,
      sizes: found.sizes,
      text: { ok: true, value: undefined },
      pictures: found.pictures,
      attachments: attachmentsIn(found.attachments),
      hasPicture: picture !== undefined,
    };
  for (const half of [textPath, wordsPath, ...(picture === undefined ? [] : [picture.path])]) await rm(half, { force: true });
  return undefined;
};

/** Programs elsewhere are shown to a sandbox that is started for them alone. */
const IN_SANDBOX = /^\/(?:usr|bin)\//;

const PAGE = /^\s*<page width="([\d.]+)" height="([\d.]+)">/;
const PAGE_BEGIN = '<page ';
const PAGE_END = '</page>';
/** What is behind it has no place, as nobody looks for it. */
const MAX_LINE_CHARS = 256 * 1024;
const MAX_WORDS_ON_PAGE = 50_000;

/**
 * The words of each page that `pdftotext -bbox-layout -cropbox` wrote, page after page, in the order in which pdftotext writes them as
 * text. `isSideways` tells which pages are shown with their sides exchanged: the program gives the size as it is without the turn.
 */
export async function* layerWords(path: string, isSideways: (page: number) => boolean, signal: AbortSignal): AsyncGenerator<PageWords> {
  let page = 0;
  let size: { width: number; height: number } | undefined;
  let words: PageWord[] = [];
  for await (const lines of linesOf(path, signal)) {
    for (const line of lines) {
      if (size !== undefined && line.includes(WORD_BEGIN)) {
        const word = words.length < MAX_WORDS_ON_PAGE ? wordOf(line, size) : undefined;
        if (word !== undefined) words.push(word);
      } else if (size !== undefined && line.includes(PAGE_END)) {
        yield { ...size, words };
        size = undefined;
      } else if (line.includes(PAGE_BEGIN)) {
        const begun = PAGE.exec(line);
        if (begun === null) continue;
        page += 1;
        const [width, height] = [Number(begun[1]), Number(begun[2])];
        size = isSideways(page) ? { width: height, height: width } : { width, height };
        words = [];
      }
    }
  }
}

/** Many at a time, as waiting for each would take longer than reading it; without those that are longer than any word. */
async function* linesOf(path: string, signal: AbortSignal): AsyncGenerator<readonly string[]> {
  let rest = '';
  for await (const chunk of createReadStream(path, { encoding: 'utf8', signal }) as AsyncIterable<string>) {
    const lines = chunk.split('\n');
    if (rest.length < MAX_LINE_CHARS) lines[0] = rest + (lines[0] ?? '');
    else lines[0] = rest;
    rest = lines.pop() ?? '';
    yield lines;
  }
}

const wordOf = (line: string, { width, height }: { readonly width: number; readonly height: number }): PageWord | undefined => {
  const word = wordIn(line);
  if (word === undefined) return undefined;
  const { left, top, right, bottom } = word;
  const box = { x: left / width, y: top / height, width: (right - left) / width, height: (bottom - top) / height };
  return { text: storableText(word.text), box, confidence: 1 };
};
