import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { type Box, decodePageWords, encodePageWords, type PageWord } from '@sheaf/vocabulary/page-words';
import type { SharedParts } from '../document-parts.ts';
import { type ExtractedPage, type ToolSize, UnreadableDocument } from '../extraction.ts';
import { covered, cropped, pictureRegions, readPgm, writePgm } from '../images/grey-image.ts';
import { asFullPageDpi } from '../images/image-pdf.ts';
import { type DrawPage, type PagePart, type Recognition, recognisePages } from '../ocr/recognise-pages.ts';
import { isPlainJpeg, isPlainPage, type JpegPicture, lonePicture, MIN_SHORTER_INCHES, type PageBox, packingOf } from './page-pictures.ts';
import type { Limit } from './poppler.ts';
import type { PageObjects, PdfObject, Qpdf } from './qpdf.ts';

/** A page that a JPEG may fill, by what poppler says of it. */
export interface JpegPage {
  readonly jpeg: JpegPicture;
  /** What of the page is shown, in points. */
  readonly shown: PageBox;
  /** What the page would be drawn at. */
  readonly dpi: number;
}

export interface PdfFile {
  readonly path: string;
  readonly scratchPath: string;
  readonly limits: ToolSize;
}

/** So many pages are taken out of the file at once, at most so large each: their JPEGs lie on the disk together. */
const BATCH_PAGES = 16;
const MAX_JPEG_BYTES = 16 * 1024 * 1024;
/** The instructions to show one picture take less than a hundred bytes. */
const MAX_CONTENT_BYTES = 16 * 1024;
const MAX_CONTENTS = 8;
/** It is done in a moment, or it is not worth waiting for: drawing the page has to have its time. */
const MAX_TOOL_MS = 10_000;
const MAX_TOOL_SHARE = 0.25;
const SAME_PLACE_POINTS = 2;
const SAME_DPI = 1;

const inflateStream = promisify(inflate);

/** Only scans need it, and the schemas of its answers take 0.1 s to load. */
const loadQpdf = () => import('./qpdf.ts');

/**
 * Takes the JPEG of a scanned page out of the PDF where it is all that the page shows, which is quicker than to have the page drawn
 * and gives the same picture. Of every other page, and wherever anything is not as expected, `draw` has its way.
 */
export class FullPageJpegs {
  readonly #pdf: PdfFile;
  readonly #candidates: ReadonlyMap<number, JpegPage>;
  readonly #images: SharedParts['images'];
  readonly #batches = new Map<number, Promise<ReadonlyMap<number, string>>>();
  #file: Promise<OpenedFile | undefined> | undefined;
  #hasFailed = false;

  /** `candidates` by page. */
  constructor(pdf: PdfFile, candidates: ReadonlyMap<number, JpegPage>, images: SharedParts['images']) {
    this.#pdf = pdf;
    this.#candidates = candidates;
    this.#images = images;
  }

  /** As `draw`, with the JPEG in place of the drawing where that is the same. */
  insteadOf(draw: DrawPage): DrawPage {
    const pages = [...this.#candidates.keys()].sort((a, b) => a - b);
    const place = new Map(pages.map((page, at) => [page, at]));
    return async (page, prefix, limit) => {
      const at = place.get(page);
      const candidate = this.#candidates.get(page);
      if (at === undefined || candidate === undefined) return draw(page, prefix, limit);
      const batch = Math.floor(at / BATCH_PAGES);
      const numbers = pages.slice(batch * BATCH_PAGES, (batch + 1) * BATCH_PAGES);
      const taken = this.#batches.get(batch) ?? this.#takeOut(numbers, limit);
      this.#batches.set(batch, taken);
      const path = (await taken).get(page);
      if (path === undefined) return draw(page, prefix, limit);
      const outPath = `${prefix}.pgm`;
      const { width, height } = candidate.jpeg;
      const answer = await this.#images.ask({ kind: 'grey_jpeg', path, outPath, width, height }, limit);
      await rm(path, { force: true });
      return answer.ok ? { ok: true, image: { path: outPath, dpi: candidate.dpi } } : draw(page, prefix, limit);
    };
  }

  /** The JPEGs of these pages that may stand for them, by page. */
  async #takeOut(pages: readonly number[], pageLimit: Limit): Promise<ReadonlyMap<number, string>> {
    const limit = { ...pageLimit, timeoutMs: Math.min(MAX_TOOL_MS, pageLimit.timeoutMs * MAX_TOOL_SHARE) };
    const file = await (this.#file ??= openFile(this.#pdf, limit));
    if (file === undefined || this.#hasFailed) return new Map();
    const wanted = pages.flatMap((page) => {
      const objects = file.pages[page - 1];
      const [picture, ...others] = objects?.pictures ?? [];
      const candidate = this.#candidates.get(page);
      const isAlone = others.length === 0 && picture?.object === candidate?.jpeg.object;
      return candidate && objects && picture && isAlone && objects.contents.length <= MAX_CONTENTS
        ? [{ page, objects, picture, candidate }]
        : [];
    });
    const names = new Set(wanted.flatMap(({ objects, picture }) => [objects.object, picture.object, ...objects.contents]));
    if (names.size === 0) return new Map();
    const objects = await file.qpdf.objects([...names], MAX_JPEG_BYTES, limit);
    // where one batch cannot be had, the next ones would only cost time
    this.#hasFailed ||= objects === undefined;
    if (objects === undefined) return new Map();
    const found = new Map<number, string>();
    const used = new Set<string>();
    for (const { page, objects: own, picture, candidate } of wanted) {
      const path = objects.get(picture.object)?.streamPath;
      // a picture that several pages show is taken for the first of them
      if (path === undefined || used.has(path) || !(await isAllThereIs(own, picture, candidate, objects))) continue;
      used.add(path);
      found.set(page, path);
    }
    for (const { streamPath } of objects.values())
      if (streamPath !== undefined && !used.has(streamPath)) await rm(streamPath, { force: true });
    return found;
  }
}

interface OpenedFile {
  readonly qpdf: Qpdf;
  readonly pages: readonly PageObjects[];
}

const openFile = async ({ path, scratchPath, limits }: PdfFile, limit: Limit): Promise<OpenedFile | undefined> => {
  const { Qpdf: Reader } = await loadQpdf();
  const qpdf = await Reader.open(path, scratchPath, limits);
  const pages = await qpdf?.pages(limit);
  return qpdf && pages && { qpdf, pages };
};

/** Whether the page shows its picture where `candidate` says, and nothing beside it. */
const isAllThereIs = async (
  { object, contents }: PageObjects,
  picture: PageObjects['pictures'][number],
  { shown }: JpegPage,
  objects: ReadonlyMap<string, PdfObject>,
): Promise<boolean> => {
  const [page, image] = [objects.get(object), objects.get(picture.object)];
  if (page === undefined || image === undefined || !isPlainPage(page) || !isPlainJpeg(image)) return false;
  const instructions: string[] = [];
  for (const name of contents) {
    const text = await contentOf(objects.get(name));
    if (text === undefined) return false;
    instructions.push(text);
  }
  const box = lonePicture(instructions.join('\n'), picture.name);
  return (
    box !== undefined &&
    (['left', 'bottom', 'right', 'top'] as const).every((side) => Math.abs(box[side] - shown[side]) <= SAME_PLACE_POINTS)
  );
};

const contentOf = async (content: PdfObject | undefined): Promise<string | undefined> => {
  const packing = content && packingOf(content);
  if (content === undefined || packing === undefined) return undefined;
  const { readStream } = await loadQpdf();
  const bytes = await readStream(content, MAX_CONTENT_BYTES);
  if (bytes === undefined || packing === 'none') return bytes?.toString('latin1');
  try {
    return (await inflateStream(bytes, { maxOutputLength: MAX_CONTENT_BYTES })).toString('latin1');
  } catch {
    return undefined; // broken, or longer than it takes to show a picture
  }
};

/** Whether a page that would be drawn at `drawnDpi` has as many pixels then as the picture that fills it. */
export const isPixelForPixel = ({ dpi }: JpegPicture, drawnDpi: number): boolean => Math.abs(dpi - drawnDpi) < SAME_DPI;

/** Text behind which a picture that fills the page is a scan that somebody has recognised already. */
const RECOGNISED_CHARS = 200;
const FILLS_PAGE_SHARE = 0.85;
/** So many pages wait for their pictures; those behind them are given as they are. */
const MAX_WAITING_CHARS = 32 * 1024 * 1024;

/** What a page says and shows, of pages with a text layer. */
export interface PagePictures {
  readonly pageSquareInches: number;
  readonly pictures: readonly { readonly squareInches: number }[];
}

/** Whether a page with the text layer `layer` may show text that the layer does not have. */
export const mayShowMoreText = (layer: string, { pageSquareInches, pictures }: PagePictures): boolean => {
  const fillsPage = pictures.some(({ squareInches }) => squareInches >= pageSquareInches * FILLS_PAGE_SHARE);
  return pictures.length > 0 && !(fillsPage && layer.length >= RECOGNISED_CHARS);
};

/** Pages that wait until those without any text have been read. */
export class WaitingPages {
  readonly #pages = new Map<number, ExtractedPage>();
  #chars = 0;

  get pages(): readonly number[] {
    return [...this.#pages.keys()];
  }

  /** False where there is no room. */
  add(page: ExtractedPage): boolean {
    if (this.#chars > MAX_WAITING_CHARS) return false;
    this.#chars += page.text.length;
    this.#pages.set(page.page, page);
    return true;
  }

  take(page: number): ExtractedPage | undefined {
    const found = this.#pages.get(page);
    this.#pages.delete(page);
    return found;
  }

  wordsOf(page: number): readonly PageWord[] {
    const { text, words } = this.#pages.get(page) ?? {};
    return text === undefined || words === undefined ? [] : (decodePageWords(text, words)?.words ?? []);
  }
}

/** Where the pictures of a page stand, or undefined where that is not known. */
export type FindPictures = (page: number, prefix: string, limit: Limit) => Promise<readonly Box[] | undefined>;

interface PictureSources {
  readonly draw: DrawPage;
  readonly findPictures: FindPictures;
}

const isWorthReading = (width: number, height: number, dpi: number): boolean =>
  width * height >= dpi ** 2 && Math.min(width, height) >= MIN_SHORTER_INCHES * dpi;

/**
 * Recognises what `waiting` pages show beside their text layer, whose words are painted over first, so that each is given once.
 * What cannot be recognised, for whatever reason, leaves a page with its text layer.
 */
export async function* withPictureText(
  waiting: WaitingPages,
  { draw, findPictures }: PictureSources,
  recognition: Recognition,
): AsyncGenerator<ExtractedPage> {
  const drawRemainder: DrawPage = async (page, prefix, limit) => {
    const drawn = await draw(page, prefix, limit);
    if (!drawn.ok) return drawn;
    const image = await readPgm(drawn.image.path);
    if (image === undefined) return { ok: false, reason: 'corrupt' };
    const { dpi, path } = drawn.image;
    const shown = covered(
      image,
      waiting.wordsOf(page).map(({ box }) => box),
    );
    const pictures = (await findPictures(page, prefix, limit))?.filter(({ width, height }) =>
      isWorthReading(width * image.width, height * image.height, dpi),
    );
    const regions = pictures === undefined || pictures.length === 0 ? pictureRegions(shown, dpi) : pictures;
    const parts: PagePart[] = [];
    for (const [number, box] of regions.entries()) {
      const picture = cropped(shown, box);
      const part = { path: `${prefix}.part-${number}.pgm`, dpi: asFullPageDpi(picture.width, picture.height), isRemainder: true };
      await writePgm(part.path, picture);
      parts.push({ image: part, box });
    }
    await writePgm(path, covered(shown, regions));
    return { ok: true, image: { path, dpi, isRemainder: true }, parts };
  };
  try {
    for await (const seen of recognisePages(waiting.pages, drawRemainder, recognition)) {
      const page = waiting.take(seen.page);
      if (page !== undefined) yield seen.text === '' ? page : together(page, seen);
    }
  } catch (error) {
    if (!(error instanceof UnreadableDocument)) throw error; // the engine is refused or away: these pages have their text
  }
  for (const number of waiting.pages) {
    const page = waiting.take(number);
    if (page !== undefined) yield page;
  }
}

const together = (page: ExtractedPage, seen: ExtractedPage): ExtractedPage => {
  const before = `${page.text.trimEnd()}\n\n`;
  const text = before + seen.text;
  const layer = page.words && decodePageWords(page.text, page.words);
  const shown = seen.words && decodePageWords(seen.text, seen.words);
  const size = layer ?? shown;
  const shownWords = (shown?.words ?? []).map((word) => ({ ...word, start: before.length + (word.start ?? 0) }));
  const words = size && encodePageWords(text, { ...size, words: [...(layer?.words ?? []), ...shownWords] });
  return { ...page, text, words };
};
