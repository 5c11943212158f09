import { type AppError, codedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { and, eq, sql } from '@sheaf/db/drizzle';
import { documentEinvoices, documents } from '@sheaf/db/schema';
import type { CheckedEinvoice, EinvoiceDifference, FoundEinvoice } from '@sheaf/vocabulary/einvoices';

/** An e-invoice with where the pages of its document state something else. */
export interface ComparedEinvoice extends CheckedEinvoice {
  readonly differences: readonly EinvoiceDifference[];
}

/** What processing found, to be kept. */
export type EinvoiceToKeep =
  | { readonly ok: true; readonly einvoice: ComparedEinvoice }
  | Extract<FoundEinvoice, { readonly ok: false }>
  | undefined;

/**
 * Keeps what the document is or holds as an e-invoice in the place of what was known. What it states goes before what pages do, so call it
 * before facts are stored. Undefined: it is none. `hadEinvoice` false: it was none before either.
 */
export const saveEinvoice = async (tx: Db, documentId: string, found: EinvoiceToKeep, hadEinvoice = true): Promise<void> => {
  if (found === undefined && !hadEinvoice) return;
  await tx.delete(documentEinvoices).where(eq(documentEinvoices.documentId, documentId));
  if (found !== undefined) await tx.insert(documentEinvoices).values({ documentId, ...rowOf(found) });
  const hasEinvoice = found !== undefined;
  await tx
    .update(documents)
    .set({ hasEinvoice })
    .where(and(eq(documents.id, documentId), sql`${documents.hasEinvoice} <> ${hasEinvoice}`));
};

const rowOf = (found: NonNullable<EinvoiceToKeep>) => (found.ok ? { ...found.einvoice, error: null } : { error: found.problem });

const notFound = (documentId: string): AppError => codedError('NOT_FOUND', 'EINVOICE_NOT_FOUND', { document_id: documentId });

/** Why an e-invoice that is there cannot be shown. */
export const einvoiceUnreadable = (documentId: string, problem: string): AppError =>
  codedError('NOT_FOUND', 'EINVOICE_UNREADABLE', { document_id: documentId, problem });

/**
 * The e-invoice of a document that the caller may read. Throws EINVOICE_NOT_FOUND where it is none and holds none, and EINVOICE_UNREADABLE
 * where the XML in it could not be read.
 */
export const getEinvoice = async (db: Db, documentId: string): Promise<ComparedEinvoice> => {
  const [row] = await db.select().from(documentEinvoices).where(eq(documentEinvoices.documentId, documentId));
  if (row === undefined) throw notFound(documentId);
  const { invoice, rules, violations, attachments, differences, error } = row;
  if (invoice === null || rules === null) throw einvoiceUnreadable(documentId, error ?? 'not_extracted');
  return { invoice, rules, violations, attachments, differences };
};
