import { z } from 'zod';
import { KeptBody } from '../http/kept-body.ts';
import { type Route, streamRoute } from '../http/route.ts';
import { type ApiVersion, addressOf } from '../http/versions.ts';
import { PAGE_FILES, type PageFile, sendPage, sendPageFile } from './docs-page.ts';

/** Made when it is first asked for, as most processes never are, and kept: it does not change while the process lives. */
const keepText = (routes: () => readonly Route[]): KeptBody =>
  new KeptBody(async () => {
    const { makeOpenApiDocument } = await import('./document.ts');
    return Buffer.from(JSON.stringify(makeOpenApiDocument(routes())));
  });

type Texts = Readonly<Record<ApiVersion, KeptBody>>;

const PATH = '/api/openapi.json';
const V2_ADDRESS = addressOf({ path: PATH, version: 'v2' });

const IF_NONE_MATCH = { 'If-None-Match': 'ETag of the cached response' } as const;
const NOT_CHANGED = { status: 304, description: 'Not modified' } as const;

const document = (texts: Texts): Route =>
  streamRoute({
    method: 'get',
    path: PATH,
    access: 'anyone',
    summary: 'Get the OpenAPI 3.1 document',
    content: {
      requestHeaders: IF_NONE_MATCH,
      answers: [
        {
          status: 200,
          description: 'The OpenAPI document',
          schema: z.looseObject({ openapi: z.string() }),
          headers: { ETag: 'ETag of the document' },
        },
        NOT_CHANGED,
      ],
    },
    stream: async (_input, { request, response }) => {
      response.setHeader('Cache-Control', 'no-cache');
      response.type('application/json');
      await texts[request.path === V2_ADDRESS ? 'v2' : 'v1'].send(request, response);
    },
  });

const page = streamRoute({
  method: 'get',
  path: '/api/docs',
  access: 'anyone',
  summary: 'Interactive API documentation',
  content: {
    requestHeaders: IF_NONE_MATCH,
    answers: [{ status: 200, description: 'HTML page', contentTypes: ['text/html'] }, NOT_CHANGED],
  },
  stream: (_input, http) => sendPage(http),
});

const FILE_NAMES = Object.keys(PAGE_FILES) as PageFile[];

const pageFile = streamRoute({
  method: 'get',
  path: '/api/docs/{file}',
  access: 'anyone',
  summary: 'Files of the API documentation',
  params: z.strictObject({ file: z.enum(FILE_NAMES) }),
  content: {
    requestHeaders: IF_NONE_MATCH,
    answers: [{ status: 200, description: 'File content', contentTypes: ['text/css', 'text/javascript', 'image/png'] }, NOT_CHANGED],
  },
  stream: ({ params }, http) => sendPageFile(http, params.file),
});

/** The routes that tell of all routes of their version, these among them. */
export const openApiRoutes = (routes: (version: ApiVersion) => readonly Route[]): readonly Route[] => [
  document({ v1: keepText(() => routes('v1')), v2: keepText(() => routes('v2')) }),
  page,
  pageFile,
];
