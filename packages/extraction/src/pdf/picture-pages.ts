import { type Box, decodePageWords, encodePageWords, type PageWord } from '@sheaf/vocabulary/page-words';
import { type ExtractedPage, UnreadableDocument } from '../extraction.ts';
import { covered, cropped, readPgm, writePgm } from '../images/grey-image.ts';
import { asFullPageDpi } from '../images/image-pdf.ts';
import { pictureRegions } from '../images/picture-regions.ts';
import { type DrawPage, type PagePart, type Recognition, recognisePages } from '../ocr/recognise-pages.ts';
import { MIN_SHORTER_INCHES } from './page-pictures.ts';
import type { Limit } from './poppler.ts';

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
