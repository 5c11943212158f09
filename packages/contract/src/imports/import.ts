import type { MessageKey, NeededArguments } from '@sheaf/messages';
import { englishTranslator } from '@sheaf/messages/english';
import { INGEST_ROUTES, LEDGER_STATES } from '@sheaf/vocabulary/documents';
import { ERROR_REASONS } from '@sheaf/vocabulary/error-codes';
import {
  IMPORT_KINDS,
  IMPORT_NAME,
  IMPORT_PHASES,
  IMPORT_STATES,
  MAX_SHOWN_IMPORT_LINES,
  REQUESTED_IMPORT_KINDS,
} from '@sheaf/vocabulary/imports';
import { LEDGER_REASON_CODES, type LedgerReason, type LedgerReasonCode, type LedgerReasonDetails } from '@sheaf/vocabulary/ledger-reasons';
import { IMPORT_SORT_FIELDS, LEDGER_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { moment } from '../moment.ts';
import { containedText, pageQuery, rowId, sortQuery } from '../page.ts';

/** Where the message of a code stands: a file that is refused has the message of the error. */
type KeyOf<C extends LedgerReasonCode> = `importLog.${C}` extends MessageKey ? `importLog.${C}` : `errors.${C}`;

/** What a message shows stands among the details; they may be left out where it shows nothing. */
type DetailsOf<C extends LedgerReasonCode> = [NeededArguments<KeyOf<C>>] extends [never]
  ? [details?: LedgerReasonDetails]
  : [details: LedgerReasonDetails & Readonly<Record<NeededArguments<KeyOf<C>>, unknown>>];

/** Why a file is in its state, with the English message that the catalogue has for the code. */
export const ledgerReason = <C extends LedgerReasonCode>(
  code: C,
  ...[details = {}]: DetailsOf<C>
): LedgerReason & { readonly code: C } => ({
  code,
  message: messageOf(code, details),
  details,
});

/** The same for a code that is known at run time only. */
export const ledgerReasonOf = (code: LedgerReasonCode, details: LedgerReasonDetails): LedgerReason => ({
  code,
  message: messageOf(code, details),
  details,
});

const messageOf = (code: LedgerReasonCode, details: LedgerReasonDetails): string => {
  const { find } = englishTranslator();
  return find(`importLog.${code}`, details) ?? find(`errors.${code}`, details) ?? code;
};

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

const count = z.int().nonnegative();
const MAX_PATH_CHARACTERS = 4_096;
const MAX_OPTION_CHARACTERS = 1_000;

/** How something is imported. */
export const importOptions = z.strictObject({
  name: z
    .string()
    .regex(IMPORT_NAME)
    .optional()
    .describe('What the other system is called here, as in `paperless:123`; use another name for each installation. Default: the kind'),
  owner: z.string().max(100).optional().describe('Username of who gets documents without an owner. Default: the caller'),
  dry_run: z.boolean().default(false).describe('Nothing is written; the report says what would be imported'),
  passphrase: z.string().min(1).max(MAX_OPTION_CHARACTERS).optional().describe('Of an encrypted export; only with `paperless`'),
  pattern: z
    .string()
    .max(MAX_OPTION_CHARACTERS)
    .optional()
    .describe('What the parts of paths are, such as `{correspondent}/{year}/{title}`; only with `folder`'),
});

/** What is imported from the server. */
export const importOrder = importOptions.extend({
  kind: z.enum(REQUESTED_IMPORT_KINDS),
  path: z.string().min(1).max(MAX_PATH_CHARACTERS).describe('Folder or file on the server, inside a folder of IMPORT_ROOTS'),
});

/** What is imported from an uploaded file: the fields of a form are text. */
export const importForm = importOptions.extend({
  kind: z.enum(REQUESTED_IMPORT_KINDS),
  dry_run: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
});

export const importListQuery = pageQuery.extend(sortQuery(IMPORT_SORT_FIELDS, { sort: 'created_at', order: 'desc' }));

const importCounts = z.strictObject({
  documents: z.strictObject({ imported: count, skipped: count, failed: count }),
  already_imported: count.describe('Of the skipped documents: those of an earlier import'),
  queued: count.describe('Documents without text, which are processed in the background'),
  checksums: z.strictObject({ verified: count, wrong: count }),
  labels: count,
  correspondents: count,
  document_types: count,
  fields: count,
  field_values: count,
  users: count,
  notes: count,
  saved_searches: count,
  rules: count,
  not_imported: count.describe('Lines of the report'),
});

const importFields = {
  id: z.uuid(),
  kind: z.enum(IMPORT_KINDS),
  name: z.string().describe('What the other system is called here'),
  state: z.enum(IMPORT_STATES),
  is_dry_run: z.boolean(),
  path: z.string().nullable().describe('On the server; null for an uploaded file and for imports of the command line'),
  filename: z.string().nullable().describe('Of an uploaded file'),
  phase: z.enum(IMPORT_PHASES).nullable().describe('What is being done; null unless it is running'),
  done: count.describe('Documents that were imported, skipped or failed'),
  total: count.nullable().describe('Documents there are; null where this is not known before the end'),
  counts: importCounts.nullable().describe('What was imported; null before the end'),
  error: z.string().nullable().describe('Why it failed'),
  error_code: z
    .enum(ERROR_REASONS)
    .nullable()
    .describe('Reason of `error` for programs, such as `requester_key_gone`; null where it has none'),
  can_start: z.boolean().describe('Whether POST /api/imports/{id}/start works: it is a dry run, or failed'),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  finished_at: z.iso.datetime().nullable(),
};

export const importBody = z.strictObject(importFields).meta({ id: 'Import' });
export type ImportBody = z.infer<typeof importBody>;

const notImportedBody = z.strictObject({
  kind: z.string(),
  name: z.string(),
  document: z.string().nullable().describe('ID of its document in the other system, such as `paperless:123`'),
  reason: z.string(),
});
export type NotImportedBody = z.infer<typeof notImportedBody>;

export const importDetailsBody = z
  .strictObject({
    ...importFields,
    not_imported: z
      .array(notImportedBody)
      .describe(`The first ${MAX_SHOWN_IMPORT_LINES} things that were not imported, or not as they were; see GET /api/imports/{id}/report`),
  })
  .meta({ id: 'ImportDetails' });
export type ImportDetailsBody = z.infer<typeof importDetailsBody>;
