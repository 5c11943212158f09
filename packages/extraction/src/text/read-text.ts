import { createReadStream } from 'node:fs';
import { storableText } from '@sheaf/contract/text';
import type { DocumentRequest } from '../document-parts.ts';
import { type ExtractedPage, type Extraction, failed } from '../extraction.ts';
import { detectEncoding, SAMPLE_BYTES, type TextEncoding } from './text-encoding.ts';
import { splitIntoPages } from './text-pages.ts';

const BATCH_CHARS = 1_000_000;

/** Opens a plain text file. It is read twice, once to count the pages, so that a file of any size is never in memory whole. */
export const readText = async (request: DocumentRequest, maxPages: number): Promise<Extraction> => {
  const encoding = await encodingOf(request.path, request.signal);
  let pageCount = 0;
  for await (const _ of pagesOf(request.path, encoding, request.signal)) {
    pageCount += 1;
    if (pageCount > maxPages) return failed('too_many_pages');
  }
  return {
    ok: true,
    pageCount,
    previewPath: undefined,
    pages: batchesOf(request, encoding),
    [Symbol.asyncDispose]: async () => {},
  };
};

/** The beginning of a text file, for its picture. */
export const readFirstPage = async (path: string, signal: AbortSignal): Promise<string> => {
  for await (const page of pagesOf(path, await encodingOf(path, signal), signal)) return page;
  return '';
};

/** Judged by the first part of the file that holds anything beyond ASCII. */
const encodingOf = async (path: string, signal: AbortSignal): Promise<TextEncoding> => {
  for await (const chunk of createReadStream(path, { highWaterMark: SAMPLE_BYTES, signal }) as AsyncIterable<Buffer>) {
    // A character may have begun in the chunk before: the rest of it proves nothing.
    const start = chunk.findIndex((byte) => byte < 0x80 || byte >= 0xc0);
    const sample = chunk.subarray(Math.max(0, Math.min(start, 3)));
    if (sample.some((byte) => byte >= 0x80 || byte === 0)) return detectEncoding(sample);
  }
  return 'utf-8';
};

const pagesOf = (path: string, encoding: TextEncoding, signal: AbortSignal): AsyncGenerator<string> =>
  splitIntoPages(decoded(path, encoding, signal));

async function* decoded(path: string, encoding: TextEncoding, signal: AbortSignal): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of createReadStream(path, { signal }) as AsyncIterable<Buffer>) {
    yield storableText(decoder.decode(chunk, { stream: true }));
  }
  yield storableText(decoder.decode());
}

async function* batchesOf({ path, donePages, signal }: DocumentRequest, encoding: TextEncoding): AsyncGenerator<ExtractedPage[]> {
  let batch: ExtractedPage[] = [];
  let chars = 0;
  let page = 0;
  for await (const text of pagesOf(path, encoding, signal)) {
    page += 1;
    if (donePages.has(page)) continue;
    batch.push({ page, text, confidence: 1, origin: 'text' });
    chars += text.length;
    if (chars < BATCH_CHARS) continue;
    yield batch;
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) yield batch;
}
