import { DOCUMENT_STATUSES } from '@sheaf/vocabulary/documents';
import { MAX_BULK_IDS } from '@sheaf/vocabulary/limits';
import { z } from 'zod';
import { labelMatch } from '../label-match.ts';
import { moment } from '../moment.ts';
import { ocrLanguage } from '../queue/ocr-language.ts';
import { rowId } from '../row-id.ts';
import { documentBody } from './document.ts';
import { archiveNumber, documentDay, labelReferences } from './document-update.ts';

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

export const BULK_ACTIONS = ['delete', 'add_labels', 'remove_labels', 'retry_ocr'] as const;
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
    document_date_from: documentDay,
    document_date_to: documentDay,
    archive_number: archiveNumber,
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
  .strictObject(selection)
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

const takesLabels = (action: BulkAction): boolean => action === 'add_labels' || action === 'remove_labels';

export const bulkRequest = z
  .strictObject({
    ...selection,
    action: z.enum(BULK_ACTIONS),
    labels: labelReferences.min(1).optional(),
    language: ocrLanguage.optional().describe('OCR language for `retry_ocr`; without it each document keeps its own'),
    confirm: z
      .int()
      .min(0)
      .optional()
      .describe('Number of documents that the filter matches; required to delete by filter. If it differs, nothing changes'),
  })
  .superRefine(({ ids, filter, action, labels, language, confirm }, context) => {
    const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
    if ((ids === undefined) === (filter === undefined)) refuse('ids', EITHER);
    if (language !== undefined && action !== 'retry_ocr') refuse('language', `is not allowed for ${action}`);
    if (confirm !== undefined && filter === undefined) refuse('confirm', 'is for a filter only');
    if (takesLabels(action) && labels === undefined) refuse('labels', `are required for ${action}`);
    if (!takesLabels(action) && labels !== undefined) refuse('labels', `are not allowed for ${action}`);
  })
  .meta({ id: 'BulkRequest' });
export type BulkRequest = z.infer<typeof bulkRequest>;

export const bulkBody = z
  .strictObject({
    matched: z.int().describe('Number of selected documents'),
    done: z.int().describe('Number of processed documents; always equal to `matched`'),
  })
  .meta({ id: 'BulkResult' });
