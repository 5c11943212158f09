import { z } from 'zod';
import { rule, textLike } from './issue.ts';

export const SOURCE_TYPES = ['webdav', 's3', 'local_folder'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

/** `disabled` is switched off, `syncing` has a run that waits or runs, `error` had a failure since its last good run. */
export const SOURCE_STATUSES = ['active', 'syncing', 'error', 'disabled'] as const;
export type SourceStatus = (typeof SOURCE_STATUSES)[number];

/** Why a source does not do what it should. */
export const SOURCE_ERROR_CODES = [
  /** 401, 403, a wrong key or signature. */
  'unauthorized',
  /** The root or the file is not there. */
  'not_found',
  /** No connection, no such name. */
  'unreachable',
  /** The file is another one than was listed. The next listing tells. */
  'changed',
  'timeout',
  /** 429, 503 with Retry-After, SlowDown. */
  'throttled',
  /** Other answers of 500 and above. */
  'server_error',
  /** The server does not speak the protocol, or not sensibly: garbage, contradictions, a body of the wrong length. */
  'protocol',
  /** More entries, deeper folders or longer names than anybody has. */
  'too_large',
  /** Our own rules forbid it: an address, a redirect, a path out of the root. Nothing was sent. */
  'refused',
] as const;
export type SourceErrorCode = (typeof SOURCE_ERROR_CODES)[number];

/** Why a run over a source failed, or a look at it: what its driver says, or `failed` for what went wrong here. */
export const SOURCE_PROBLEMS = [...SOURCE_ERROR_CODES, 'failed'] as const;
export type SourceProblem = (typeof SOURCE_PROBLEMS)[number];

/** What else is said of a source. */
export const SOURCE_FINDINGS = ['reachable', 'answers', 'no_files', 'slow_listing', 'not_checked', 'switched_off'] as const;
export type SourceFinding = (typeof SOURCE_FINDINGS)[number];

/** How far a run over a source has come. */
export const RUN_STATES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type RunState = (typeof RUN_STATES)[number];

export const RUN_TRIGGERS = ['schedule', 'manual'] as const;
export type RunTrigger = (typeof RUN_TRIGGERS)[number];

/** What happens here to the document of a file that is gone at the source. */
export const REMOTE_DELETE_RULES = ['keep', 'delete'] as const;
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
