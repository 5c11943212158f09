import { join, resolve } from 'node:path';
import { type Secret, stripBoth, stripEnd } from '@sheaf/contract';
import type { RawValues } from './layers.ts';
import type { Values } from './parse.ts';

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
