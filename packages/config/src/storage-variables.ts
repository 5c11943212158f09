import { endpoint, word } from './value-types.ts';
import { boolean, choice, folder, integer, secret, text } from './variable.ts';

/** Where the bytes of documents are kept. See variables.ts for all of them. */
export const STORAGE_VARIABLES = {
  STORAGE_TYPE: choice(['local', 's3', 'azure'])('Storage', {
    default: 'local',
    meaning: 'storage of new documents: the folder UPLOAD_PATH, an S3 bucket, or an Azure Blob Storage container',
  }),
  TEMP_STORAGE_PATH: folder('own')('Storage', { default: undefined, meaning: 'folder of temporary files (UPLOAD_PATH/temp)' }),
  THUMBNAIL_PATH: folder('own')('Storage', {
    default: undefined,
    meaning: 'folder of thumbnails in the local storage (UPLOAD_PATH/thumbnails)',
  }),
  THUMBNAIL_CACHE_MB: integer(0)('Storage', {
    default: '2048',
    meaning: 'maximum size of stored thumbnails in MB; the oldest are removed once a day and generated again on request',
  }),
  VERSIONS_KEEP: integer(0)('Storage', {
    default: '0',
    meaning: 'earlier versions kept for each document besides the current one; older ones are removed with their files (0: keep all)',
  }),
  SEARCHABLE_PDF_CACHE_MB: integer(0)('Storage', {
    default: '2048',
    meaning: 'maximum size of stored searchable PDFs in MB; the oldest are removed once a day and generated again on request',
  }),
  BACKUP_PATH: folder('own', ['backup'])('Storage', {
    everyday: true,
    default: undefined,
    meaning: 'folder of backups, preferably on another disk (UPLOAD_PATH/backups)',
  }),
  S3_ENABLED: boolean('Storage', { default: 'false', meaning: 'same as STORAGE_TYPE=s3' }),
  S3_BUCKET_NAME: text('Storage', {
    default: undefined,
    meaning: 'bucket name; with access key and secret set, documents in the bucket stay readable with any STORAGE_TYPE',
  }),
  S3_ACCESS_KEY_ID: word('AKIAIOSFODNN7EXAMPLE')('Storage', {
    default: undefined,
    meaning: 'access key with permission to create, read, list and delete objects',
  }),
  S3_SECRET_ACCESS_KEY: secret('Storage', { default: undefined, meaning: 'secret access key' }),
  S3_REGION: word('eu-central-1')('Storage', { default: 'us-east-1', meaning: 'region' }),
  S3_ENDPOINT_URL: endpoint('https://minio.example.org:9000')('Storage', {
    default: undefined,
    meaning: 'endpoint URL of an S3-compatible service, such as https://minio.example.org:9000',
  }),
  S3_FORCE_PATH_STYLE: boolean('Storage', {
    default: undefined,
    meaning: 'uses path-style addressing (true with S3_ENDPOINT_URL, else false)',
  }),
  S3_PREFIX: text('Storage', { default: undefined, meaning: 'key prefix in the bucket' }),
  S3_USE_SSL: boolean('Storage', { default: 'true', meaning: 'uses HTTPS if S3_ENDPOINT_URL has no scheme' }),
  S3_VERIFY_SSL: boolean('Storage', { default: 'true', meaning: 'verifies the TLS certificate' }),
  S3_STORAGE_CLASS: choice(['STANDARD', 'REDUCED_REDUNDANCY', 'STANDARD_IA', 'ONEZONE_IA', 'INTELLIGENT_TIERING', 'GLACIER_IR'])(
    'Storage',
    {
      default: 'STANDARD',
      meaning: 'storage class of new objects; only classes with immediate access',
    },
  ),
  S3_SERVER_SIDE_ENCRYPTION: choice(['AES256', 'aws:kms'])('Storage', {
    default: undefined,
    meaning: 'server-side encryption of new objects',
  }),
  S3_KMS_KEY_ID: word('alias/documents')('Storage', {
    default: undefined,
    meaning: 'KMS key for S3_SERVER_SIDE_ENCRYPTION=aws:kms (the default key of the account)',
  }),
  AZURE_STORAGE_CONNECTION_STRING: secret('Storage', {
    default: undefined,
    meaning: 'connection string of the storage account; required when STORAGE_TYPE=azure',
  }),
  AZURE_STORAGE_CONTAINER: text('Storage', {
    default: undefined,
    meaning: 'existing container; required if STORAGE_TYPE=azure',
  }),
  STORAGE_SCRUB_DAYS: integer(0, 3_650)('Storage', {
    default: '30',
  }),
  TRASH_RETENTION_DAYS: integer(1, 3_650)('Storage', {
    everyday: true,
    default: '30',
  }),

  // Resources
  BATCH_SIZE: integer(1, 10_000)('Resources', { default: '100', meaning: 'rows per batch of bin/migrate_to_s3' }),
  PARALLEL_UPLOADS: integer(1, 64)('Resources', { default: '5', meaning: 'concurrent transfers of bin/migrate_to_s3' }),
} as const;
