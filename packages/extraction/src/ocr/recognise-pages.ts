import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { storableText } from '@sheaf/contract/text';
import { type Box, encodePageWords } from '@sheaf/vocabulary/page-words';
import type { DocumentRequest, DocumentSettings, PageRunner, SharedParts } from '../document-parts.ts';
import { type ExtractedPage, type ExtractionFailed, failed, inStage, UnreadableDocument } from '../extraction.ts';
import type { LanguageChoice } from '../language/languages-to-read.ts';
import type { Limit } from '../pdf/poppler.ts';
import { type PageImage, type PageOutcome, type PageReading, readPage } from './read-page.ts';

/** A part of a page that is read alone. */
export interface PagePart {
  readonly image: PageImage;
  /** Where it is on the page. */
  readonly box: Box;
}

export type DrawnPage =
  | { readonly ok: true; readonly image: PageImage; readonly parts?: readonly PagePart[] }
  | { readonly ok: false; readonly reason: PageFailure };
export type PageFailure = 'timeout' | 'reader_died' | 'corrupt' | 'too_large';

/** Writes the picture of a page to `<prefix>.pgm`. */
export type DrawPage = (page: number, prefix: string, limit: Limit) => Promise<DrawnPage>;

export interface Recognition {
  readonly settings: DocumentSettings;
  readonly slots: SharedParts['slots'];
  /** Or why there is none, which matters only when a page needs it. */
  readonly runner: PageRunner | ExtractionFailed;
  readonly request: DocumentRequest;
  readonly languages: LanguageChoice;
  readonly scratchPath: string;
}

const PAGES_A_BUDGET = 100;
/** A page may take a tenth of the document's time, and at least this. */
const MIN_PAGE_LIMIT_MS = 20_000;

/**
 * Draws and recognises `pages`, each in one slot, so that no more page pictures exist than pages are being read. Pages that
 * fail are given with their error; when the document's time is used up, so are all that are left.
 */
export async function* recognisePages(pages: readonly number[], draw: DrawPage, context: Recognition): AsyncGenerator<ExtractedPage> {
  const { slots, request, settings, runner } = context;
  if ('reason' in runner) throw new UnreadableDocument(runner);
  const budget = new TimeBudget(settings.timeoutMs, pages.length);
  yield* inFinishedOrder(pages, slots.size, (page) =>
    slots.run(request, request.signal, async () => {
      const timeoutMs = Math.ceil(budget.nextPageMs());
      if (timeoutMs <= 0) return failedPage(page, 'timeout');
      const started = performance.now();
      try {
        return await recognisePage(page, draw, context, runner, { timeoutMs, signal: request.signal });
      } finally {
        budget.spend(performance.now() - started);
      }
    }),
  );
}

/** The document's time: counted while a page is being read, not while it waits for its turn behind other documents. */
class TimeBudget {
  #leftMs: number;
  readonly #pageLimitMs: number;

  constructor(timeoutMs: number, pages: number) {
    this.#leftMs = timeoutMs * Math.ceil(pages / PAGES_A_BUDGET);
    this.#pageLimitMs = Math.max(timeoutMs / 10, MIN_PAGE_LIMIT_MS);
  }

  nextPageMs(): number {
    return Math.min(this.#leftMs, this.#pageLimitMs);
  }

  spend(ms: number): void {
    this.#leftMs -= ms;
  }
}

const recognisePage = async (
  page: number,
  draw: DrawPage,
  context: Recognition,
  runner: PageRunner,
  limit: Limit,
): Promise<ExtractedPage> => {
  const { settings, request, scratchPath } = context;
  const prefix = join(scratchPath, pictureName(page));
  const deadline = performance.now() + limit.timeoutMs;
  try {
    const facts = { 'sheaf.page': page };
    const drawn = await inStage(request.onStage, 'rasterise', facts, () => draw(page, prefix, limit));
    if (!drawn.ok) return failedPage(page, drawn.reason);
    const read = (image: PageImage): Promise<PageOutcome> => {
      const left = { ...limit, timeoutMs: Math.max(1, Math.ceil(deadline - performance.now())) };
      return readPage(runner, image, context.languages, settings, left);
    };
    const { image, parts = [] } = drawn;
    const outcome = await inStage(request.onStage, 'recognise', facts, () => readWithParts(image, parts, read));
    if (!outcome.ok) {
      if (outcome.reason === 'ocr_refused' || outcome.reason === 'ocr_unavailable')
        throw new UnreadableDocument(failed(outcome.reason, outcome.message)); // not the page's fault: the try ends, read pages stay
      return failedPage(page, outcome.reason);
    }
    const { confidence, words } = outcome.value;
    const text = storableText(outcome.value.text);
    return { page, text, confidence, origin: 'ocr', words: words && encodePageWords(text, words) };
  } finally {
    await removePictures(scratchPath, page);
  }
};

/** The parts of a page, then what is left of it. A part that cannot be read is left out, unless the engine is not to be had. */
const readWithParts = async (
  image: PageImage,
  parts: readonly PagePart[],
  read: (image: PageImage) => Promise<PageOutcome>,
): Promise<PageOutcome> => {
  const readings: PageReading[] = [];
  for (const part of parts) {
    const outcome = await read(part.image);
    if (outcome.ok) readings.push(placedIn(outcome.value, part.box));
    else if (outcome.reason === 'ocr_refused' || outcome.reason === 'ocr_unavailable') return outcome;
  }
  const whole = await read(image);
  if (parts.length === 0 || (!whole.ok && readings.every(({ text }) => text === ''))) return whole;
  return { ok: true, value: joined(whole.ok ? [...readings, whole.value] : readings) };
};

/** A reading of a part, with its words where they stand on the page. */
const placedIn = (reading: PageReading, part: Box): PageReading => {
  const { words } = reading;
  if (words === undefined) return reading;
  const place = ({ x, y, width, height }: Box): Box => ({
    x: part.x + x * part.width,
    y: part.y + y * part.height,
    width: width * part.width,
    height: height * part.height,
  });
  const size = { width: words.width / part.width, height: words.height / part.height };
  return { ...reading, words: { ...size, words: words.words.map((word) => ({ ...word, box: place(word.box) })) } };
};

const joined = (readings: readonly PageReading[]): PageReading => {
  const withText = readings.filter(({ text }) => text !== '');
  const chars = withText.reduce((sum, { text }) => sum + text.length, 0);
  const size = withText.find(({ words }) => words !== undefined)?.words;
  return {
    text: withText.map(({ text }) => text).join('\n\n'),
    confidence: chars === 0 ? 1 : withText.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0) / chars,
    words: size && { ...size, words: withText.flatMap(({ words }) => words?.words ?? []) },
  };
};

const removePictures = async (folder: string, page: number): Promise<void> => {
  const begins = pictureName(page);
  for (const name of await readdir(folder)) if (name.startsWith(`${begins}.`)) await rm(join(folder, name), { force: true });
};

const pictureName = (page: number): string => `page-${page}`;

const failedPage = (page: number, error: PageFailure): ExtractedPage => ({ page, text: '', confidence: 0, origin: 'ocr', error });

/**
 * Runs `task` on each item and yields the results as they are finished, at most `width` under way. When the consumer stops
 * early or a task throws, what is under way is awaited before the iteration ends.
 */
export async function* inFinishedOrder<I, O>(items: Iterable<I>, width: number, task: (item: I) => Promise<O>): AsyncGenerator<O> {
  const underWay = new Map<I, Promise<{ item: I; result: O }>>();
  const source = items[Symbol.iterator]();
  const startNext = (): void => {
    const next = source.next();
    if (next.done === true) return;
    const item = next.value;
    const running = task(item).then((result) => ({ item, result }));
    // It may fail while the consumer is busy and nobody waits; whoever waits next is told.
    running.catch(() => {});
    underWay.set(item, running);
  };
  try {
    for (let i = 0; i < width; i += 1) startNext();
    while (underWay.size > 0) {
      const { item, result } = await Promise.race(underWay.values());
      underWay.delete(item);
      startNext();
      yield result;
    }
  } finally {
    await Promise.allSettled(underWay.values());
  }
}
