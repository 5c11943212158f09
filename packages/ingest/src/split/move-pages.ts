import type { Db } from '@sheaf/db';
import { placePages } from '@sheaf/documents/versions';

/** Pages of a version of a document that become those of a document, in this order. */
export interface PartPages {
  readonly from: { readonly documentId: string; readonly version: number };
  readonly to: string;
  readonly pages: readonly number[];
}

/**
 * Gives a document the text, words and languages that the pages had in an earlier version, which keeps them. Its own pages before go. A page of
 * which nothing is known is left for the job of the document.
 */
export const movePages = (tx: Db, { from, to, pages }: PartPages): Promise<void> =>
  placePages(
    tx,
    to,
    from,
    pages.map((page) => ({ documentId: from.documentId, page, rotateBy: 0 })),
  );
