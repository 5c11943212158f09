import { REMOTE_DELETE_RULES, type SourceType } from '@sheaf/vocabulary';
import { z } from 'zod';
import { rule, textLike } from './issue.ts';

const onRemoteDelete = z
  .enum(REMOTE_DELETE_RULES)
  .optional()
  .describe('What becomes of the document when its file is gone at the source: keep (default) marks it, delete deletes it');

export const hasNoControl = (text: string): boolean => !/\p{Cc}/u.test(text);
export const NO_CONTROL = rule('control_characters', 'must not have control characters');

/** What is wrong with an address of a source; undefined when nothing is. */
const refusalOfAddress = (text: string): ReturnType<typeof rule> | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return rule('not_address', 'must be an address that begins with https:// or http://');
  if (url.username !== '' || url.password !== '')
    return rule('credentials_in_address', 'must not hold a user name or a password; they have fields of their own');
  return /[?#]/.test(text) ? rule('query_in_address', 'must not have a part that begins with ? or #') : undefined;
};

/** An address that files are fetched from. Credentials, a query and a fragment have no place in it. */
export const sourceAddress = z
  .string()
  .max(2_000)
  .refine(hasNoControl, NO_CONTROL)
  .superRefine((text, context) => {
    const refusal = refusalOfAddress(text);
    if (refusal !== undefined) context.addIssue({ code: 'custom', message: refusal.error, params: refusal.params });
  })
  .describe('https:// or http://, without credentials, query and fragment');

export const webdavSettings = z.strictObject({ on_remote_delete: onRemoteDelete }).meta({ id: 'WebdavSettings' });
export const s3Settings = z
  .strictObject({
    bucket: textLike(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/,
      'not_bucket',
      'must be the name of a bucket: letters, digits, dots, dashes, underscores',
    ),
    region: textLike(/^[a-z0-9-]{1,64}$/, 'not_region', 'must be a region such as eu-central-1')
      .optional()
      .describe('us-east-1 where none is given'),
    endpoint_url: sourceAddress.optional().describe('Of a store that is not the one of Amazon'),
    prefix: z.string().max(900).refine(hasNoControl, NO_CONTROL).optional().describe('The folder in the bucket'),
    force_path_style: z
      .boolean()
      .optional()
      .describe('Whether the bucket stands in the path of the address; true where an endpoint_url is given and nothing is said'),
    on_remote_delete: onRemoteDelete,
  })
  .meta({ id: 'S3Settings' });
export const localFolderSettings = z
  .strictObject({
    path: textLike(/^\//, 'not_absolute_path', 'must be an absolute path', z.string().max(4_000).refine(hasNoControl, NO_CONTROL)).describe(
      'A folder of the server, inside LOCAL_SOURCE_ROOTS',
    ),
    on_remote_delete: onRemoteDelete,
  })
  .meta({ id: 'LocalFolderSettings' });

/** What `settings` of a source of each type may hold. */
export const SETTINGS_BY_TYPE = { webdav: webdavSettings, s3: s3Settings, local_folder: localFolderSettings } as const satisfies Record<
  SourceType,
  z.ZodType
>;

/** The settings of a source of any type, as they are kept. */
export type SourceSettings = Partial<z.infer<typeof s3Settings> & z.infer<typeof localFolderSettings>>;
