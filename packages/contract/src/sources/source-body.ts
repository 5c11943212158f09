import { HEALTH_STATUSES } from '@sheaf/vocabulary/health';
import { SOURCE_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import {
  REMOTE_DELETE_RULES,
  SOURCE_FINDINGS,
  SOURCE_PROBLEMS,
  SOURCE_STATUSES,
  SOURCE_TYPES,
  type SourceType,
} from '@sheaf/vocabulary/sources';
import { z } from 'zod';
import { rule, textLike } from '../issue.ts';
import { pageQuery, rowId } from '../page.ts';

const hasNoControl = (text: string): boolean => !/\p{Cc}/u.test(text);
const NO_CONTROL = rule('control_characters');

const MAX_TEXT_CHARACTERS = 100;

const codeText = (meaning: string) =>
  z.string().trim().max(MAX_TEXT_CHARACTERS).refine(hasNoControl, NO_CONTROL).optional().describe(meaning);

/** What barcodes on pages mean for the files of one source or watch folder; what is not given is as the variables have it. */
const barcodeSettings = z
  .strictObject({
    enabled: z.boolean().optional().describe('Whether barcodes are read; default: BARCODE_ENABLED'),
    separator: codeText('Text of a separator sheet; default: BARCODE_SEPARATOR, empty: no sheet splits'),
    keep_separator: z.boolean().optional().describe('Whether separator sheets are kept; default: BARCODE_KEEP_SEPARATOR'),
    asn_prefix: codeText('Prefix of archive numbers; default: BARCODE_ASN_PREFIX, empty: none is read'),
    label_prefix: codeText('Prefix of labels; default: BARCODE_LABEL_PREFIX, empty: none is read'),
  })
  .meta({ id: 'BarcodeSettings' });
export type BarcodeSettings = z.infer<typeof barcodeSettings>;

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
const anySourceAddress = z
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

const MAX_NAME_CHARACTERS = 200;
const MAX_PATTERNS = 50;
const MAX_PATTERN_CHARACTERS = 200;
const MIN_INTERVAL_SECONDS = 60;
const MAX_INTERVAL_SECONDS = 30 * 86_400;
/** Choice: where nothing is said, once an hour. */
const DEFAULT_INTERVAL_SECONDS = 3_600;

/** Characters as PostgreSQL and people count them, not the halves that JavaScript sees. */
const characters = (text: string): number => Array.from(text).length;

const sourceName = z
  .string()
  .trim()
  .normalize('NFC')
  .refine(
    (name) => characters(name) >= 1 && characters(name) <= MAX_NAME_CHARACTERS,
    rule('length_between', { minimum: 1, maximum: MAX_NAME_CHARACTERS }),
  )
  .refine(hasNoControl, NO_CONTROL);

const syncInterval = z
  .int()
  .refine(
    (seconds) => seconds === 0 || (seconds >= MIN_INTERVAL_SECONDS && seconds <= MAX_INTERVAL_SECONDS),
    rule('interval_between', {
      minimum_seconds: MIN_INTERVAL_SECONDS,
      maximum_seconds: MAX_INTERVAL_SECONDS,
    }),
  )
  .describe('Seconds between two sync runs; 0: manual only');

/** `+(a|b)` and its like would let a pattern take as long as it wants to say no. */
const filePattern = z
  .string()
  .min(1)
  .max(MAX_PATTERN_CHARACTERS)
  .refine(hasNoControl, NO_CONTROL)
  .refine((pattern) => !/[@?!+*]\(/.test(pattern), rule('pattern_group'))
  .refine((pattern) => findOpenBracket(pattern) === undefined, rule('pattern_open'));
const filePatterns = z
  .array(filePattern)
  .min(1)
  .max(MAX_PATTERNS)
  .describe(
    'Glob patterns of files to import, as in WATCH_FILE_PATTERNS: *.pdf matches in every folder, invoices/** matches the full path',
  );

const username = z.string().min(1).max(255).refine(hasNoControl, NO_CONTROL);
const webdavUsername = username.refine((name) => !name.includes(':'), rule('colon'));
const password = z.string().min(1).max(1_024);

const ofRule = (code: 'required' | 'other_folder') => {
  const { error, params } = rule(code);
  return { message: error, params };
};

const common = {
  name: sourceName,
  sync_interval: syncInterval.default(DEFAULT_INTERVAL_SECONDS),
  recursive: z.boolean().default(true).describe('Whether subfolders are included'),
  file_patterns: filePatterns.default(['*']),
  enabled: z.boolean().default(true),
};

const createWebdavSource = z
  .strictObject({
    ...common,
    type: z.literal('webdav'),
    url: sourceAddress,
    username: webdavUsername.optional(),
    password: password.optional(),
    settings: webdavSettings.default({}),
  })
  .refine((source) => source.password === undefined || source.username !== undefined, {
    path: ['username'],
    ...rule('needed_with_password'),
  })
  .meta({ id: 'CreateWebdavSource' });

const createS3Source = z
  .strictObject({
    ...common,
    type: z.literal('s3'),
    username: username.describe('Access key ID'),
    password: password.describe('Secret access key'),
    settings: s3Settings,
  })
  .meta({ id: 'CreateS3Source' });

/** The folder stands in `settings.path` or in `url`. */
const createLocalFolderSource = z
  .strictObject({
    ...common,
    type: z.literal('local_folder'),
    url: z
      .string()
      .max(4_000)
      .refine((url) => folderOf(url) !== undefined, rule('not_absolute_path'))
      .optional()
      .describe('Instead of `settings.path`: file:///path or /path'),
    settings: localFolderSettings.partial({ path: true }).optional(),
  })
  .transform(({ url, settings = {}, ...source }, context) => {
    const path = url === undefined ? settings.path : folderOf(url);
    if (path === undefined) context.addIssue({ code: 'custom', path: ['settings'], ...ofRule('required') });
    else if (settings.path !== undefined && settings.path !== path)
      context.addIssue({ code: 'custom', path: ['url'], ...ofRule('other_folder') });
    return { ...source, settings: { ...settings, path: path ?? '/' } };
  })
  .meta({ id: 'CreateLocalFolderSource' });

export const createSourceRequest = z
  .discriminatedUnion('type', [createWebdavSource, createS3Source, createLocalFolderSource])
  .meta({ id: 'CreateSource' });
export type CreateSourceRequest = z.infer<typeof createSourceRequest>;

const changes = {
  name: sourceName.optional(),
  url: anySourceAddress.optional(),
  username: username.nullable().optional(),
  password: password.nullable().optional().describe('Unchanged if omitted, removed by null. Required again when the URL changes'),
  sync_interval: syncInterval.optional(),
  recursive: z.boolean().optional(),
  file_patterns: filePatterns.optional(),
  settings: z.record(z.string(), z.unknown()).optional().describe('As in the create request, by type; replaces all settings'),
  enabled: z.boolean().optional(),
};

/** Only what is given changes. */
export const updateSourceRequest = z.strictObject(changes).meta({ id: 'UpdateSource' });
export type UpdateSourceRequest = z.infer<typeof updateSourceRequest>;

export const testSourceRequest = z
  .strictObject({
    id: rowId.optional().describe('ID of an existing source; other fields override its values for the test'),
    type: z.enum(SOURCE_TYPES).optional(),
    ...changes,
  })
  .refine(({ id, type }) => (id === undefined) !== (type === undefined), {
    path: ['type'],
    error: 'set either the ID of a source, or a type with its settings',
  })
  .meta({ id: 'TestSource' });
export type TestSourceRequest = z.infer<typeof testSourceRequest>;

export const sourceListQuery = pageQuery.extend({
  sort: z.enum(SOURCE_SORT_FIELDS).default('created_at'),
  order: z.enum(['asc', 'desc']).default('asc'),
});

export const sourceBody = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    type: z.enum(SOURCE_TYPES),
    url: z
      .string()
      .nullable()
      .describe('URL of the files: https:// for webdav, s3://bucket/prefix for s3, file:// for local_folder; see `settings`'),
    status: z
      .enum(SOURCE_STATUSES)
      .describe('disabled: turned off; syncing: a run is queued or running; error: failed since the last successful run; active otherwise'),
    last_sync: z.iso.datetime().nullable().describe('End of the last successful run'),
    next_sync: z.iso.datetime().nullable().describe('null: manual only'),
    document_count: z.int().describe('Documents from this source that the caller can see'),
    owner_id: z.uuid(),
    sync_interval: z.int(),
    recursive: z.boolean(),
    file_patterns: z.array(z.string()),
    settings: z.union([webdavSettings, s3Settings, localFolderSettings]),
    username: z.string().nullable(),
    has_secret: z.boolean().describe('Whether a password or secret key is stored; it is never returned'),
    enabled: z.boolean(),
    last_error: z.string().nullable().describe('Error message of the last failed run'),
    last_error_code: z.enum(SOURCE_PROBLEMS).nullable().describe('Machine-readable code; null if unknown'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Source' });
export type SourceBody = z.infer<typeof sourceBody>;

export const sourceTestBody = z
  .strictObject({
    success: z.boolean(),
    code: z.enum([...SOURCE_PROBLEMS, ...SOURCE_FINDINGS]).describe('Machine-readable result'),
    message: z.string(),
    duration_ms: z.int(),
    sample: z.array(z.string()).max(5).optional().describe('Paths of some files found'),
  })
  .meta({ id: 'SourceTest' });
export type SourceTestBody = z.infer<typeof sourceTestBody>;

/** What a caller learns of the last run: one that waits counts as running, one that ended well as idle. */
const SYNC_STATES = ['idle', 'running', 'failed', 'cancelled'] as const;
export type SyncState = (typeof SYNC_STATES)[number];

export const syncStatusBody = z
  .strictObject({
    source_id: z.uuid(),
    state: z.enum(SYNC_STATES).describe('idle: never ran, or the last run succeeded; running: a run is queued or running'),
    job_id: z.uuid().nullable().describe('Last run; null before the first run'),
    started_at: z.iso.datetime().nullable(),
    finished_at: z.iso.datetime().nullable(),
    processed: z.int(),
    total: z.int(),
    added: z.int(),
    updated: z.int(),
    moved: z.int(),
    removed: z.int(),
    skipped: z.int(),
    failed: z.int(),
    bytes: z.int(),
    current_file: z.string().nullable(),
    error: z.string().nullable(),
    error_code: z.enum(SOURCE_PROBLEMS).nullable().describe('Machine-readable error code; null if unknown'),
  })
  .meta({ id: 'SyncStatus' });
export type SyncStatusBody = z.infer<typeof syncStatusBody>;

export const sourceHealthBody = z
  .strictObject({
    source_id: z.uuid(),
    name: z.string(),
    status: z
      .enum(HEALTH_STATUSES)
      .describe('unhealthy: not reachable; warning: runs fail; healthy otherwise, also while disabled or not checked'),
    code: z
      .enum([...SOURCE_PROBLEMS, ...SOURCE_FINDINGS])
      .nullable()
      .describe('Machine-readable code of the message; null if unknown'),
    message: z.string(),
    last_check: z.iso.datetime().nullable(),
    last_sync: z.iso.datetime().nullable(),
    next_sync: z.iso.datetime().nullable(),
    failures: z.int().describe('Consecutive failed runs'),
  })
  .meta({ id: 'SourceHealth' });
export type SourceHealthBody = z.infer<typeof sourceHealthBody>;

const CLASS_START = /^\[[!^]?\]?/;

/** How far the class of characters that begins at `start` goes; undefined where it has no end. */
const endOfClass = (pattern: string, start: number): number | undefined => {
  const inner = start + (CLASS_START.exec(pattern.slice(start, start + 3))?.[0].length ?? 1);
  for (let at = inner; at < pattern.length; at += 1) {
    if (pattern[at] === '\\') at += 1;
    else if (pattern[at] === ']') return at;
  }
  return undefined;
};

/**
 * The bracket or brace of a file name pattern that is opened and never closed, such as that of `[a` or `{a`: it would be taken for a
 * letter, and match nothing that anybody meant. One behind a backslash is a letter.
 */
export const findOpenBracket = (pattern: string): '[' | '{' | '(' | undefined => {
  const open: ('{' | '(')[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === '\\') at += 1;
    else if (character === '[') {
      const end = endOfClass(pattern, at);
      if (end === undefined) return '[';
      at = end;
    } else if (character === '{') open.push('{');
    else if (character === '(' && /[@?!+*]/.test(pattern[at - 1] ?? '')) open.push('(');
    else if ((character === '}' && open.at(-1) === '{') || (character === ')' && open.at(-1) === '(')) open.pop();
  }
  return open[0];
};
