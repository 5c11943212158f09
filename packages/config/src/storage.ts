import { join, resolve } from 'node:path';
import { type Secret, stripBoth, stripEnd } from '@sheaf/contract';
import type { RawValues, Values } from './parse.ts';
import type { VariableName } from './variables.ts';
import { folderRelation } from './watch-checks.ts';

export interface S3StorageConfig {
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  readonly region: string;
  /** Always with http:// or https://; undefined: Amazon's own, over https. */
  readonly endpointUrl: string | undefined;
  readonly forcePathStyle: boolean;
  /** '' or ending with a slash. */
  readonly prefix: string;
  readonly verifyCertificate: boolean;
  readonly storageClass: Values['S3_STORAGE_CLASS'];
  readonly encryption: Values['S3_SERVER_SIDE_ENCRYPTION'];
  readonly kmsKeyId: string | undefined;
}

export interface AzureStorageConfig {
  readonly connectionString: Secret;
  readonly container: string;
}

/** Which storage takes new documents: `STORAGE_TYPE`, or S3 where only `S3_ENABLED` says so. */
export const storageType = (v: Pick<Partial<Values>, 'STORAGE_TYPE' | 'S3_ENABLED'>, raw: RawValues): Values['STORAGE_TYPE'] =>
  v.S3_ENABLED === true && (raw.STORAGE_TYPE?.origin ?? 'default') === 'default' ? 's3' : (v.STORAGE_TYPE ?? 'local');

const endpointOf = ({ S3_ENDPOINT_URL: endpoint, S3_USE_SSL, S3_REGION }: Values): string | undefined => {
  if (endpoint === undefined) return S3_USE_SSL ? undefined : `http://s3.${S3_REGION}.amazonaws.com`;
  const url = endpoint.includes('://') ? endpoint : `${S3_USE_SSL ? 'https' : 'http'}://${endpoint}`;
  return stripEnd(url, '/');
};

const folderOf = (prefix = ''): string => {
  const inner = stripBoth(prefix, '/');
  return inner === '' ? '' : `${inner}/`;
};

const NEEDED_FOR_S3 = ['S3_BUCKET_NAME', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

/** Also where it is not the storage of new documents: while documents are moved there are two. */
const s3Config = (v: Values): S3StorageConfig | undefined =>
  v.S3_BUCKET_NAME === undefined || v.S3_ACCESS_KEY_ID === undefined || v.S3_SECRET_ACCESS_KEY === undefined
    ? undefined
    : {
        bucket: v.S3_BUCKET_NAME,
        accessKeyId: v.S3_ACCESS_KEY_ID,
        secretAccessKey: v.S3_SECRET_ACCESS_KEY,
        region: v.S3_REGION,
        endpointUrl: endpointOf(v),
        forcePathStyle: v.S3_FORCE_PATH_STYLE ?? v.S3_ENDPOINT_URL !== undefined,
        prefix: folderOf(v.S3_PREFIX),
        verifyCertificate: v.S3_VERIFY_SSL,
        storageClass: v.S3_STORAGE_CLASS,
        encryption: v.S3_SERVER_SIDE_ENCRYPTION,
        kmsKeyId: v.S3_KMS_KEY_ID,
      };

const azureConfig = (v: Values): AzureStorageConfig | undefined =>
  v.AZURE_STORAGE_CONNECTION_STRING === undefined || v.AZURE_STORAGE_CONTAINER === undefined
    ? undefined
    : { connectionString: v.AZURE_STORAGE_CONNECTION_STRING, container: v.AZURE_STORAGE_CONTAINER };

/** Folders below UPLOAD_PATH unless they are set. */
const BELOW_UPLOADS = { TEMP_STORAGE_PATH: 'temp', THUMBNAIL_PATH: 'thumbnails', BACKUP_PATH: 'backups' } as const;
export type FolderBelowUploads = keyof typeof BELOW_UPLOADS;

export const folderBelowUploads = (
  variable: FolderBelowUploads,
  v: Pick<Values, 'UPLOAD_PATH'> & Partial<Pick<Values, FolderBelowUploads>>,
): string => resolve(v[variable] ?? join(v.UPLOAD_PATH, BELOW_UPLOADS[variable]));

export const storageConfig = (v: Values, raw: RawValues) => {
  const path = resolve(v.UPLOAD_PATH);
  return {
    /** Where new documents go. The other ones that are configured are read from as well. */
    type: storageType(v, raw),
    path,
    tempPath: folderBelowUploads('TEMP_STORAGE_PATH', v),
    thumbnailPath: folderBelowUploads('THUMBNAIL_PATH', v),
    /** Of all stored thumbnails. */
    thumbnailCacheBytes: v.THUMBNAIL_CACHE_MB * 1024 ** 2,
    /** Of archives of other systems that were uploaded to be imported. */
    importPath: join(path, 'imports'),
    /** Of all stored searchable PDFs. */
    searchableCacheBytes: v.SEARCHABLE_PDF_CACHE_MB * 1024 ** 2,
    backupPath: folderBelowUploads('BACKUP_PATH', v),
    s3: s3Config(v),
    /** Variables without which there is no `s3`. */
    s3Missing: NEEDED_FOR_S3.filter((name) => v[name] === undefined),
    azure: azureConfig(v),
    /** Undefined: the stored files are not read again. */
    trashRetentionMs: v.TRASH_RETENTION_DAYS * 24 * 3_600_000,
    scrubPeriodMs: v.STORAGE_SCRUB_DAYS === 0 ? undefined : v.STORAGE_SCRUB_DAYS * 24 * 3_600_000,
  };
};

/** Where stored documents are found with this configuration, the place of new ones first: for people, and equal for equal places. */
export const storagePlaces = ({
  type,
  path,
  s3,
  azure,
}: Pick<ReturnType<typeof storageConfig>, 'type' | 'path' | 's3' | 'azure'>): string[] => {
  const at = s3?.endpointUrl === undefined ? '' : ` at ${s3.endpointUrl}`;
  const places = {
    local: path,
    s3: s3 && `s3://${s3.bucket}/${s3.prefix}${at}`,
    azure: azure && `azure://${azure.container}/`,
  };
  const all = [places[type], places.local, places.s3, places.azure].filter((place) => place !== undefined);
  return [...new Set(all)];
};

type Check = (values: Partial<Values>, raw: RawValues) => string | undefined;

const isGiven = (variable: keyof Values, raw: RawValues): boolean => (raw[variable]?.origin ?? 'default') !== 'default';

/** Two answers to one question: nobody can know which is meant, and the wrong one would split the documents. */
const checkEnabled: Check = ({ S3_ENABLED, STORAGE_TYPE }, raw) => {
  if (!isGiven('S3_ENABLED', raw) || !isGiven('STORAGE_TYPE', raw) || STORAGE_TYPE === undefined) return undefined;
  return S3_ENABLED === (STORAGE_TYPE === 's3')
    ? undefined
    : `contradicts STORAGE_TYPE=${STORAGE_TYPE}; remove S3_ENABLED; STORAGE_TYPE selects the storage of new documents`;
};

const needsS3 = (values: Partial<Values>, raw: RawValues): boolean => storageType(values, raw) === 's3';

const AZURE_PARTS = ['AZURE_STORAGE_CONNECTION_STRING', 'AZURE_STORAGE_CONTAINER'] as const;
const S3_PARTS = ['S3_BUCKET_NAME', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

const checkS3Part =
  (variable: (typeof S3_PARTS)[number]): Check =>
  (values, raw) =>
    values[variable] === undefined && needsS3(values, raw)
      ? `is required when ${values.S3_ENABLED === true ? 'S3_ENABLED=true' : 'STORAGE_TYPE=s3'}`
      : undefined;

const checkBucket: Check = (values, raw) => {
  const { S3_BUCKET_NAME: bucket } = values;
  if (bucket === undefined) return checkS3Part('S3_BUCKET_NAME')(values, raw);
  return /^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/.test(bucket) ? undefined : 'must be a bucket name without s3:// and slashes';
};

const checkEndpoint: Check = (values, raw) => {
  const { S3_ENDPOINT_URL: endpoint, S3_USE_SSL } = values;
  if (endpoint === undefined || !needsS3(values, raw)) return undefined;
  if (!endpoint.includes('://') || !isGiven('S3_USE_SSL', raw) || S3_USE_SSL === undefined) return undefined;
  return S3_USE_SSL === (new URL(endpoint).protocol === 'https:')
    ? undefined
    : `contradicts S3_USE_SSL=${S3_USE_SSL}; remove S3_USE_SSL; the URL scheme decides`;
};

const checkPrefix: Check = ({ S3_PREFIX: prefix }) => {
  const parts = stripBoth(prefix ?? 'x', '/').split('/');
  const isFolder = parts.every((part) => /^[A-Za-z0-9!_.*'()-]+$/.test(part) && part !== '.' && part !== '..');
  return isFolder ? undefined : "must be a prefix such as archive/sheaf; allowed are letters, digits and ! _ . * ' ( ) -";
};

const checkKmsKey: Check = (values, raw) =>
  values.S3_KMS_KEY_ID === undefined || values.S3_SERVER_SIDE_ENCRYPTION === 'aws:kms' || !needsS3(values, raw)
    ? undefined
    : 'is only used with S3_SERVER_SIDE_ENCRYPTION=aws:kms';

const REQUIRED_BY_AZURE = 'is required when STORAGE_TYPE=azure';

/** Whether it has the parts that a client needs: where the service is, and either a key or a signature. */
const isConnectionString = (text: string): boolean => {
  if (text.startsWith('UseDevelopmentStorage=true')) return true;
  const names = new Set(text.split(';').map((part) => part.split('=', 1)[0]?.trim()));
  const has = (...wanted: readonly string[]): boolean => wanted.every((name) => names.has(name));
  if (has('DefaultEndpointsProtocol', 'AccountName', 'AccountKey')) return has('EndpointSuffix') || has('BlobEndpoint');
  return has('BlobEndpoint', 'SharedAccessSignature');
};

const checkConnectionString: Check = (values, raw) => {
  const { AZURE_STORAGE_CONNECTION_STRING: text } = values;
  if (text === undefined) return storageType(values, raw) === 'azure' ? REQUIRED_BY_AZURE : undefined;
  return isConnectionString(text.reveal())
    ? undefined
    : 'must be a connection string as shown in the Azure portal: DefaultEndpointsProtocol=https;AccountName=...';
};

const checkContainer: Check = (values, raw) => {
  const { AZURE_STORAGE_CONTAINER: container } = values;
  if (container === undefined) return storageType(values, raw) === 'azure' ? REQUIRED_BY_AZURE : undefined;
  return /^[a-z0-9](-?[a-z0-9]){2,62}$/.test(container) ? undefined : 'must be 3 to 63 lower-case letters, digits and single dashes';
};

/** A backup among the stored documents, or where new files are looked for, would be swept away or imported. */
const checkBackupPath: Check = (values) => {
  const { BACKUP_PATH: path, UPLOAD_PATH, TEMP_STORAGE_PATH, THUMBNAIL_PATH, WATCH_FOLDER, USER_WATCH_BASE_DIR } = values;
  if (path === undefined) return undefined;
  const own =
    UPLOAD_PATH === undefined ? [] : ['documents', 'previews', 'thumbnails', 'temp', 'orphans'].map((name) => join(UPLOAD_PATH, name));
  const folders = [...own, TEMP_STORAGE_PATH, THUMBNAIL_PATH, WATCH_FOLDER, USER_WATCH_BASE_DIR].filter((folder) => folder !== undefined);
  const near = folders.find((folder) => ['same', 'inside'].includes(folderRelation(path, folder)));
  if (near !== undefined) return `must not be inside ${near}; choose a separate folder`;
  return UPLOAD_PATH !== undefined && folderRelation(path, UPLOAD_PATH) === 'same'
    ? 'must not be the same folder as UPLOAD_PATH; choose a separate folder'
    : undefined;
};

const listed = (names: readonly string[]): string => names.join(' and ');

/** A line for a storage that is known in part: it is not used, though somebody may believe that documents are read from it. */
const partialNotice = (name: string, parts: readonly VariableName[], values: Partial<Values>): string[] => {
  const [set, missing] = [parts.filter((part) => values[part] !== undefined), parts.filter((part) => values[part] === undefined)];
  if (set.length === 0 || missing.length === 0) return [];
  return [`${listed(set)} ${set.length === 1 ? 'is' : 'are'} ignored: ${name} is not used without ${listed(missing)}`];
};

/** What is worth a word of storages that take no new documents. */
export const partialStorageNotices = (values: Partial<Values>, raw: RawValues): string[] => {
  const type = storageType(values, raw);
  return [
    ...(type === 's3' ? [] : partialNotice('S3', S3_PARTS, values)),
    ...(type === 'azure' ? [] : partialNotice('Azure Blob Storage', AZURE_PARTS, values)),
  ];
};

/** What the variables of the storages must be to each other. */
export const STORAGE_CHECKS: Readonly<Record<string, Check>> = {
  S3_ENABLED: checkEnabled,
  S3_BUCKET_NAME: checkBucket,
  S3_ACCESS_KEY_ID: checkS3Part('S3_ACCESS_KEY_ID'),
  S3_SECRET_ACCESS_KEY: checkS3Part('S3_SECRET_ACCESS_KEY'),
  S3_ENDPOINT_URL: checkEndpoint,
  S3_PREFIX: checkPrefix,
  S3_KMS_KEY_ID: checkKmsKey,
  AZURE_STORAGE_CONNECTION_STRING: checkConnectionString,
  AZURE_STORAGE_CONTAINER: checkContainer,
  BACKUP_PATH: checkBackupPath,
};
