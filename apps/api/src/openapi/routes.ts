import { readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { KeptBody } from '../http/answer-headers.ts';
import { type ApiVersion, addressOf } from '../http/offered-routes.ts';
import { type Route, streamRoute } from '../http/route.ts';

const SWAGGER_UI = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
const OWN = `${import.meta.dirname}/page`;

/** The files of the page, by the name they have below /api/docs. Whatever is not here does not exist. */
const PAGE_FILES = {
  'swagger-ui.css': SWAGGER_UI,
  'swagger-ui-bundle.js': SWAGGER_UI,
  'favicon-32x32.png': SWAGGER_UI,
  'start.js': OWN,
} as const;
type PageFile = keyof typeof PAGE_FILES;

const PAGE_SECONDS = 3_600;

/** Nothing from other hosts and no script but our files; the pictures of the style sheet are data: addresses, tried pictures blob: ones. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const kept = new Map<string, KeptBody>();

const bodyOf = (path: string): KeptBody => {
  const body = kept.get(path) ?? new KeptBody(() => readFile(path));
  kept.set(path, body);
  return body;
};

type Http = { readonly request: Request; readonly response: Response };

const send = ({ request, response }: Http, path: string, maxAgeSeconds: number): Promise<void> => {
  response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('Cache-Control', `public, max-age=${maxAgeSeconds}`);
  response.type(extname(path));
  return bodyOf(path).send(request, response);
};

/** The page itself. Not kept by browsers, as its files belong to the version that serves it. */
const sendPage = (http: Http): Promise<void> => send(http, join(OWN, 'index.html'), 0);

const sendPageFile = (http: Http, name: PageFile): Promise<void> => send(http, join(PAGE_FILES[name], name), PAGE_SECONDS);

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
