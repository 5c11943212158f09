import { DOCUMENT_STATUSES } from '@sheaf/vocabulary/documents';
import { MAX_BULK_IDS } from '@sheaf/vocabulary/limits';
import { SIGNATURE_SORT_FIELDS } from '@sheaf/vocabulary/part-sort-fields';
import { z } from 'zod';
import { moment } from '../moment.ts';
import { askedPagination, partQuery, rowId } from '../page.ts';
import { ocrLanguage } from '../queue/queue.ts';
import { fieldFilters } from './custom-field.ts';
import { documentBody } from './document.ts';
import { fieldFilterShape, labelReferences } from './document-update.ts';
import { labelMatch } from './filing.ts';

export const downloadForm = z
  .enum(['original', 'searchable'])
  .describe('`searchable`: a PDF whose scanned pages have the recognized words as invisible text');

export const searchableProgressBody = z
  .strictObject({ progress: z.number().min(0).max(1).describe('Completed share of the work') })
  .meta({ id: 'SearchablePdfProgress' });

export const signatureListQuery = partQuery(SIGNATURE_SORT_FIELDS, { sort: 'position', order: 'asc' });

export const signaturesBody = z
  .strictObject({
    data: z.array(
      z.strictObject({
        signer: z.string().nullable().describe('Name in the certificate of the signature; null where it has none'),
        signed_at: z.iso.datetime().nullable().describe('As the signer states it'),
        is_valid: z.boolean().describe('Whether the signed part is unchanged; the certificate is not checked'),
        covers_whole_document: z.boolean().describe('False where the file was extended after the signature'),
        reason: z
          .enum(['document_changed', 'invalid', 'unreadable', 'not_verified'])
          .nullable()
          .describe('Why the signature is not valid; null where it is'),
      }),
    ),
    pagination: askedPagination,
  })
  .meta({ id: 'DocumentSignatures' });

export const bulkUploadBody = z
  .strictObject({
    uploaded: z.int(),
    failed: z.int(),
    documents: z.array(documentBody).describe('Documents of the files without an error, in upload order'),
    errors: z.array(
      z.strictObject({
        index: z.int().describe('Index of the file in the form, starting at 0; names need not be unique'),
        filename: z.string(),
        error: z.strictObject({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()) }),
      }),
    ),
  })
  .meta({ id: 'BulkUpload' });
export type BulkUploadBody = z.infer<typeof bulkUploadBody>;

export const BULK_ACTIONS = ['delete', 'add_labels', 'remove_labels', 'set_correspondent', 'set_document_type', 'retry_ocr'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

export const bulkFilter = z
  .strictObject({
    status: z.enum(DOCUMENT_STATUSES),
    source_id: rowId,
    owner_id: rowId,
    language: z.string().max(20),
    label_ids: z.array(rowId).max(50),
    label_match: labelMatch,
    has_labels: z.boolean().describe('false: only documents without labels'),
    mime_types: z.array(z.string().min(1).max(200)).max(50),
    date_from: moment,
    date_to: moment.describe('A date without time is the whole day'),
    ...fieldFilterShape,
    imported_from: z.string().min(1).max(100),
    correspondent_ids: z.array(rowId).max(50),
    has_correspondent: z.boolean().describe('false: only documents without a correspondent'),
    document_type_ids: z.array(rowId).max(50),
    has_document_type: z.boolean().describe('false: only documents without a document type'),
    has_similar: z.boolean().describe('true: only documents with a near-duplicate that the caller may read; false: only the others'),
    fields: fieldFilters,
  })
  .partial()
  .meta({ id: 'BulkFilter' });
export type BulkFilterBody = z.infer<typeof bulkFilter>;

/** The documents that something is for: exactly one of the two is given. */
const selection = {
  ids: z.array(rowId).min(1).max(MAX_BULK_IDS).optional(),
  filter: bulkFilter.optional().describe('Conditions that must all match; {} selects every document visible to the caller'),
};
const EITHER = 'set either ids or filter';

export const bulkDownloadRequest = z
  .strictObject({ ...selection, as: downloadForm.optional() })
  .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), { path: ['ids'], error: EITHER })
  .meta({ id: 'BulkDownloadRequest' });
export type BulkDownloadRequest = z.infer<typeof bulkDownloadRequest>;

export const downloadTicketBody = z
  .strictObject({
    ticket: z.string().describe('For GET /api/documents/bulk-download/{ticket}; works for its user only'),
    expires_at: z.iso.datetime(),
    documents: z.int().describe('Number of selected documents'),
    size_bytes: z.int().describe('Total size of their files'),
  })
  .meta({ id: 'DownloadTicket' });

/** What an action is done with; no other action takes it. */
const NEEDED = {
  labels: ['add_labels', 'remove_labels'],
  correspondent_id: ['set_correspondent'],
  document_type_id: ['set_document_type'],
} as const satisfies Readonly<Record<string, readonly BulkAction[]>>;

const isNeeded = (field: keyof typeof NEEDED, action: BulkAction): boolean => (NEEDED[field] as readonly BulkAction[]).includes(action);

export const bulkRequest = z
  .strictObject({
    ...selection,
    action: z.enum(BULK_ACTIONS),
    labels: labelReferences.min(1).optional(),
    correspondent_id: rowId.nullable().optional().describe('For `set_correspondent`; null removes the correspondent'),
    document_type_id: rowId.nullable().optional().describe('For `set_document_type`; null removes the document type'),
    language: ocrLanguage.optional().describe('OCR language for `retry_ocr`; without it each document keeps its own'),
    confirm: z
      .int()
      .min(0)
      .optional()
      .describe('Number of documents that the filter matches; required to delete by filter. If it differs, nothing changes'),
    permanent: z.boolean().optional().describe('For `delete`: true skips the trash; requires documents.purge'),
  })
  .superRefine((request, context) => {
    const { ids, filter, action, language, confirm, permanent } = request;
    const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
    if ((ids === undefined) === (filter === undefined)) refuse('ids', EITHER);
    if (language !== undefined && action !== 'retry_ocr') refuse('language', `is not allowed for ${action}`);
    if (permanent !== undefined && action !== 'delete') refuse('permanent', `is not allowed for ${action}`);
    if (confirm !== undefined && filter === undefined) refuse('confirm', 'is for a filter only');
    for (const field of ['labels', 'correspondent_id', 'document_type_id'] as const) {
      if (isNeeded(field, action) && request[field] === undefined) refuse(field, `is required for ${action}`);
      if (!isNeeded(field, action) && request[field] !== undefined) refuse(field, `is not allowed for ${action}`);
    }
  })
  .meta({ id: 'BulkRequest' });
export type BulkRequest = z.infer<typeof bulkRequest>;

export const bulkBody = z
  .strictObject({
    matched: z.int().describe('Number of selected documents'),
    done: z.int().describe('Number of processed documents; always equal to `matched`'),
  })
  .meta({ id: 'BulkResult' });
