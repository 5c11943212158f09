import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import type { FixedConfig } from '@sheaf/config';
import { reasonedError } from '@sheaf/contract';
import type { RequestHandler } from 'express';

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

type Headers = IncomingHttpHeaders;

const single = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value.join(',') : value);

/** `name:port` as URLs spell it; undefined for what is no host. */
const canonicalHost = (host: string): URL | undefined => {
  const text = `http://${host}`;
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.username === '' && url.password === '' && url.pathname === '/' && url.search === '' && url.hash === '' ? url : undefined;
};

const isLoopbackName = (name: string): boolean => name === 'localhost' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'));

/** Whether a Host header names this machine by loopback, on any port. */
export const isLoopbackHost = (host: string): boolean => isLoopbackName(canonicalHost(host)?.hostname ?? '');

/**
 * Whether the request was sent to a name of this service: loopback, or the host of PUBLIC_URL; on any port. A page of another site
 * that had its own name resolved to this machine (DNS rebinding) sends that name. X-Forwarded-Host counts for nothing: such a page can
 * write it.
 */
const hasOwnHost = ({ host = '' }: Headers, publicUrl: string): boolean => {
  return isLoopbackHost(host) || canonicalHost(host)?.hostname === new URL(publicUrl).hostname;
};

/**
 * Whether a browser reports that a page of another origin made it send this: by Sec-Fetch-Site, or by an Origin that is neither the
 * address the request was sent to nor PUBLIC_URL. Programs send neither.
 */
export const isFromForeignPage = (headers: Headers, publicUrl: string): boolean => {
  const site = single(headers['sec-fetch-site']);
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const { origin, host = '' } = headers;
  if (origin === undefined) return false;
  if (!URL.canParse(origin)) return true;
  return ![canonicalHost(host)?.host, new URL(publicUrl).host].includes(new URL(origin).host);
};
