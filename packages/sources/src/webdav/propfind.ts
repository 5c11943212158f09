import type { GuardedResponse } from '@sheaf/outbound';
import { statusFailure, toSourceError } from '../outbound-failure.ts';
import { SourceError } from '../source-error.ts';
import { type MultistatusEntry, readMultistatus } from './multistatus.ts';
import type { WebdavClient } from './webdav-client.ts';

const BODY = `<?xml version="1.0" encoding="utf-8"?>
<d:propfind xmlns:d="DAV:"><d:prop><d:resourcetype/><d:getcontentlength/><d:getlastmodified/><d:getetag/></d:prop></d:propfind>`;

export interface Propfind {
  readonly url: string;
  readonly depth: '0' | '1';
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

export interface PropfindAnswer {
  /** Where the answer came from, after redirects. */
  readonly url: URL;
  readonly entries: AsyncIterable<readonly MultistatusEntry[]>;
}

const NO_WEBDAV = new Set([400, 405, 415, 501]);

const failureOf = ({ status, headers }: GuardedResponse, host: string): SourceError => {
  if (status < 400 || NO_WEBDAV.has(status)) {
    return new SourceError('protocol', `${host} returned no WebDAV response (${status}). Check the URL.`);
  }
  return statusFailure(status, headers['retry-after'], host);
};

/** Asks for the properties of a folder, and of what is in it. Throws SourceError; the entries do so too, or the signal's reason. */
export const propfind = async (client: WebdavClient, { url, depth, signal, timeoutMs }: Propfind): Promise<PropfindAnswer> => {
  const headers = { depth, accept: 'application/xml, text/xml', 'content-type': 'application/xml; charset=utf-8' };
  const response = await client({ method: 'PROPFIND', url, headers, data: BODY, signal, timeoutMs }).catch((error: unknown) => {
    throw toSourceError(error);
  });
  if (response.status !== 207) {
    response.body.destroy();
    throw failureOf(response, new URL(url).host);
  }
  return { url: new URL(response.url), entries: translated(readMultistatus(response.body)) };
};

const translated = async function* <T>(entries: AsyncIterable<T>): AsyncIterable<T> {
  try {
    yield* entries;
  } catch (error) {
    throw toSourceError(error);
  }
};
