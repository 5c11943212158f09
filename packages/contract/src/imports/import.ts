import { ERROR_REASONS } from '@sheaf/vocabulary/error-codes';
import {
  IMPORT_KINDS,
  IMPORT_NAME,
  IMPORT_PHASES,
  IMPORT_STATES,
  MAX_SHOWN_IMPORT_LINES,
  REQUESTED_IMPORT_KINDS,
} from '@sheaf/vocabulary/imports';
import { IMPORT_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { pageQuery, sortQuery } from '../page.ts';

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
