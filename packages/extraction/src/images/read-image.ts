import type { DocumentSettings, SharedParts } from '../document-parts.ts';
import { type ExtractedPage, type Extraction, failed } from '../extraction.ts';
import { type DrawPage, type Recognition, recognisePages } from '../ocr/recognise-pages.ts';
import { copyPicture } from '../scratch.ts';

/** Opens a picture; each page of a multi-page TIFF is a page. */
export const readImage = async (
  host: SharedParts['images'],
  context: Recognition | undefined,
  request: ImageToRead,
): Promise<Extraction> => {
  const { mimeType, signal, donePages, settings } = request;
  const path = await copyPicture(request.path, request.scratchPath);
  const inspected = await host.ask({ kind: 'inspect', path, mimeType }, { timeoutMs: INSPECT_MS, signal });
  if (!inspected.ok) return failed(inspected.reason);
  const pageCount = inspected.pages;
  if (pageCount > settings.maxPages) return failed('too_many_pages');
  const wanted = Array.from({ length: pageCount }, (_, i) => i + 1).filter((page) => !donePages.has(page));

  const draw: DrawPage = async (page, prefix, limit) => {
    const outPath = `${prefix}.pgm`;
    const answer = await host.ask({ kind: 'grey_page', path, mimeType, page, outPath, maxPixels: settings.maxPixels }, limit);
    return answer.ok ? { ok: true, image: { path: outPath, dpi: answer.dpi } } : { ok: false, reason: answer.reason };
  };
  return {
    ok: true,
    pageCount,
    previewPath: undefined,
    pages: context === undefined ? emptyPages(wanted) : singly(recognisePages(wanted, draw, context)),
    [Symbol.asyncDispose]: async () => {},
  };
};

export interface ImageToRead {
  readonly path: string;
  readonly mimeType: string;
  readonly donePages: ReadonlySet<number>;
  readonly settings: DocumentSettings;
  readonly scratchPath: string;
  readonly signal: AbortSignal;
}

const INSPECT_MS = 30_000;

async function* emptyPages(pages: readonly number[]): AsyncGenerator<readonly ExtractedPage[]> {
  yield pages.map((page) => ({ page, text: '', confidence: 1, origin: 'text' }));
}

async function* singly(pages: AsyncIterable<ExtractedPage>): AsyncGenerator<readonly ExtractedPage[]> {
  for await (const page of pages) yield [page];
}
