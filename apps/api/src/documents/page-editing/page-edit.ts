import { recordAudit } from '@sheaf/accounts/users';
import type { PageEditRequest } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import type { MovedPage } from '@sheaf/filing/facts';
import type { Actor } from '../../http/actor.ts';
import type { ArrangedPart, SourceDocuments } from './page-arranger.ts';

/** What is done to a document. */
export interface PageEdit {
  readonly by: Actor;
  /** As they were when their pages were arranged. */
  readonly documents: SourceDocuments;
  readonly operations: PageEditRequest['operations'];
}

/** Where the pages of the document `id` are now, by what they were; of a page that is there twice, the first one counts. */
export const movedPagesOf = (
  id: string,
  made: readonly { readonly id: string; readonly part: ArrangedPart }[],
): ReadonlyMap<number, MovedPage> => {
  const moved = new Map<number, MovedPage>();
  for (const one of made)
    for (const [at, { documentId, page, rotateBy }] of one.part.placed.entries())
      if (documentId === id && !moved.has(page)) moved.set(page, { documentId: one.id, page: at + 1, rotateBy });
  return moved;
};

/** Writes the edit into the audit log, in the same transaction. */
export const auditEdit = (
  tx: Db,
  { by, documents, operations }: PageEdit,
  document: Document,
  after: { readonly sha256: string; readonly parts: readonly string[] },
): Promise<void> =>
  recordAudit(tx, {
    actor: by.principal,
    address: by.address,
    action: 'document.pages_edited',
    outcome: 'success',
    subject: { type: 'document', id: document.id },
    details: {
      version: document.version + 1,
      sha256: after.sha256,
      previous_sha256: document.sha256,
      operations: [...new Set(operations.map(({ op }) => op))],
      appended_document_ids: documents.slice(1).map(({ id }) => id),
      part_ids: after.parts,
    },
  });
