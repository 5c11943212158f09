import { z } from 'zod';

export const createKeyRequest = z
  .strictObject({
    name: z.string().trim().min(1).max(100),
    scope: z
      .array(z.string().max(100))
      .min(1)
      .max(100)
      .describe(
        'Permissions such as `documents.read`; what the owner may not do, the key may not do either. `*` leaves out `users.create` and `users.update`, which have to be named',
      ),
  })
  .meta({ id: 'CreateApiKeyRequest' });

const keyFields = {
  id: z.uuid(),
  name: z.string(),
  scope: z.array(z.string()),
  prefix: z.string().describe('How the key begins'),
  expires_at: z.iso.datetime(),
  created_at: z.iso.datetime(),
};

/** `key` is shown this once. */
export const createdKeyBody = z.strictObject({ ...keyFields, key: z.string() }).meta({ id: 'CreatedApiKey' });

export const keyBody = z
  .strictObject({
    ...keyFields,
    owner: z.string().describe('Name of the user'),
    last_used_at: z.iso.datetime().nullable().describe('To the minute'),
  })
  .meta({ id: 'ApiKey' });
export type KeyBody = z.infer<typeof keyBody>;
