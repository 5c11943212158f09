import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { storableText } from '@sheaf/contract';
import type { DocumentRequest, DocumentSettings, PageRunner, SharedParts } from '../document-parts.ts';
import { type ExtractedPage, type ExtractionFailed, failed, UnreadableDocument } from '../extraction.ts';
import type { Limit } from '../pdf/poppler.ts';
import { inStage } from '../stage.ts';
import { inFinishedOrder } from './finished-order.ts';
import { type PageImage, readPage } from './read-page.ts';

export type DrawnPage = { readonly ok: true; readonly image: PageImage } | { readonly ok: false; readonly reason: PageFailure };
export type PageFailure = 'timeout' | 'reader_died' | 'corrupt' | 'too_large';

/** Writes the picture of a page to `<prefix>.pgm`. */
export type DrawPage = (page: number, prefix: string, limit: Limit) => Promise<DrawnPage>;

export interface Recognition {
  readonly settings: DocumentSettings;
  readonly slots: SharedParts['slots'];
  /** Or why there is none, which matters only when a page needs it. */
  readonly runner: PageRunner | ExtractionFailed;
  readonly request: DocumentRequest;
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
  const prefix = join(scratchPath, `page-${page}`);
  const deadline = performance.now() + limit.timeoutMs;
  try {
    const facts = { 'sheaf.page': page };
    const drawn = await inStage(request.onStage, 'rasterise', facts, () => draw(page, prefix, limit));
    if (!drawn.ok) return failedPage(page, drawn.reason);
    const left = { ...limit, timeoutMs: Math.max(1, Math.ceil(deadline - performance.now())) };
    const { image } = drawn;
    const outcome = await inStage(request.onStage, 'recognise', facts, () => readPage(runner, image, request.language, settings, left));
    if (!outcome.ok) {
      if (outcome.reason === 'ocr_refused' || outcome.reason === 'ocr_unavailable')
        throw new UnreadableDocument(failed(outcome.reason, outcome.message)); // not the page's fault: the try ends, read pages stay
      return failedPage(page, outcome.reason);
    }
    return { page, text: storableText(outcome.value.text), confidence: outcome.value.confidence, origin: 'ocr' };
  } finally {
    await removePictures(prefix);
  }
};

const removePictures = async (prefix: string): Promise<void> => {
  for (const suffix of ['', '.turned.pgm', '.changed.pgm']) await rm(`${prefix}.pgm${suffix}`, { force: true });
};

const failedPage = (page: number, error: PageFailure): ExtractedPage => ({ page, text: '', confidence: 0, origin: 'ocr', error });
