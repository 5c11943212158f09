import { AppError } from '@sheaf/contract';
import { ledgerReason } from '@sheaf/contract/imports';
import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { lockDocument, updateDocument } from '@sheaf/documents';
import { addLabelsToDocuments, listLabelNames, lockLabelTree } from '@sheaf/documents/labels';
import { recordEvent } from '@sheaf/events';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { Part } from './plan-parts.ts';
import { takeLabels } from './take-labels.ts';

/** What codes give a document. */
type Given = Pick<Part, 'archiveNumber' | 'invalidNumbers' | 'labels'>;

/** Nobody changes labels until the end of the transaction. It comes before all other locks, where there are any labels to give. */
export const holdLabels = async (tx: Db, parts: readonly Given[]): Promise<void> => {
  if (parts.some(({ labels }) => labels.length > 0)) await lockLabelTree(tx);
};

/**
 * Gives a document the archive number and the labels that the codes on its pages name; labels only within what its owner may do, and none
 * where the owner is disabled. A number that a person
 * has set or taken away stays, and one that another document has is not given twice. Returns why there is one that was not given.
 */
export const applyPart = async (
  tx: Db,
  owner: Principal | undefined,
  documentId: string,
  given: Given,
): Promise<LedgerReason | undefined> => {
  const document = await lockDocument(tx, documentId);
  const number = await giveNumber(tx, owner, document, given);
  const labels = owner && (await giveLabels(tx, owner, documentId, given));
  const changes = { ...(number.given === undefined ? {} : { archive_number: number.given }), ...(labels === undefined ? {} : { labels }) };
  if (Object.keys(changes).length > 0)
    await recordEvent(tx, { type: 'document_updated', document_id: documentId, changes }, document.ownerId);
  return number.reason;
};

interface NumberOutcome {
  readonly given?: number;
  readonly reason?: LedgerReason;
}

const giveNumber = async (
  tx: Db,
  owner: Principal | undefined,
  document: Document,
  { archiveNumber, invalidNumbers }: Given,
): Promise<NumberOutcome> => {
  const [text] = invalidNumbers;
  const invalid = text === undefined ? {} : { reason: ledgerReason('archive_number_invalid', { text }) };
  if (archiveNumber === undefined || document.archiveNumber === archiveNumber) return invalid;
  if (document.archiveNumber !== null || document.confirmedFields.includes('archive_number')) return invalid;
  return (await isFree(tx, owner, document.id, archiveNumber))
    ? { ...invalid, given: archiveNumber }
    : { reason: ledgerReason('archive_number_taken', { archive_number: archiveNumber }) };
};

/** Gives the number; false where another document of the owner has it, or one that the owner may read. */
const isFree = async (tx: Db, owner: Principal | undefined, documentId: string, archiveNumber: number): Promise<boolean> => {
  try {
    await tx.transaction((attempt) => updateDocument(attempt, documentId, { archiveNumber }, owner));
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'ARCHIVE_NUMBER_TAKEN') return false;
    throw error;
  }
};

/** The names of all labels of the document, where it has more than before. */
const giveLabels = async (tx: Db, owner: Principal, documentId: string, { labels }: Given): Promise<string[] | undefined> => {
  const ids = await takeLabels(tx, owner, labels);
  const changed = ids.length === 0 ? new Set() : await addLabelsToDocuments(tx, [documentId], ids);
  return changed.size === 0 ? undefined : (await listLabelNames(tx, [documentId])).get(documentId);
};
