import { MAX_APPENDED_DOCUMENTS, MAX_EDITED_PAGES, MAX_PAGE_OPERATIONS } from '@sheaf/vocabulary/limits';
import { z } from 'zod';
import { rowId } from '../row-id.ts';
import { documentBody } from './document.ts';

const pageNumber = z.int().min(1).max(MAX_EDITED_PAGES);
const pageNumbers = z
  .array(pageNumber)
  .min(1)
  .max(MAX_EDITED_PAGES)
  .refine((pages) => new Set(pages).size === pages.length, { error: 'names a page twice' });

const pageOperation = z.discriminatedUnion('op', [
  z
    .strictObject({
      op: z.literal('rotate'),
      pages: pageNumbers,
      by: z.literal([90, 180, 270]).describe('Degrees clockwise'),
    })
    .meta({ id: 'RotatePages' }),
  z.strictObject({ op: z.literal('delete'), pages: pageNumbers }).meta({ id: 'DeletePages' }),
  z
    .strictObject({
      op: z.literal('move'),
      pages: pageNumbers.describe('In the order that they are to have'),
      to: pageNumber.describe('Position of the first of them afterwards, starting at 1'),
    })
    .meta({ id: 'MovePages' }),
  z
    .strictObject({
      op: z.literal('append'),
      document_id: rowId.describe('Document whose pages are added after the last page; it stays as it is'),
      pages: pageNumbers.optional().describe('Its pages, in the order that they are to have; default: all'),
    })
    .meta({ id: 'AppendPages' }),
  z
    .strictObject({
      op: z.literal('split'),
      pages: pageNumbers.describe('First page of each new document; the pages before the first of them stay in this document'),
    })
    .meta({ id: 'SplitPages' }),
]);
export type PageOperation = z.infer<typeof pageOperation>;

export const pageEditRequest = z
  .strictObject({
    operations: z
      .array(pageOperation)
      .min(1)
      .max(MAX_PAGE_OPERATIONS)
      .describe('Applied in order; page numbers are those that the operations before have left. `split` must be the last operation'),
    version: z.int().min(1).optional().describe('Version that the page numbers are of; if the document has another one, nothing changes'),
    break_signature: z.boolean().optional().describe('true: edit also a signed PDF, whose signature the new version does not have'),
  })
  .superRefine(({ operations }, context) => {
    for (const [at, { op }] of operations.entries())
      if (op === 'split' && at < operations.length - 1)
        context.addIssue({ code: 'custom', path: ['operations', at, 'op'], message: 'must be the last operation' });
    const appended = new Set(operations.flatMap((operation) => (operation.op === 'append' ? [operation.document_id] : [])));
    if (appended.size > MAX_APPENDED_DOCUMENTS)
      context.addIssue({ code: 'custom', path: ['operations'], message: `appends more than ${MAX_APPENDED_DOCUMENTS} documents` });
  })
  .meta({ id: 'PageEditRequest' });
export type PageEditRequest = z.infer<typeof pageEditRequest>;

/** The document itself, or after a split all documents that there are now, in the order of their pages. */
export const pageEditBody = z.union([
  documentBody,
  z
    .strictObject({ documents: z.array(documentBody).describe('This document and the new ones, in the order of their pages') })
    .meta({ id: 'SplitDocuments' }),
]);
