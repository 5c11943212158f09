import { stripBoth, stripEnd } from '@sheaf/contract';
import { ledgerReason } from '@sheaf/contract/imports';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import { refusalOfParts } from '../listing-budget.ts';

/** Where an href of a listing points. */
export type Place =
  /** A path below the root; '' is the root itself. */
  | { readonly kind: 'inside'; readonly path: string; readonly hasSlash: boolean }
  | { readonly kind: 'refused'; readonly reason: LedgerReason };

const OUTSIDE = ledgerReason('outside_source');
const ANOTHER_SERVER = ledgerReason('another_server');

const refused = (reason: LedgerReason): Place => ({ kind: 'refused', reason });

/** Decoded parts of an encoded path; undefined when it is not properly encoded. */
const decodeParts = (path: string): string[] | undefined => {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return undefined; // a lone % or bytes that are no UTF-8
  }
};

/** Parts of the path of a URL that was parsed, without empty ones. */
export const partsOfUrl = (url: URL): readonly string[] => (decodeParts(url.pathname) ?? []).filter((part) => part !== '');

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** The encoded path of an href, taken as text: parsing it as a URL would resolve `..` instead of showing it. */
const pathOf = (href: string, root: URL): string | Place => {
  if (!SCHEME.test(href)) {
    if (href.startsWith('//')) return refused(ANOTHER_SERVER);
    return href.startsWith('/') ? href : refused(ledgerReason('address_not_absolute'));
  }
  const web = /^https?:\/\/[^/?#]*([/?#].*)?$/i.exec(href);
  if (web === null || !URL.canParse(href)) return refused(ledgerReason('address_not_web'));
  return new URL(href).origin === root.origin ? (web[1] ?? '') : refused(ANOTHER_SERVER);
};

/** Servers may give the names of the root in another normal form than the user typed. */
const isSameName = (a: string, b: string | undefined): boolean => b !== undefined && (a === b || a.normalize('NFC') === b.normalize('NFC'));

/** Says where hrefs point that are found below `root`. */
export const makeHrefReader = (root: URL): ((href: string) => Place) => {
  const rootParts = partsOfUrl(root);
  return (href) => {
    const path = pathOf(href, root);
    if (typeof path !== 'string') return path;
    if (/[?#]/.test(path)) return refused(ledgerReason('badly_encoded'));
    const decoded = decodeParts(stripBoth(path, '/'));
    if (decoded === undefined) return refused(ledgerReason('badly_encoded'));
    const parts = decoded.length === 1 && decoded[0] === '' ? [] : decoded;
    const reason = refusalOfParts(parts);
    if (reason !== undefined) return refused(reason);
    if (!rootParts.every((part, index) => isSameName(part, parts[index]))) return refused(OUTSIDE);
    return { kind: 'inside', path: parts.slice(rootParts.length).join('/'), hasSlash: path.endsWith('/') };
  };
};

/** The address of a path below `root`. Folders end with a slash: servers redirect those that do not. */
export const urlBelow = (root: URL, path: string, kind: 'file' | 'folder'): string => {
  const base = `${root.origin}${stripEnd(root.pathname, '/')}/`;
  const below = path.split('/').map(encodeURIComponent).join('/');
  return kind === 'file' || path === '' ? base + below : `${base}${below}/`;
};
