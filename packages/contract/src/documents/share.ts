import { DEFAULT_SHARE_DAYS, SHARE_PASSWORD_CHARACTERS } from '@sheaf/vocabulary/limits';
import { SHARE_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { rule } from '../issue.ts';
import { pageQuery, rowId, sortQuery } from '../page.ts';

const { minimum, maximum } = SHARE_PASSWORD_CHARACTERS;

export const createShareRequest = z
  .strictObject({
    expires_at: z.iso
      .datetime({ offset: true })
      .optional()
      .describe(
        `When the link stops working, at most SHARE_MAX_DAYS from now; after ${DEFAULT_SHARE_DAYS} days, or SHARE_MAX_DAYS if that is less, by default`,
      ),
    password: z
      .string()
      .min(minimum)
      .max(maximum)
      .refine((text) => !text.includes('\0') && text.isWellFormed(), rule('nul'))
      .nullable()
      .optional()
      .describe(`${minimum} to ${maximum} characters that visitors must enter; none by default`),
    allow_download: z
      .boolean()
      .default(false)
      .describe('Whether visitors can download the original file; otherwise they see pages and text only'),
  })
  .meta({ id: 'CreateShare' });

export const createdShareBody = z
  .strictObject({
    id: z.uuid(),
    url: z.url().describe('Contains the token of the link, which is returned only once'),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'CreatedShare' });
export type CreatedShareBody = z.infer<typeof createdShareBody>;

export const shareBody = z
  .strictObject({
    id: z.uuid(),
    state: z.enum(['active', 'expired', 'revoked']),
    document_id: z.uuid().nullable(),
    saved_search_id: z.uuid().nullable(),
    title: z.string().nullable().describe('Title of the document or name of the saved search; null if you cannot see it'),
    has_password: z.boolean(),
    allow_download: z.boolean(),
    access_count: z.int().describe('How often its page was opened or a file downloaded'),
    last_accessed_at: z.iso.datetime().nullable(),
    expires_at: z.iso.datetime(),
    created_by: z.strictObject({ id: z.uuid(), name: z.string() }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Share' });
export type ShareBody = z.infer<typeof shareBody>;

export const shareListQuery = pageQuery.extend({
  document_id: rowId.optional().describe('Only links to this document'),
  active: z.stringbool().optional().describe('Only links that are neither expired nor revoked, or only the others'),
  ...sortQuery(SHARE_SORT_FIELDS, { sort: 'created_at', order: 'desc' }),
});
