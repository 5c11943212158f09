/** `ab/cd/<sha256>`: two levels of 256 folders keep every folder small. */
const fanOut = (sha256: string): string => {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error(`not a SHA-256 in hexadecimal: ${sha256}`);
  return `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;
};

export const DOCUMENTS_PREFIX = 'documents/';
export const PREVIEWS_PREFIX = 'previews/';
export const THUMBNAILS_PREFIX = 'thumbnails/';
export const SEARCHABLE_PREFIX = 'searchable/';
/** Files that were made from originals, and are made again where they are missing. */
export const DERIVED_PREFIXES = [PREVIEWS_PREFIX, THUMBNAILS_PREFIX, SEARCHABLE_PREFIX] as const;
/** Originals that no document refers to, kept a while in case the rows are what is wrong. */
export const ORPHANS_PREFIX = 'orphans/';

/** The original bytes. */
export const documentKey = (sha256: string): string => `${DOCUMENTS_PREFIX}${fanOut(sha256)}`;

export const orphanKey = (sha256: string): string => `${ORPHANS_PREFIX}${fanOut(sha256)}`;

/** The PDF rendition of an office document. */
export const previewKey = (sha256: string): string => `${PREVIEWS_PREFIX}${fanOut(sha256)}.pdf`;

/** A small picture; `variant` tells size and format, such as `400x400.webp`. */
export const thumbnailKey = (sha256: string, variant: string): string => `${THUMBNAILS_PREFIX}${fanOut(sha256)}-${variant}`;

/** The PDF with the recognised words; `words` is a hash of these. */
export const searchableKey = (sha256: string, words: string): string => `${SEARCHABLE_PREFIX}${fanOut(sha256)}-${words}.pdf`;

/** The SHA-256 of the document that a key belongs to; derived files carry the same one. Undefined for a foreign name. */
export const hashOfKey = (key: string): string | undefined => /\/([0-9a-f]{64})(?:[.-][^/]*)?$/.exec(key)?.[1];

/** The SHA-256 that the bytes under `key` must have. Undefined for derived files, whose keys carry the hash of their document. */
export const contentHashOf = (key: string): string | undefined =>
  key.startsWith(DOCUMENTS_PREFIX) || key.startsWith(ORPHANS_PREFIX) ? /\/([0-9a-f]{64})$/.exec(key)?.[1] : undefined;

const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** Whether `key` can name an object: plain segments, so nothing that leads out of the storage or to a hidden file. */
export const isKey = (key: string): boolean => key.length <= 512 && key.split('/').every((segment) => SEGMENT.test(segment));
