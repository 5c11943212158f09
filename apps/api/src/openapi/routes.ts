import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Route, streamRoute } from '../http/route.ts';
import { PAGE_FILES, type PageFile, sendPage, sendPageFile } from './docs-page.ts';
import { makeOpenApiDocument } from './document.ts';

interface KeptText {
  readonly text: string;
  readonly etag: string;
}

/** Made when it is first asked for, as most processes never are, and kept: it does not change while the process lives. */
const keepText = (routes: () => readonly Route[]): (() => KeptText) => {
  let kept: KeptText | undefined;
  return () => {
    if (kept !== undefined) return kept;
    const text = JSON.stringify(makeOpenApiDocument(routes()));
    kept = { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
    return kept;
  };
};

const document = (read: () => KeptText): Route =>
  streamRoute({
    method: 'get',
    path: '/api/openapi.json',
    access: 'anyone',
    summary: 'This text: OpenAPI 3.1, made from the schemas that check the requests',
    content: {
      requestHeaders: { 'If-None-Match': 'The ETag of the text the caller has' },
      answers: [
        { status: 200, description: 'The text', schema: z.looseObject({ openapi: z.string() }), headers: { ETag: 'Names this text' } },
        { status: 304, description: 'The caller has this text' },
      ],
    },
    stream: async (_input, _deps, { request, response }) => {
      const { text, etag } = read();
      response.setHeader('ETag', etag);
      response.setHeader('Cache-Control', 'no-cache');
      if (request.fresh) response.status(304).end();
      else response.status(200).type('application/json').send(text);
    },
  });

const page = streamRoute({
  method: 'get',
  path: '/api/docs',
  access: 'anyone',
  summary: 'A page to read this text and to try it; needs no other host',
  content: { answers: [{ status: 200, description: 'The page', contentTypes: ['text/html'] }] },
  stream: (_input, _deps, { response }) => sendPage(response),
});

const FILE_NAMES = Object.keys(PAGE_FILES) as PageFile[];

const pageFile = streamRoute({
  method: 'get',
  path: '/api/docs/{file}',
  access: 'anyone',
  summary: 'The files of the page',
  params: z.strictObject({ file: z.enum(FILE_NAMES) }),
  content: {
    answers: [{ status: 200, description: 'The file', contentTypes: ['text/css', 'text/javascript', 'image/png'] }],
  },
  stream: ({ params }, _deps, { response }) => sendPageFile(response, params.file),
});

/** The routes that tell of all routes, these among them. */
export const openApiRoutes = (routes: () => readonly Route[]): readonly Route[] => [document(keepText(routes)), page, pageFile];
