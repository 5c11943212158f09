import { REMOTE_DELETE_RULES, type SourceType } from '@sheaf/vocabulary/sources';
import { z } from 'zod';
import { rule, textLike } from '../issue.ts';
import { barcodeSettings } from './barcode-settings.ts';
import { hasNoControl, NO_CONTROL } from './no-control.ts';

const onRemoteDelete = z
  .enum(REMOTE_DELETE_RULES)
  .optional()
  .describe('What happens to the document when its file is removed at the source: keep (default) marks it, delete deletes it');

/** What is wrong with an address of a source; undefined when nothing is. */
const refusalOfAddress = (text: string): ReturnType<typeof rule> | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return rule('not_address');
  if (url.username !== '' || url.password !== '') return rule('credentials_in_address');
  return /[?#]/.test(text) ? rule('query_in_address') : undefined;
};

/** The folder of a file:// URL on this machine, or of an absolute path; undefined for anything else. */
export const folderOf = (address: string): string | undefined => {
  if (address.startsWith('/')) return hasNoControl(address) ? address : undefined;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== 'file:' || url.host !== '' || url.search !== '' || url.hash !== '') return undefined;
  try {
    const path = decodeURIComponent(url.pathname);
    return hasNoControl(path) ? path : undefined;
  } catch {
    return undefined;
  }
};

/** What GET answers as the address of a source of some type, or a folder. */
export const anySourceAddress = z
  .string()
  .max(4_000)
  .refine(hasNoControl, NO_CONTROL)
  .refine((text) => folderOf(text) !== undefined || text.startsWith('s3://') || refusalOfAddress(text) === undefined, rule('not_address'))
  .describe('For webdav an https:// or http:// URL; for local_folder file:///path or /path. For s3 the place follows from `settings`');

/** An address that files are fetched from. Credentials, a query and a fragment have no place in it. */
export const sourceAddress = z
  .string()
  .max(2_000)
  .refine(hasNoControl, NO_CONTROL)
  .superRefine((text, context) => {
    const refusal = refusalOfAddress(text);
    if (refusal !== undefined) context.addIssue({ code: 'custom', message: refusal.error, params: refusal.params });
  })
  .describe('https:// or http:// URL without credentials, query string and fragment');

export const webdavSettings = z
  .strictObject({ on_remote_delete: onRemoteDelete, barcodes: barcodeSettings.optional() })
  .meta({ id: 'WebdavSettings' });
export const s3Settings = z
  .strictObject({
    bucket: textLike(/^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/, 'not_bucket'),
    region: textLike(/^[a-z0-9-]{1,64}$/, 'not_region')
      .optional()
      .describe('Default: us-east-1'),
    endpoint_url: sourceAddress.optional().describe('Endpoint URL of an S3-compatible service'),
    prefix: z.string().max(900).refine(hasNoControl, NO_CONTROL).optional().describe('Key prefix in the bucket'),
    force_path_style: z.boolean().optional().describe('Use path-style addressing; default: true with endpoint_url'),
    on_remote_delete: onRemoteDelete,
    barcodes: barcodeSettings.optional(),
  })
  .meta({ id: 'S3Settings' });
export const localFolderSettings = z
  .strictObject({
    path: textLike(/^\//, 'not_absolute_path', z.string().max(4_000).refine(hasNoControl, NO_CONTROL)).describe(
      'Folder on the server, inside LOCAL_SOURCE_ROOTS',
    ),
    on_remote_delete: onRemoteDelete,
    barcodes: barcodeSettings.optional(),
  })
  .meta({ id: 'LocalFolderSettings' });

/** What `settings` of a source of each type may hold. */
export const SETTINGS_BY_TYPE = { webdav: webdavSettings, s3: s3Settings, local_folder: localFolderSettings } as const satisfies Record<
  SourceType,
  z.ZodType
>;

/** The settings of a source of any type, as they are kept. */
export type SourceSettings = Partial<z.infer<typeof s3Settings> & z.infer<typeof localFolderSettings>>;
