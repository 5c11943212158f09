import { INGEST_ROUTES, TRASH_REASONS } from '@sheaf/vocabulary/documents';
import { TRASH_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { pageQuery, sortQuery } from '../page.ts';
import { documentBody } from './document.ts';

const namedUser = z.strictObject({ id: z.uuid(), name: z.string() });

export const trashedDocumentBody = z
  .strictObject({
    id: z.uuid().describe('The ID that the document had, and has again after it is restored'),
    title: z.string(),
    filename: z.string(),
    mime_type: z.string(),
    size: z.int(),
    sha256: z.string(),
    page_count: z.int().nullable(),
    owner: namedUser,
    source: z.enum(INGEST_ROUTES),
    created_at: z.iso.datetime(),
    trashed_at: z.iso.datetime().describe('When the document was moved to the trash'),
    trashed_by: namedUser.nullable().describe('Who deleted the document; null if the service did, or the user is deleted'),
    reason: z.enum(TRASH_REASONS).describe('`deleted` by a user, or `source_file_removed` because its file was removed at its source'),
    purge_at: z.iso.datetime().describe('From when on the document is removed permanently, by TRASH_RETENTION_DAYS'),
  })
  .meta({ id: 'TrashedDocument' });
export type TrashedDocumentBody = z.infer<typeof trashedDocumentBody>;

export const trashListQuery = pageQuery.extend({ ...sortQuery(TRASH_SORT_FIELDS, { sort: 'trashed_at', order: 'desc' }) });

export const restoredDocumentBody = documentBody
  .extend({
    lost_archive_number: z
      .int()
      .nullable()
      .describe('The archive number that the document had and that another document has now; it is restored without a number'),
  })
  .meta({ id: 'RestoredDocument' });
export type RestoredDocumentBody = z.infer<typeof restoredDocumentBody>;

export const emptyTrashRequest = z
  .strictObject({ confirm: z.int().min(0).describe('Number of documents that will be removed; if it differs, nothing is removed') })
  .meta({ id: 'EmptyTrash' });

export const emptyTrashBody = z
  .strictObject({ purged: z.int().describe('Number of documents that were removed permanently') })
  .meta({ id: 'EmptiedTrash' });

export const deleteDocumentQuery = z.strictObject({
  permanent: z.stringbool().optional().describe('`true` skips the trash; requires documents.purge'),
});
