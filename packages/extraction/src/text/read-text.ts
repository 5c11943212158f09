import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { storableText } from '@sheaf/contract/text';
import type { DocumentRequest } from '../document-parts.ts';
import { type ExtractedPage, type Extraction, failed } from '../extraction.ts';
import { detectEncoding, SAMPLE_BYTES, type TextEncoding } from './text-encoding.ts';
import { splitIntoPages } from './text-pages.ts';

const BATCH_CHARS = 1_000_000;

/** Of files up to this size, as most are, everything that is done here takes a few milliseconds at most. */
export const SMALL_TEXT_BYTES = 16 * 1024;

type TextRequest = Pick<DocumentRequest, 'path' | 'donePages' | 'signal'>;

/** Opens a plain text file. It is read twice, once to count the pages, so that a file of any size is never in memory whole. */
export const readText = async (request: TextRequest, maxPages: number): Promise<Extraction> => {
  const text = await openText(request.path, request.signal);
  let pageCount = 0;
  for await (const _ of pagesOf(text)) {
    pageCount += 1;
    if (pageCount > maxPages) return failed('too_many_pages');
  }
  return {
    ok: true,
    pageCount,
    previewPath: undefined,
    pages: batchesOf(text, request.donePages),
    [Symbol.asyncDispose]: async () => {},
  };
};

/** The beginning of a text file, for its picture. */
export const readFirstPage = async (path: string, signal: AbortSignal): Promise<string> => {
  for await (const page of pagesOf(await openText(path, signal))) return page;
  return '';
};

type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>;

interface OpenedText {
  readonly encoding: TextEncoding;
  /** From the beginning, each time. */
  readonly chunks: () => Chunks;
}

const openText = async (path: string, signal: AbortSignal): Promise<OpenedText> => {
  const small = await readSmall(path);
  signal.throwIfAborted();
  const chunks = (): Chunks => (small === undefined ? createReadStream(path, { highWaterMark: SAMPLE_BYTES, signal }) : [small]);
  return { encoding: await encodingOf(chunks()), chunks };
};

/** A whole file, which is undefined where it is a large one. Without a stream, whose making takes longer than the rest. */
const readSmall = async (path: string): Promise<Buffer | undefined> => {
  await using file = await open(path);
  const bytes = Buffer.alloc(SMALL_TEXT_BYTES + 1);
  let length = 0;
  for (let read = 1; read > 0 && length < bytes.length; length += read) {
    ({ bytesRead: read } = await file.read(bytes, length));
  }
  return length > SMALL_TEXT_BYTES ? undefined : bytes.subarray(0, length);
};

/** Judged by the first part of the file that holds anything beyond ASCII. */
const encodingOf = async (chunks: Chunks): Promise<TextEncoding> => {
  for await (const chunk of chunks) {
    // A character may have begun in the chunk before: the rest of it proves nothing.
    const start = chunk.findIndex((byte) => byte < 0x80 || byte >= 0xc0);
    const sample = chunk.subarray(Math.max(0, Math.min(start, 3)));
    if (sample.some((byte) => byte >= 0x80 || byte === 0)) return detectEncoding(sample);
  }
  return 'utf-8';
};

const pagesOf = (text: OpenedText): AsyncGenerator<string> => splitIntoPages(decoded(text));

async function* decoded({ encoding, chunks }: OpenedText): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of chunks()) {
    yield storableText(decoder.decode(chunk, { stream: true }));
  }
  yield storableText(decoder.decode());
}

async function* batchesOf(opened: OpenedText, donePages: DocumentRequest['donePages']): AsyncGenerator<ExtractedPage[]> {
  let batch: ExtractedPage[] = [];
  let chars = 0;
  let page = 0;
  for await (const text of pagesOf(opened)) {
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
