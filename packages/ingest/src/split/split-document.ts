import { type Db, violates } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import type { JobPriority } from '@sheaf/vocabulary/jobs';
import type { IngestDeps, IngestSettings } from '../incoming-file.ts';
import { BytesVanished } from '../take-in.ts';
import { removeTrimmed } from '../versions/put-version.ts';
import type { PartPages } from './move-pages.ts';
import { recordSplit } from './record-split.ts';
import { type SplitPart, storeParts } from './store-parts.ts';

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

const MAX_TRIES = 3;

/**
 * Splits a document into parts that were cut already (`arrangePages`). The bytes of all parts are made safe first; then, in one transaction, the
 * document keeps its id and gets the first part as its newest version, the whole being the version before, each other part becomes a document
 * of the same owner with the same labels, all are queued, and events and import log say so. `metadata.split_into` of the document and
 * `metadata.split_from` of the parts lead from one to the other. Parts that the owner has as documents already are named and not made again.
 * Killed at any point, it leaves the document whole, or split.
 *
 *     const result = await splitDocument({ db, storage, settings }, { sha256, parts, lock, movePages, onSplit });
 *
 * A worker that has a job of the document loses it by this: the document is queued anew. Throws what `lock` and `onSplit` throw, with nothing
 * changed, and FileChanged where the document has other bytes by now.
 */
export const splitDocument = async <P extends SplitPart>(deps: SplitDeps, request: SplitRequest<P>): Promise<SplitResult<P>> => {
  for (let attempt = 1; ; attempt += 1) {
    const stored = await storeParts(deps.storage, request.parts);
    try {
      const { trimmed, ...result } = await deps.db.transaction((tx) => recordSplit(tx, deps, request, stored));
      await removeTrimmed(deps, trimmed);
      return result;
    } catch (error) {
      // its bytes were removed with another document in this moment, or came by another way: seen at the next try
      const isOvertaken = error instanceof BytesVanished || violates(error, 'documents_owner_sha256_key');
      if (!isOvertaken || attempt === MAX_TRIES) throw error;
    }
  }
};
