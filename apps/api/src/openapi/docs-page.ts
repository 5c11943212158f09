import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Response } from 'express';

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

const send = (response: Response, name: string, root: string, maxAgeSeconds: number): Promise<void> => {
  response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('Cache-Control', `public, max-age=${maxAgeSeconds}`);
  return new Promise((resolve, reject) =>
    response.sendFile(name, { root, cacheControl: false }, (error: unknown) =>
      error === undefined || response.destroyed ? resolve() : reject(error),
    ),
  );
};

/** The page itself. Not kept by browsers, as its files belong to the version that serves it. */
export const sendPage = (response: Response): Promise<void> => send(response, 'index.html', OWN, 0);

export const sendPageFile = (response: Response, name: PageFile): Promise<void> => send(response, name, PAGE_FILES[name], PAGE_SECONDS);
