import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import type { CorsSettings, FixedConfig, TrustedProxies } from '@sheaf/config';
import { reasonedError } from '@sheaf/contract';
import cors from 'cors';
import type { Express, Request, RequestHandler } from 'express';
import ipaddr from 'ipaddr.js';

/**
 * Tells express whose X-Forwarded-For and X-Forwarded-Proto count. Without proxies nobody's do, so that a client can say
 * what it likes in them and still is where its connection comes from.
 */
export const trustProxies = (app: Express, proxies: TrustedProxies): void => {
  app.set('trust proxy', typeof proxies === 'number' ? proxies : [...proxies]);
};

/** 192.0.2.1, and what some proxies make of it: 192.0.2.1:5555, [2001:db8::1]:5555. */
const withoutPort = (text: string): string => /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;

const parse = (text: string | undefined): ipaddr.IPv4 | ipaddr.IPv6 | undefined => {
  const address = withoutPort(text ?? '');
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return undefined;
  return ipaddr.process(address); // an IPv4 address in the dress of IPv6 is that IPv4 address
};

/**
 * Where the request comes from, as an address in its usual spelling; undefined when the connection is gone. What a trusted
 * proxy passes on and is no address is not believed: the proxy's own address stands for it.
 */
export const clientAddress = (request: Request): string | undefined =>
  (parse(request.ip) ?? parse(request.socket.remoteAddress))?.toString();

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
