import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { storableText } from '@sheaf/contract/text';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import type { DocumentSettings, SharedParts } from '../document-parts.ts';
import { PGM_MIME_TYPE } from '../images/image-messages.ts';
import { type Limit, Poppler } from '../pdf/poppler.ts';
import { dpiFor, parseGeometry } from '../pdf/text-of-layout.ts';
import { copyPicture } from '../scratch.ts';
import { type Barcode, foundCodes, type PageBarcodes } from './barcode.ts';

export interface BarcodeRequest {
  readonly path: string;
  readonly mimeType: string;
  readonly signal: AbortSignal;
}

/** Why a document was not looked at for codes: it is read all the same, or fails with a reason of its own. */
export type BarcodeFailure = 'not_supported' | 'not_readable' | 'timeout';

export type FoundBarcodes =
  | { readonly ok: true; readonly pageCount: number; readonly pages: readonly PageBarcodes[] }
  | { readonly ok: false; readonly reason: BarcodeFailure };

interface Sources {
  readonly images: Pick<SharedParts['images'], 'ask'>;
  readonly settings: Pick<DocumentSettings, 'maxPages' | 'timeoutMs' | 'limits'>;
  readonly scratchPath: string;
}

/** The longer side of a page at the first look: A4 at 150 dpi. */
const COARSE_SIDE = 1_754;
const COARSE_PIXELS = 2_250_000;
const FINE_DPI = 300;
/** An A4 page at this resolution. A larger one is looked at as coarsely as it takes. */
const FINE_PIXELS = 9_000_000;
/** A page longer than so many times its width, such as a receipt, is too narrow at the first look. */
const LONG_PAGE = 2;
/** Pages that one program draws: to start it costs as much as to draw half a page. */
const PAGES_A_RUN = 8;
/** A page that takes longer is no sheet with a code. */
const PAGE_MS = 10_000;
const INSPECT_MS = 30_000;
/**
 * A closer look costs as much as four first ones. A document of few pages has some, so that a small code on its only page is found, and each
 * further one is paid by what the first looks at so many pages leave of 0.1 s. Looks are counted and not timed: what is found must not
 * depend on what else the machine does.
 */
const CLOSER_LOOKS = { least: 3, pages: 10 };
/** The limit of a document is once for so many pages. */
const LIMIT_PAGES = 100;

/** A page as it is looked at. */
interface Drawn {
  readonly path: string;
  readonly mimeType: string;
  readonly page: number;
  readonly maxPixels: number;
  /** It was drawn for this look alone. */
  readonly isOurs: boolean;
}

interface Pages {
  readonly count: number;
  /** Pages `first` to `last`, which may be fewer. */
  readonly drawCoarse: (first: number, last: number) => Promise<readonly Drawn[]>;
  readonly drawFine: (page: number) => Promise<Drawn | undefined>;
  readonly isLong: (page: number) => boolean;
}

/**
 * The barcodes on the pages of a PDF or of a picture. Every page is looked at coarsely, and closer where it looks as if there was a code that
 * could not be read, as often as the document may be. What goes wrong with a page is that it has no codes. Throws the signal's
 * reason when it is aborted.
 */
export const findBarcodes = async (request: BarcodeRequest, sources: Sources): Promise<FoundBarcodes> => {
  const family = findKindByMimeType(request.mimeType)?.family;
  if (family !== 'pdf' && family !== 'image') return { ok: false, reason: 'not_supported' };
  const pages = family === 'pdf' ? await pdfPages(request, sources) : await picturePages(request, sources);
  if (pages === undefined || pages.count > sources.settings.maxPages) return { ok: false, reason: 'not_readable' };
  const endMs = performance.now() + sources.settings.timeoutMs * Math.ceil(pages.count / LIMIT_PAGES);
  const looking: Looking = {
    closerLooks: CLOSER_LOOKS.least + Math.floor(pages.count / CLOSER_LOOKS.pages),
    images: sources.images,
    signal: request.signal,
  };
  const found: PageBarcodes[] = [];
  const drawRun = (first: number): Promise<readonly Drawn[]> => {
    if (first > pages.count) return Promise.resolve([]);
    const drawing = pages.drawCoarse(first, Math.min(pages.count, first + PAGES_A_RUN - 1));
    drawing.catch(() => {}); // it may fail before its turn comes
    return drawing;
  };
  let next = drawRun(1);
  try {
    for (let first = 1; first <= pages.count; first += PAGES_A_RUN) {
      const drawn = await next;
      next = drawRun(first + PAGES_A_RUN); // while these are looked at
      for (const page of drawn) {
        if (performance.now() > endMs) return { ok: false, reason: 'timeout' };
        const codes = await codesOf(page, pages, looking);
        if (codes.length > 0) found.push({ page: page.page, codes });
      }
    }
  } finally {
    await next.catch(() => {}); // its program must not outlive the folder that it writes to
  }
  return { ok: true, pageCount: pages.count, pages: found };
};

interface Looking {
  /** That are left. */
  closerLooks: number;
  readonly images: Sources['images'];
  readonly signal: AbortSignal;
}

const codesOf = async (coarse: Drawn, pages: Pages, looking: Looking): Promise<readonly Barcode[]> => {
  const first = await lookAt(coarse, looking);
  if (!(first.mayHoldMore || pages.isLong(coarse.page)) || looking.closerLooks === 0) return first.codes;
  looking.closerLooks -= 1;
  const fine = await pages.drawFine(coarse.page);
  const second = fine === undefined ? NOTHING : await lookAt(fine, looking);
  const all = new Map([...first.codes, ...second.codes].map((code) => [`${code.format} ${code.text}`, code]));
  return [...all.values()];
};

const NOTHING = { codes: [], mayHoldMore: false } as const;

/** The process that looks at a stranger's pixels is not believed more than they are. */
const lookAt = async (
  { isOurs, ...drawn }: Drawn,
  { images, signal }: Looking,
): Promise<{ codes: readonly Barcode[]; mayHoldMore: boolean }> => {
  const answer = await images.ask({ kind: 'barcodes', ...drawn }, { timeoutMs: PAGE_MS, signal });
  if (isOurs) await rm(drawn.path, { force: true });
  if (!answer.ok || answer.barcodes === undefined) return NOTHING;
  const codes = foundCodes.safeParse(answer.barcodes.codes);
  if (!codes.success) return NOTHING;
  const given = codes.data.map(({ format, text }) => ({ format, text: storableText(text).trim() }));
  return { codes: given.filter(({ text }) => text !== ''), mayHoldMore: answer.barcodes.mayHoldMore };
};

const pdfPages = async ({ path, signal }: BarcodeRequest, { settings, scratchPath }: Sources): Promise<Pages | undefined> => {
  const poppler = await Poppler.open(path, scratchPath, settings.limits);
  if (poppler === undefined) return undefined;
  const limit = (pages: number): Limit => ({ timeoutMs: PAGE_MS * pages, signal });
  const drawRun = (first: number, last: number): Promise<ReadonlyMap<number, string>> =>
    poppler.drawGreyPages(first, last, COARSE_SIDE, join(scratchPath, 'coarse'), limit(last - first + 1));
  // most documents have no more pages than are drawn while these are counted; neither program outlives the folder
  const counting = poppler.pages(settings.maxPages, { timeoutMs: INSPECT_MS, signal });
  const drawing = drawRun(1, PAGES_A_RUN);
  await Promise.allSettled([counting, drawing]);
  const [info, firstRun] = [await counting, await drawing];
  if (!info.ok) return undefined;
  const { count, sizes } = info.value;
  const geometry = parseGeometry(sizes, '');
  const asPicture = (picture: string, page: number): Drawn => ({
    path: picture,
    mimeType: PGM_MIME_TYPE,
    page,
    maxPixels: FINE_PIXELS,
    isOurs: true,
  });
  return {
    count,
    drawCoarse: async (first, last) => {
      const drawn = first === 1 ? firstRun : await drawRun(first, last);
      return [...drawn].map(([page, picture]) => asPicture(picture, page)).toSorted((a, b) => a.page - b.page);
    },
    drawFine: async (page) => {
      const prefix = join(scratchPath, `fine-${page}`);
      const drawn = await poppler.drawGrey(page, dpiFor(geometry.get(page), FINE_DPI, FINE_PIXELS), prefix, limit(1));
      return drawn.ok ? asPicture(`${prefix}.pgm`, page) : undefined;
    },
    isLong: (page) => {
      const { widthInches: width, heightInches: height } = geometry.get(page) ?? { widthInches: 1, heightInches: 1 };
      return Math.max(width, height) > LONG_PAGE * Math.min(width, height);
    },
  };
};

const picturePages = async ({ path, mimeType, signal }: BarcodeRequest, { images, scratchPath }: Sources): Promise<Pages | undefined> => {
  const copy = await copyPicture(path, scratchPath);
  const inspected = await images.ask({ kind: 'inspect', path: copy, mimeType }, { timeoutMs: INSPECT_MS, signal });
  if (!inspected.ok) return undefined;
  const asPicture = (page: number, maxPixels: number): Drawn => ({ path: copy, mimeType, page, maxPixels, isOurs: false });
  return {
    count: inspected.pages,
    drawCoarse: async (first, last) => Array.from({ length: last - first + 1 }, (_, at) => asPicture(first + at, COARSE_PIXELS)),
    drawFine: async (page) => asPicture(page, FINE_PIXELS),
    isLong: () => false,
  };
};
