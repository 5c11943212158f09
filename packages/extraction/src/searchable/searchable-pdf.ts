import { join } from 'node:path';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import type { PageWord } from '@sheaf/vocabulary/page-words';
import type { PictureMaker } from '../images/picture-maker.ts';
import { picturePdf } from '../images/picture-pdf.ts';
import { layOver } from '../pdf/lay-over.ts';
import { Poppler } from '../pdf/poppler.ts';
import { parsePageFrames } from './page-frames.ts';
import { type TextPage, writeTextOnlyPdf } from './text-only-pdf.ts';

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
