import { INGEST_ROUTES, LEDGER_STATES } from '@sheaf/vocabulary/documents';
import { LEDGER_REASON_CODES } from '@sheaf/vocabulary/ledger-reasons';
import { LEDGER_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { moment } from '../moment.ts';
import { containedText, pageQuery } from '../page.ts';
import { rowId } from '../row-id.ts';

const MAX_QUERY_CHARACTERS = 254;

export const ledgerQuery = pageQuery.extend({
  sort: z.enum(LEDGER_SORT_FIELDS).default('updated_at'),
  order: z.enum(['asc', 'desc']).default('desc'),
  state: z.enum(LEDGER_STATES).optional(),
  route: z.enum(INGEST_ROUTES).optional(),
  document_id: rowId.optional().describe('Files imported as this document, and its duplicates'),
  q: containedText(MAX_QUERY_CHARACTERS).optional().describe('Files whose path or reason contains this text, case-insensitive'),
  date_from: moment.optional().describe('Last updated at or after this time; a date is the start of the day in UTC'),
  date_to: moment.optional().describe('Last updated at or before this time; a date is the end of the day in UTC'),
});

export const ledgerEntryBody = z
  .strictObject({
    id: z.uuid(),
    route: z.enum(INGEST_ROUTES),
    path: z.string().describe('Path relative to the watch folder or source; for uploads the file name'),
    filename: z.string(),
    size_bytes: z.int().nullable(),
    modified_at: z.iso.datetime().nullable(),
    sha256: z.string().nullable().describe('Hash of the complete file, if it was read'),
    state: z.enum(LEDGER_STATES),
    reason: z.string().nullable().describe('Human-readable reason for the state; null on success'),
    reason_code: z.enum(LEDGER_REASON_CODES).nullable().describe('Machine-readable reason; also null for entries of earlier versions'),
    reason_details: z.record(z.string(), z.unknown()).describe('Limits, names and paths for the code'),
    document_id: z.uuid().nullable().describe('Imported document, or the document it duplicates; null if deleted'),
    owner_id: z.uuid().nullable().describe('Null while the watch folder has no owner'),
    source_id: z.uuid().nullable(),
    moved_to: z.string().nullable().describe('Path after the import, relative to the folder of processed files'),
    created_at: z.iso.datetime().describe('When the file was first found'),
    updated_at: z.iso.datetime().describe('When the entry last changed'),
  })
  .meta({ id: 'LedgerEntry' });
export type LedgerEntryBody = z.infer<typeof ledgerEntryBody>;
