import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import type { EinvoiceToKeep } from '@sheaf/document-facts';
import { listPages } from '@sheaf/documents/pages';
import type { FoundEinvoice } from '@sheaf/vocabulary/einvoices';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import { findDifferences } from './einvoice-differences.ts';

/** An invoice states what is compared on its first pages, or its last. */
const MAX_PAGES = 20;
const MAX_PAGE_CHARS = 60_000;

/** The e-invoice of a document that was read, with where its pages say something else. Of an e-invoice as a file there are no other pages. */
export const compareEinvoice = async (db: Db, { id, mimeType }: Document, found: FoundEinvoice): Promise<EinvoiceToKeep> => {
  if (!found.ok) return found;
  if (findKindByMimeType(mimeType)?.family !== 'pdf') return { ok: true, einvoice: { ...found.einvoice, differences: [] } };
  const { pages, total } = await listPages(db, id, { from: 1, to: MAX_PAGES });
  const isWhole = total <= MAX_PAGES && pages.every(({ content }) => content.length <= MAX_PAGE_CHARS);
  const compared = pages.map(({ page, content }) => ({ page, content: content.slice(0, MAX_PAGE_CHARS) }));
  const differences = findDifferences(found.einvoice.invoice, { pages: compared, isWhole, now: new Date() });
  return { ok: true, einvoice: { ...found.einvoice, differences } };
};
