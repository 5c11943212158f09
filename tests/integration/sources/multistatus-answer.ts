import { type Exchange, type Fault, faults } from '../../support/fault-proxy.ts';

export interface AnsweredEntry {
  /** As it stands in the answer. */
  readonly href: string;
  readonly isFolder?: boolean;
  readonly sizeBytes?: number;
  readonly etag?: string;
  readonly modified?: string;
}

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const property = (name: string, value: string | number | undefined): string =>
  value === undefined ? '' : `<D:${name}>${escapeXml(String(value))}</D:${name}>`;

export const entryXml = ({ href, isFolder = false, sizeBytes, etag, modified }: AnsweredEntry): string => {
  const type = `<D:resourcetype>${isFolder ? '<D:collection/>' : ''}</D:resourcetype>`;
  const facts = property('getcontentlength', sizeBytes) + property('getetag', etag) + property('getlastmodified', modified);
  const stat = `<D:propstat><D:prop>${type}${facts}</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>`;
  return `<D:response>${property('href', href)}${stat}</D:response>`;
};

export const MULTISTATUS_START = '<?xml version="1.0" encoding="utf-8"?><D:multistatus xmlns:D="DAV:">';
export const XML_HEADERS = { 'content-type': 'application/xml; charset=utf-8' };

export const multistatus = (entries: readonly AnsweredEntry[]): string =>
  `${MULTISTATUS_START}${entries.map(entryXml).join('')}</D:multistatus>`;

/** A server of which only the listings exist: hrefs of what each folder is to name, itself included. */
export const listings =
  (folders: Readonly<Record<string, readonly AnsweredEntry[]>>): Fault =>
  (exchange: Exchange) => {
    const entries = folders[exchange.request.url ?? ''];
    const fault = entries === undefined ? faults.answer(404) : faults.answer(207, multistatus(entries), XML_HEADERS);
    return fault(exchange);
  };
