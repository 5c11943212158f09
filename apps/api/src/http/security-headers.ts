import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HeaderSettings } from '@sheaf/config';
import type { RequestHandler } from 'express';
import helmet, { strictTransportSecurity } from 'helmet';

const nothing: RequestHandler = (_request, _response, next) => next();

const transportSecurity = ({ hstsSeconds, hstsIncludeSubdomains }: HeaderSettings): RequestHandler => {
  if (hstsSeconds === 0) return nothing;
  const insist = strictTransportSecurity({ maxAge: hstsSeconds, includeSubDomains: hstsIncludeSubdomains });
  // Choice: over plain http browsers have to ignore it, so it is sent only where the connection, or a trusted proxy, is https
  return (request, response, next) => (request.secure ? insist(request, response, next) : next());
};

/** What helmet sets is the same for every request, so it is asked once. */
const headersOf = (settings: Parameters<typeof helmet>[0]): readonly (readonly [string, string])[] => {
  const headers: (readonly [string, string])[] = [];
  const response = { setHeader: (name: string, value: string) => headers.push([name, value]), removeHeader: () => {} };
  helmet(settings)({} as IncomingMessage, response as unknown as ServerResponse, (error) => {
    if (error !== undefined) throw error as Error;
  });
  return headers;
};

/** The headers that protect browsers and are the same on every answer, each with its value. */
export const constantHeaders = (settings: HeaderSettings): readonly (readonly [string, string])[] => {
  if (!settings.enabled) return [];
  const { contentSecurityPolicy, frameOptions, noSniff, referrerPolicy } = settings;
  const protecting = headersOf({
    contentSecurityPolicy: false, // ours is text, as the operator writes it
    strictTransportSecurity: false,
    xFrameOptions: frameOptions === undefined ? false : { action: frameOptions },
    xContentTypeOptions: noSniff,
    referrerPolicy: referrerPolicy === undefined ? false : { policy: referrerPolicy },
    crossOriginResourcePolicy: { policy: 'same-origin' },
  });
  return contentSecurityPolicy === undefined ? protecting : [...protecting, ['Content-Security-Policy', contentSecurityPolicy]];
};

/** The headers that protect browsers, on every answer. A route that sets one of them by itself has the last word. */
export const securityHeaders = (settings: HeaderSettings): RequestHandler[] => {
  if (!settings.enabled) return [nothing];
  const headers = constantHeaders(settings);
  const protect: RequestHandler = (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
  return [protect, transportSecurity(settings)];
};

/** What is said to caches where a route says nothing else: answers belong to whoever asked. */
export const NOT_STORED = ['Cache-Control', 'no-store'] as const;

/** No cache keeps an answer, whatever its path, unless what makes it says which cache may. */
export const noStore = (): RequestHandler => (_request, response, next) => {
  response.setHeader(...NOT_STORED);
  next();
};
