import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { RequestHandler, Response } from 'express';

const FOLDER = join(import.meta.dirname, '../../../../docs/.vitepress/dist');
const FOR_EVER = 'public, max-age=31536000, immutable';
const ONE_HOUR = 'public, max-age=3600';
const NOT_BUILT = 'The documentation site is not built. Run npm run docs:build.\n';
const INLINE_SCRIPT = /<script(?: id="[\w-]+")?>([^<]*)<\/script>/g;

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ENOENT', 'EISDIR', 'ENOTDIR'].includes(String(error.code));

/** The text of a page, or undefined where there is none. */
const readPage = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

const hashOf = (script: string): string => `'sha256-${createHash('sha256').update(script).digest('base64')}'`;

/** Permits the site's own files and the inline scripts of this page. Style attributes color its code samples. */
const contentSecurityPolicy = (page: string, mayBeFramed: boolean): string =>
  [
    "default-src 'none'",
    `script-src 'self' ${[...page.matchAll(INLINE_SCRIPT)].map(([, script = '']) => hashOf(script)).join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${mayBeFramed ? "'self'" : "'none'"}`,
  ].join('; ');

const sendPage = (response: Response, status: number, page: string, mayBeFramed: boolean): void => {
  response.setHeader('Content-Security-Policy', contentSecurityPolicy(page, mayBeFramed));
  response.setHeader('Cache-Control', 'no-cache');
  response.status(status).type('text/html').send(page);
};

/** Sends a file of the site; false where there is none. */
const sendFile = (response: Response, folder: string, name: string): Promise<boolean> => {
  response.setHeader('Cache-Control', name.startsWith('/assets/') ? FOR_EVER : ONE_HOUR);
  return new Promise((resolve) =>
    response.sendFile(name, { root: folder, cacheControl: false }, (error: unknown) =>
      resolve(error === undefined || response.headersSent || response.destroyed),
    ),
  );
};

export interface DocsSiteSettings {
  /** Whether pages of this service may show the site in a frame. */
  readonly mayBeFramed: boolean;
  /** Where `npm run docs:build` put it. */
  readonly folder?: string;
}

/** Serves the documentation site below /docs; 404 with the command that builds it where it is not built. */
export const docsSite = ({ mayBeFramed, folder = FOLDER }: DocsSiteSettings): RequestHandler => {
  const answerMissing = async (response: Response): Promise<void> => {
    const page = await readPage(join(folder, '404.html'));
    if (page !== undefined) return sendPage(response, 404, page, mayBeFramed);
    response.status(404).type('text/plain').send(NOT_BUILT);
  };
  const answerPage = async (response: Response, path: string): Promise<void> => {
    const page = await readPage(join(folder, path));
    return page === undefined ? answerMissing(response) : sendPage(response, 200, page, mayBeFramed);
  };
  return async (request, response, next) => {
    const path = /^\/docs(?<path>\/[\w.@/-]*)?$/.exec(request.path);
    if (path === null || (request.method !== 'GET' && request.method !== 'HEAD')) return next();
    response.locals['route'] = 'documentation';
    const name = path.groups?.['path'];
    if (name === undefined) return response.redirect(308, '/docs/');
    if (name.split('/').includes('..')) return next();
    if (name.endsWith('/')) return answerPage(response, `${name}index.html`);
    if (extname(name) === '.html') return answerPage(response, name);
    if (!(await sendFile(response, folder, name))) await answerMissing(response);
  };
};
