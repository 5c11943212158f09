import type { Db } from '@sheaf/db';
import { documentsFor } from '@sheaf/db';
import { and, asc, type SQL, sql } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import type { DocumentStatus } from '@sheaf/vocabulary/documents';
import { CHANNELS } from '@sheaf/vocabulary/events';
import type { Action, Principal } from '@sheaf/vocabulary/permissions';
import { type DocumentFilter, matching } from './document-filter.ts';

/** The documents an action is for: these, or all that match. */
export type Selection = { readonly ids: readonly string[] } | { readonly filter: DocumentFilter };

/** A document of a selection, and whether the caller may act on it. */
export interface SelectedDocument {
  readonly id: string;
  readonly ownerId: string;
  readonly title: string;
  readonly filename: string;
  readonly sizeBytes: number;
  readonly createdAt: Date;
  readonly sha256: string;
  readonly status: DocumentStatus;
  readonly isAllowed: boolean;
}

const oneOf = (ids: readonly string[]): SQL => sql`${documents.id} = any(${sql.param([...ids])}::uuid[])`;

const isSelected = (principal: Principal, selection: Selection): SQL | undefined =>
  'ids' in selection ? and(documentsFor(principal, 'documents.read'), oneOf(selection.ids)) : matching(principal, selection.filter);

const fieldsFor = (principal: Principal, action: Action) => ({
  id: documents.id,
  ownerId: documents.ownerId,
  title: documents.title,
  filename: documents.filename,
  sizeBytes: documents.sizeBytes,
  createdAt: documents.createdAt,
  sha256: documents.sha256,
  status: documents.status,
  isAllowed: sql<boolean>`(${documentsFor(principal, action)})`,
});

/** The documents of `selection` that `principal` may read, at most `limit`, and whether he may do `action` on each. */
export const findSelected = (
  db: Db,
  principal: Principal,
  action: Action,
  selection: Selection,
  limit: number,
): Promise<SelectedDocument[]> =>
  db.select(fieldsFor(principal, action)).from(documents).where(isSelected(principal, selection)).limit(limit);

/**
 * What is to happen to the rows that are locked: `change` alone, `read` again, which changes their jobs too, `replace` their files, which
 * are part of their keys, or `delete`.
 */
export type LockPurpose = 'change' | 'read' | 'replace' | 'delete';

/**
 * Those of the documents `ids` that are still in `selection`, locked until the end of the transaction, with their jobs where
 * these change too. Jobs go before documents, as their readers take them, and both in the order of the documents' ids: so
 * nobody waits in a circle.
 */
export const lockSelected = async (
  tx: Db,
  principal: Principal,
  action: Action,
  selection: Selection,
  { ids, purpose }: { readonly ids: readonly string[]; readonly purpose: LockPurpose },
): Promise<SelectedDocument[]> => {
  if (purpose !== 'change')
    await tx.execute(
      sql`select 1 from ocr_jobs where document_id = any(${sql.param([...ids])}::uuid[]) order by document_id for no key update`,
    );
  return tx
    .select(fieldsFor(principal, action))
    .from(documents)
    .where(and(oneOf(ids), isSelected(principal, selection)))
    .orderBy(asc(documents.id))
    .for(purpose === 'delete' || purpose === 'replace' ? 'update' : 'no key update');
};

/** Deletes the rows with everything that hangs on them. Lock them first, with their jobs. */
export const deleteDocuments = async (tx: Db, ids: readonly string[]): Promise<void> => {
  await tx.delete(documents).where(oneOf(ids));
  // a worker that is reading one finds its job gone, and is told to look
  await tx.execute(sql`select pg_notify(${CHANNELS.leases}, '')`);
};

/** Says that something about these documents was changed now. */
export const touchDocuments = async (tx: Db, ids: readonly string[]): Promise<void> => {
  await tx.update(documents).set({ updatedAt: sql`now()` }).where(oneOf(ids));
};
