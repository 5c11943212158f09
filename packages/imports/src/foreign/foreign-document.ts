import type { Readable } from 'node:stream';

/** Somebody's remark on a document. */
export interface ForeignNote {
  readonly text: string;
  readonly createdAt?: Date | undefined;
}

/** A document of a system that says what it knows in names, not in records of its own. */
export interface ForeignDocument {
  /** What it is called there for good: a later run knows it again by that. */
  readonly id: string;
  /** With its extension, which says what kind of file it is. */
  readonly filename: string;
  readonly title?: string | undefined;
  /** Opens the file. Throws where it cannot be read: the document is left out, and reported. */
  readonly open: () => Promise<Readable>;
  /** YYYY-MM-DD. */
  readonly documentDate?: string | undefined;
  readonly addedAt?: Date | undefined;
  readonly modifiedAt?: Date | undefined;
  /** Each with those above it, the topmost first. */
  readonly labels: readonly (readonly string[])[];
  readonly correspondent?: string | undefined;
  readonly documentType?: string | undefined;
  readonly archiveNumber?: number | undefined;
  readonly notes: readonly ForeignNote[];
  /** What was read there, page by page; undefined: it is read here. */
  readonly pages?: readonly string[] | undefined;
  /** SHA-256 in hexadecimal digits, where the other system knows it. */
  readonly sha256?: string | undefined;
}

/** Something that is there and cannot be taken over. */
export interface ForeignRest {
  readonly kind: string;
  readonly name: string;
  readonly reason: string;
  /** The id of its document, where it belongs to one. */
  readonly documentId?: string | undefined;
}

export type ForeignItem = { readonly document: ForeignDocument } | { readonly rest: ForeignRest };
