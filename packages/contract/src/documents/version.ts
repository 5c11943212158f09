import { INGEST_ROUTES } from '@sheaf/vocabulary/documents';
import { MAX_APPENDED_DOCUMENTS, MAX_EDITED_PAGES, MAX_PAGE_OPERATIONS, MAX_PAGES_PER_ANSWER } from '@sheaf/vocabulary/limits';
import { VERSION_SORT_FIELDS } from '@sheaf/vocabulary/part-sort-fields';
import { z } from 'zod';
import { askedPagination, partQuery, rowId } from '../page.ts';
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

const pages = z.array(z.int().min(1)).describe('From 1, of the whole document');

/** `metadata.split_from` of a document whose pages were part of another one. */
export const splitFrom = z.object({ document_id: rowId, pages }).meta({ id: 'SplitFrom' });
export type SplitFrom = z.infer<typeof splitFrom>;

/** `metadata.split_into` of a document that was split: which of its versions is the whole, and where the pages are; it is the first itself. */
export const splitInto = z.object({ version: z.int().min(1), parts: z.array(splitFrom) }).meta({ id: 'SplitInto' });
export type SplitInto = z.infer<typeof splitInto>;

const versionNumber = z.coerce.number().int().min(1).max(2_147_483_647);

export const versionParams = z.strictObject({ id: rowId, version: versionNumber });

const versionBody = z
  .strictObject({
    version: z.int(),
    created_at: z.iso.datetime().describe('When the file was added'),
    filename: z.string(),
    mime_type: z.string(),
    sha256: z.string(),
    size: z.int(),
    page_count: z.int().nullable(),
    source: z.enum(INGEST_ROUTES),
    is_current: z.boolean(),
  })
  .meta({ id: 'Version' });
export type VersionBody = z.infer<typeof versionBody>;

export const versionListQuery = partQuery(VERSION_SORT_FIELDS, { sort: 'version', order: 'desc' });

export const versionsBody = z.strictObject({ data: z.array(versionBody), pagination: askedPagination }).meta({ id: 'Versions' });

export const joinVersionRequest = z
  .strictObject({ document_id: rowId.describe('ID of the document that becomes an earlier version') })
  .meta({ id: 'JoinVersion' });

export const comparisonParams = z.strictObject({ id: rowId, version: versionNumber, other: versionNumber });

export const comparisonBody = z
  .strictObject({
    pages: z
      .array(
        z.strictObject({
          page: z.int(),
          change: z.enum(['same', 'changed', 'removed', 'added']),
          is_detailed: z.boolean().describe('false: the texts are too long or too different, so each is one part'),
          parts: z
            .array(z.strictObject({ kind: z.enum(['same', 'removed', 'added']), text: z.string() }))
            .describe('The text of both versions in order; empty for a page that is the same'),
        }),
      )
      .describe(`At most ${MAX_PAGES_PER_ANSWER} pages; a page that one version lacks is \`removed\` or \`added\``),
    total: z.int().describe('Number of the last page of both'),
  })
  .meta({ id: 'Comparison' });
export type ComparisonBody = z.infer<typeof comparisonBody>;
