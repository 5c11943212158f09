import type { IncomingHttpHeaders } from 'node:http';
import { isIPv4 } from 'node:net';

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
export const hasOwnHost = ({ host = '' }: Headers, publicUrl: string): boolean => {
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
