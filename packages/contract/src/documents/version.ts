import { INGEST_ROUTES } from '@sheaf/vocabulary/documents';
import { z } from 'zod';
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

export const versionsBody = z.strictObject({ data: z.array(versionBody).describe('The newest first') }).meta({ id: 'Versions' });

export const joinVersionRequest = z
  .strictObject({ document_id: rowId.describe('ID of the document that becomes an earlier version') })
  .meta({ id: 'JoinVersion' });
