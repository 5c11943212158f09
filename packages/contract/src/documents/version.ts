import { INGEST_ROUTES } from '@sheaf/vocabulary/documents';
import { MAX_PAGES_PER_ANSWER } from '@sheaf/vocabulary/limits';
import { VERSION_SORT_FIELDS } from '@sheaf/vocabulary/part-sort-fields';
import { z } from 'zod';
import { askedPagination, partQuery } from '../page.ts';
import { rowId } from '../row-id.ts';

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
