import { pipeline } from 'node:stream/promises';
import { getDocument } from '@sheaf/db';
import { documentKey } from '@sheaf/storage';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { idParams } from '../http/parse-input.ts';
import { streamRoute } from '../http/route.ts';

/** Kinds that a browser shows without running anything of theirs. */
const SAFE_INLINE = new Set(['application/pdf', 'text/plain', 'image/png', 'image/jpeg', 'image/tiff', 'image/bmp']);

/** The one range a request asks for; undefined for the whole, null for one that cannot be met. Several ranges are answered whole. */
const rangeOf = (request: Request, sizeBytes: number, etag: string): { start: number; end: number } | undefined | null => {
  const ifRange = request.get('if-range');
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  const ranges = request.range(sizeBytes);
  if (ranges === undefined || ranges === -2 || (ranges !== -1 && (ranges.type !== 'bytes' || ranges.length > 1))) return undefined;
  return ranges === -1 ? null : ranges[0];
};

const setHeaders = (response: Response, document: { filename: string; mimeType: string }, inline: boolean, etag: string): void => {
  response.attachment(document.filename); // RFC 6266, with the name in UTF-8
  if (inline) response.setHeader('Content-Disposition', String(response.getHeader('Content-Disposition')).replace('attachment', 'inline'));
  response.type(document.mimeType);
  response.setHeader('ETag', etag);
  response.setHeader('Accept-Ranges', 'bytes');
  response.setHeader('Cache-Control', 'private, no-cache');
  // What is downloaded is somebody's file: nothing in it may run in our name.
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Content-Security-Policy', "sandbox; default-src 'none'; style-src 'unsafe-inline'");
};

export const download = streamRoute({
  method: 'get',
  path: '/api/documents/{id}/download',
  access: 'documents.read',
  summary: 'The original bytes, streamed; Range and If-None-Match are honoured',
  params: idParams,
  query: z.strictObject({ inline: z.stringbool().default(false) }),
  stream: async ({ params, query, principal }, { database, storage }, { request, response }) => {
    const document = await getDocument(database.db, principal, params.id);
    const etag = `"${document.sha256}"`;
    setHeaders(response, document, query.inline && SAFE_INLINE.has(document.mimeType), etag);
    if (request.fresh) {
      response.status(304).end();
      return;
    }
    const range = rangeOf(request, document.sizeBytes, etag);
    if (range === null) {
      response.status(416).setHeader('Content-Range', `bytes */${document.sizeBytes}`).end();
      return;
    }
    const { stream } = await storage.open(documentKey(document.sha256), range);
    response.setHeader('Content-Length', range === undefined ? document.sizeBytes : range.end - range.start + 1);
    if (range !== undefined) response.setHeader('Content-Range', `bytes ${range.start}-${range.end}/${document.sizeBytes}`);
    response.status(range === undefined ? 200 : 206);
    await pipeline(stream, response);
  },
});
