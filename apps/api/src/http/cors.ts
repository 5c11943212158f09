import type { CorsSettings } from '@sheaf/config';
import cors from 'cors';
import type { RequestHandler } from 'express';

/** What a page of another origin may read beside the headers that all pages may. */
const EXPOSED = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Per-Page-Limit',
  'X-Database-Position',
  'Retry-After',
  'ETag',
  'Content-Disposition',
  'Content-Range',
  'Accept-Ranges',
  'Deprecation',
  'Sunset',
  'Link',
];

/**
 * Lets pages of other origins in: with `any` all of them, and then no browser sends cookies or shows the answer to a
 * request that had some; with a list exactly these, cookies included. `null`, the origin of sandboxed pages and local
 * files, which anybody can have, is never let in.
 */
export const crossOrigin = ({ enabled, origins, methods, headers, maxAgeSeconds }: CorsSettings): RequestHandler => {
  if (!enabled) return (_request, _response, next) => next();
  const answer = cors({
    origin: origins === 'any' ? '*' : [...origins],
    credentials: origins !== 'any',
    methods: [...methods],
    // `*` in the header itself would leave out Authorization, so what is asked for is repeated instead
    ...(headers === 'any' ? {} : { allowedHeaders: [...headers] }),
    exposedHeaders: EXPOSED,
    maxAge: maxAgeSeconds,
  });
  return (request, response, next) => {
    const { origin } = request.headers;
    response.vary('Origin');
    const isLetIn = origin !== undefined && origin !== 'null' && (origins === 'any' || origins.includes(origin));
    if (isLetIn) answer(request, response, next);
    else next();
  };
};
