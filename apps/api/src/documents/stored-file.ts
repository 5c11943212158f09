import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '@sheaf/contract';
import { type ByteRange, fileDamaged, type OpenedObject, type Storage } from '@sheaf/storage';
import type { Request, Response } from 'express';
import type { DeclaredAnswer } from '../http/route.ts';

/** Names that every client reads alike; all others are also given in UTF-8. */
const PLAIN = /^[A-Za-z0-9 ._-]+$/;

/** `text` as RFC 8187 writes it: all but a few characters as percent signs and bytes. */
const percentEncode = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * The header of RFC 6266 with the name of a file, whatever is in that name. Not express's own: it sends Latin-1 letters as bare
 * bytes, which some clients take for UTF-8.
 */
export const contentDisposition = (type: 'attachment' | 'inline', filename: string): string => {
  if (PLAIN.test(filename)) return `${type}; filename="${filename}"`;
  const fallback = filename.replaceAll(/[^\x20-\x7e]|%(?=[0-9A-Fa-f]{2})/gu, '?').replaceAll(/["\\]/g, '\\$&');
  return `${type}; filename="${fallback}"; filename*=UTF-8''${percentEncode(filename)}`;
};

/**
 * The one range that a request asks for of a file with `sizeBytes`; undefined where the whole is to be answered: for several
 * ranges, other units, mistakes, another file than `If-Range` names, and every method but GET. Not express's own reader of ranges:
 * it refuses the last 100 bytes of a file that has 50.
 */
const rangeOf = (request: Request, sizeBytes: number, etag: string): ByteRange | 'unsatisfiable' | undefined => {
  if (request.method !== 'GET') return undefined;
  const ifRange = request.get('if-range');
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  const [, first = '', last = ''] = /^\s*bytes\s*=\s*(?:(\d+)\s*)?-\s*(?:(\d+)\s*)?$/i.exec(request.get('range') ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  const start = first === '' ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  return start > end ? 'unsatisfiable' : { start, end };
};

export interface StoredFile {
  readonly key: string;
  readonly filename: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  /** A strong one, in its quotes. */
  readonly etag: string;
  readonly disposition: 'attachment' | 'inline';
  /** May be kept by the browser that asked, and is asked for again each time, where nothing is said. */
  readonly cacheControl?: string;
}

const NOTHING_RUNS = "sandbox; default-src 'none'; style-src 'unsafe-inline'";
/** Chrome applies the policy of a PDF to the page of its own viewer, and shows nothing under the other one. Scripts in a PDF never run in our name. */
const SHOWN_PDF = "frame-ancestors 'self'";

const setHeaders = (response: Response, { filename, mimeType, disposition }: StoredFile): void => {
  response.setHeader('Content-Disposition', contentDisposition(disposition, filename));
  response.type(mimeType);
  response.setHeader('Accept-Ranges', 'bytes');
  // What is downloaded is somebody's file: nothing in it may run in our name.
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Content-Security-Policy', disposition === 'inline' && mimeType === 'application/pdf' ? SHOWN_PDF : NOTHING_RUNS);
};

/** Streams to the client; one who breaks off has what they wanted, as viewers of PDF files do all the time. */
export const streamTo = async (response: Writable, stream: Readable): Promise<void> => {
  try {
    await pipeline(stream, response);
  } catch (error) {
    if (errorCode(error) === 'ERR_STREAM_PREMATURE_CLOSE') return;
    throw error;
  }
};

/** Answers with a stored file: whole, by range, its headers alone, or not at all where the caller has it. */
export const sendStoredFile = async (
  storage: Storage,
  file: StoredFile,
  { request, response }: { request: Request; response: Response },
): Promise<void> => {
  response.setHeader('ETag', file.etag);
  response.setHeader('Cache-Control', file.cacheControl ?? 'private, no-cache');
  if (request.fresh) {
    response.status(304).end();
    return;
  }
  const range = rangeOf(request, file.sizeBytes, file.etag);
  if (range === 'unsatisfiable') {
    response.status(416).setHeader('Content-Range', `bytes */${file.sizeBytes}`).end();
    return;
  }
  // Opened before the headers of the file are set, so that an error does not go out in its name.
  const opened = request.method === 'HEAD' ? undefined : await openOrForget(storage, file, range, response);
  if (response.headersSent) {
    opened?.stream.destroy(); // it came too late and was answered with an error
    return;
  }
  setHeaders(response, file);
  response.setHeader('Content-Length', range === undefined ? file.sizeBytes : range.end - range.start + 1);
  if (range !== undefined) response.setHeader('Content-Range', `bytes ${range.start}-${range.end}/${file.sizeBytes}`);
  response.status(range === undefined ? 200 : 206);
  if (opened === undefined) response.end();
  else await streamTo(response, opened.stream);
};

const openOrForget = async (
  storage: Storage,
  { key, sizeBytes }: StoredFile,
  range: { start: number; end: number } | undefined,
  response: Response,
): Promise<OpenedObject> => {
  try {
    const opened = await storage.open(key, range);
    if (opened.sizeBytes === sizeBytes) return opened;
    opened.stream.destroy();
    throw fileDamaged(key); // said now: under the length that is announced nobody could tell what is wrong
  } catch (error) {
    response.removeHeader('ETag');
    throw error;
  }
};

export const FILE_REQUEST_HEADERS = {
  Range: 'One byte range, or bytes=-500 for the last bytes; several ranges return the whole file',
  'If-Range': 'ETag of the range; if it does not match, the whole file is returned',
  'If-None-Match': 'ETag of the cached response',
} as const;

/** The answers of `sendStoredFile`, as the interface's text has them. */
export const fileAnswers = (etag: string, contentType = '*/*'): readonly DeclaredAnswer[] => {
  const headers = { ETag: etag, 'Content-Disposition': 'attachment or inline, with the file name (RFC 6266)' };
  return [
    { status: 200, description: 'File content', contentTypes: [contentType], headers },
    {
      status: 206,
      description: 'Partial content',
      contentTypes: [contentType],
      headers: { ...headers, 'Content-Range': 'Byte range and total size' },
    },
    { status: 304, description: 'Not modified' },
    { status: 416, description: 'Range not satisfiable', headers: { 'Content-Range': 'Total size' } },
  ];
};
