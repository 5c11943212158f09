import { INGEST_ROUTES, LEDGER_REASON_CODES, LEDGER_SORT_FIELDS, LEDGER_STATES } from '@sheaf/vocabulary';
import { z } from 'zod';
import { rule } from './issue.ts';
import { pageQuery } from './page.ts';
import { rowId } from './row-id.ts';

const MAX_QUERY_CHARACTERS = 254;

const moment = z.iso.datetime({ offset: true }).or(z.iso.date());

export const ledgerQuery = pageQuery.extend({
  sort: z.enum(LEDGER_SORT_FIELDS).default('updated_at'),
  order: z.enum(['asc', 'desc']).default('desc'),
  state: z.enum(LEDGER_STATES).optional(),
  route: z.enum(INGEST_ROUTES).optional(),
  document_id: rowId.optional().describe('Every file that became this document or is a duplicate of it'),
  q: z
    .string()
    .max(MAX_QUERY_CHARACTERS)
    .refine((text) => !text.includes('\0'), rule('nul', 'must not have NUL'))
    .optional()
    .describe('Files with this in their path or in the reason, the case of letters aside'),
  date_from: moment.optional().describe('Something last happened to it at this time or later; a date means its first moment in UTC'),
  date_to: moment.optional().describe('Something last happened to it at this time or before; a date means the whole day in UTC'),
});

export const ledgerEntryBody = z
  .strictObject({
    id: z.uuid(),
    route: z.enum(INGEST_ROUTES),
    path: z.string().describe('Below the folder that is watched or the source; of an upload the name it was sent with'),
    filename: z.string(),
    size_bytes: z.int().nullable(),
    modified_at: z.iso.datetime().nullable(),
    sha256: z.string().nullable().describe('Of a file that was read to its end'),
    state: z.enum(LEDGER_STATES),
    reason: z.string().nullable().describe('In words, why the file is in this state; null where it went well'),
    reason_code: z
      .enum(LEDGER_REASON_CODES)
      .nullable()
      .describe('The same for programs; null also where an earlier version wrote the words'),
    reason_details: z.record(z.string(), z.unknown()).describe('The limits, names and paths that go with the code'),
    document_id: z.uuid().nullable().describe('What it became or is a duplicate of; null once that is deleted'),
    owner_id: z.uuid().nullable().describe('Null while nobody owns what is found there'),
    source_id: z.uuid().nullable(),
    moved_to: z.string().nullable().describe('Where it was put after it had been taken in, below the folder of processed files'),
    created_at: z.iso.datetime().describe('When it was first seen'),
    updated_at: z.iso.datetime().describe('When something last happened to it'),
  })
  .meta({ id: 'LedgerEntry' });
export type LedgerEntryBody = z.infer<typeof ledgerEntryBody>;
