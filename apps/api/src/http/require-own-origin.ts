import type { IncomingMessage } from 'node:http';
import type { FixedConfig } from '@sheaf/config';
import { reasonedError } from '@sheaf/contract';
import type { RequestHandler } from 'express';
import { hasOwnHost, isFromForeignPage } from './own-origin.ts';

type Settings = Pick<FixedConfig, 'server' | 'publicUrl'>;

type Head = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** Somebody follows a link to a screen of the web client. That is a file which is the same for everybody. */
const isVisit = ({ method, url = '', headers }: Head): boolean =>
  method === 'GET' &&
  headers.origin === undefined &&
  headers['sec-fetch-mode'] === 'navigate' &&
  headers['sec-fetch-dest'] === 'document' &&
  !/^\/(?:api|status|metrics)(?:[/?]|$)/i.test(url);

/** What is behind a share link is let in by its token alone, and its form comes from a page that keeps its address to itself: `Origin: null`. */
const isOfShareLink = ({ url = '' }: Head): boolean => url.startsWith('/s/');

/**
 * For AUTH_ENABLED=false, where a request needs nothing to be the administrator's: throws FORBIDDEN for what a page of another origin
 * has a browser send, reading included, and for a host that is none of ours. Probes are answered under any host.
 */
export const requireOwnOrigin = (request: Head, { server, publicUrl }: Settings): void => {
  const isProbe = request.url === server.healthPath || request.url === server.readyPath;
  if (!isProbe && !hasOwnHost(request.headers, publicUrl)) throw reasonedError('FORBIDDEN', 'foreign_host');
  if (isFromForeignPage(request.headers, publicUrl) && !isVisit(request) && !isOfShareLink(request))
    throw reasonedError('FORBIDDEN', 'foreign_page');
};

/** `requireOwnOrigin` on every request where nobody signs in. */
export const ownOriginOnly = (config: Settings & Pick<FixedConfig, 'signIn'>): RequestHandler =>
  config.signIn.enabled
    ? (_request, _response, next) => next()
    : (request, _response, next) => {
        requireOwnOrigin(request, config);
        next();
      };
