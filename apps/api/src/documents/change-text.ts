import { recordAudit } from '@sheaf/accounts/users';
import { codedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { editText } from '@sheaf/documents/pages';
import { CONTENT_EXCERPT_CHARACTERS } from '@sheaf/vocabulary/limits';
import type { Actor } from '../http/actor.ts';

/**
 * Writes `text` in place of that of a document that is locked, with an entry in the audit log; returns the pages that changed. Throws
 * DOCUMENT_IS_PROCESSING where pages are still to come.
 */
export const changeText = async (
  tx: Db,
  document: Document,
  text: string | undefined,
  { principal, address }: Actor,
): Promise<number[]> => {
  if (text === undefined) return [];
  const pages = await editText(tx, document, text, CONTENT_EXCERPT_CHARACTERS);
  if (pages.length === 0) return [];
  if (document.status === 'pending' || document.status === 'processing')
    throw codedError('DUPLICATE_RESOURCE', 'DOCUMENT_IS_PROCESSING', { document_id: document.id, document_ids: [document.id] });
  await recordAudit(tx, {
    actor: principal,
    address,
    action: 'document.text_edited',
    outcome: 'success',
    subject: { type: 'document', id: document.id },
    details: { pages: pages.slice(0, 100), page_count: pages.length },
  });
  return pages;
};
