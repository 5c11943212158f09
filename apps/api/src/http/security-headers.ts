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

/** The headers that protect browsers, on every answer. A route that sets one of them by itself has the last word. */
export const securityHeaders = (settings: HeaderSettings): RequestHandler[] => {
  if (!settings.enabled) return [nothing];
  const { contentSecurityPolicy, frameOptions, noSniff, referrerPolicy } = settings;
  const protect = helmet({
    contentSecurityPolicy: false, // ours is text, as the operator writes it
    strictTransportSecurity: false,
    xFrameOptions: frameOptions === undefined ? false : { action: frameOptions },
    xContentTypeOptions: noSniff,
    referrerPolicy: referrerPolicy === undefined ? false : { policy: referrerPolicy },
    crossOriginResourcePolicy: { policy: 'same-origin' },
  });
  const policy: RequestHandler = (_request, response, next) => {
    if (contentSecurityPolicy !== undefined) response.setHeader('Content-Security-Policy', contentSecurityPolicy);
    next();
  };
  return [protect, policy, transportSecurity(settings)];
};

/** What the interface answers is somebody's: no cache keeps it, unless the route says which may. */
export const noStore = (): RequestHandler => (request, response, next) => {
  if (request.path.startsWith('/api/')) response.setHeader('Cache-Control', 'no-store');
  next();
};
