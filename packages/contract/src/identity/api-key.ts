import { KEY_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { pageQuery, sortQuery } from '../page.ts';

export const keyListQuery = pageQuery.extend(sortQuery(KEY_SORT_FIELDS, { sort: 'created_at', order: 'desc' }));

export const createKeyRequest = z
  .strictObject({
    name: z.string().trim().min(1).max(100),
    scope: z
      .array(z.string().max(100))
      .min(1)
      .max(100)
      .describe(
        'Permissions such as `documents.read`, limited to those of the owner. `*` excludes `documents.share`, `users.create` and `users.update`, which must be listed explicitly',
      ),
    expires_in_days: z.int().min(1).max(3_650).optional().describe('At most API_KEY_EXPIRY_DAYS, the default'),
  })
  .meta({ id: 'CreateApiKeyRequest' });

const keyFields = {
  id: z.uuid(),
  name: z.string(),
  scope: z.array(z.string()),
  prefix: z.string().describe('Prefix of the key'),
  expires_at: z.iso.datetime(),
  created_at: z.iso.datetime(),
};

/** `key` is shown this once. */
export const createdKeyBody = z.strictObject({ ...keyFields, key: z.string() }).meta({ id: 'CreatedApiKey' });

export const keyBody = z
  .strictObject({
    ...keyFields,
    owner: z.string().describe('User name'),
    last_used_at: z.iso.datetime().nullable().describe('Accurate to the minute'),
  })
  .meta({ id: 'ApiKey' });
export type KeyBody = z.infer<typeof keyBody>;
