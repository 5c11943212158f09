import { readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Request, Response } from 'express';
import { KeptBody } from '../http/kept-body.ts';

const SWAGGER_UI = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
const OWN = `${import.meta.dirname}/page`;

/** The files of the page, by the name they have below /api/docs. Whatever is not here does not exist. */
export const PAGE_FILES = {
  'swagger-ui.css': SWAGGER_UI,
  'swagger-ui-bundle.js': SWAGGER_UI,
  'favicon-32x32.png': SWAGGER_UI,
  'start.js': OWN,
} as const;
export type PageFile = keyof typeof PAGE_FILES;

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
export const sendPage = (http: Http): Promise<void> => send(http, join(OWN, 'index.html'), 0);

export const sendPageFile = (http: Http, name: PageFile): Promise<void> => send(http, join(PAGE_FILES[name], name), PAGE_SECONDS);
