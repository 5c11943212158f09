import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import type { JobPriority } from '@sheaf/vocabulary/jobs';
import type { IngestDeps, IngestSettings } from '../incoming-file.ts';
import type { PartPages } from './move-pages.ts';
import type { SplitPart } from './store-parts.ts';

/** A part that is a document now. */
export interface PartDocument<P extends SplitPart> {
  readonly id: string;
  readonly part: P;
}

/** What became of the parts. */
export interface MadeParts<P extends SplitPart> {
  /** The document that was split, with the first of the parts that are new, then the others. */
  readonly documents: readonly PartDocument<P>[];
  /** Parts that are a document of the owner already, and parts with the same bytes as one before them. */
  readonly duplicates: readonly PartDocument<P>[];
}

/** `whole`: the owner has all parts already, so that nothing was changed. */
export type SplitResult<P extends SplitPart> =
  | ({ readonly outcome: 'split' } & MadeParts<P>)
  | ({ readonly outcome: 'whole' } & MadeParts<P>);

export interface SplitRequest<P extends SplitPart> {
  /** The bytes that the parts were cut from. */
  readonly sha256: string;
  readonly parts: readonly P[];
  /**
   * Called first in the transaction: throws where the caller may not change the document, or his job is someone else's by now, and else locks
   * the document for update, its job before it.
   */
  readonly lock: (tx: Db) => Promise<Document>;
  /**
   * Called for each document: moves what is known of its pages, as `movePages` does; nothing is then recognized again. Without it the pages are
   * processed.
   */
  readonly movePages?: ((tx: Db, pages: PartPages & { readonly part: P }) => Promise<void>) | undefined;
  /**
   * What else is true from now on, in the same transaction, once the documents are there and before the import log is written: search entries,
   * labels, the audit log. Returns the archive numbers that parts bear and could not get, for the import log.
   */
  readonly onSplit?: ((tx: Db, made: MadeParts<P>) => Promise<readonly string[]>) | undefined;
  /** Of the jobs of all parts; default: normal. */
  readonly priority?: JobPriority | undefined;
}

export interface SplitDeps extends Pick<IngestDeps, 'db' | 'storage'> {
  readonly settings: Pick<IngestSettings, 'maxAttempts' | 'versionsKeep'>;
}
