import { boolean, choice, integer, secret, text } from './variable.ts';

/** Where the bytes of documents are kept. See variables.ts for all of them. */
export const STORAGE_VARIABLES = {
  STORAGE_TYPE: choice(['local', 's3', 'azure'])('Storage', {
    default: 'local',
    meaning: 'where new documents are stored: the folder UPLOAD_PATH, an S3 bucket, or a container of Azure Blob Storage',
  }),
  TEMP_STORAGE_PATH: text('Storage', { default: undefined, meaning: 'temporary files (UPLOAD_PATH/temp)' }),
  THUMBNAIL_PATH: text('Storage', { default: undefined, meaning: 'thumbnails of the local storage (UPLOAD_PATH/thumbnails)' }),
  THUMBNAIL_CACHE_MB: integer(0)('Storage', {
    default: '2048',
    meaning: 'MB of thumbnails that are stored; once a day the oldest ones beyond that are removed, and made again when they are asked for',
  }),
  BACKUP_PATH: text('Storage', { default: undefined, meaning: 'backups; better on another disk (UPLOAD_PATH/backups)' }),
  S3_ENABLED: boolean('Storage', { default: 'false', meaning: 'the same as STORAGE_TYPE=s3' }),
  S3_BUCKET_NAME: text('Storage', {
    default: undefined,
    meaning: 'bucket; with its key and secret set, documents in it are found whatever STORAGE_TYPE says',
  }),
  S3_ACCESS_KEY_ID: text('Storage', { default: undefined, meaning: 'access key; it must allow to create, read, list and delete objects' }),
  S3_SECRET_ACCESS_KEY: secret('Storage', { default: undefined, meaning: 'its secret' }),
  S3_REGION: text('Storage', { default: 'us-east-1', meaning: 'region' }),
  S3_ENDPOINT_URL: text('Storage', {
    default: undefined,
    meaning: 'address of a service that is not Amazon’s, such as https://minio.example.org:9000',
  }),
  S3_FORCE_PATH_STYLE: boolean('Storage', {
    default: undefined,
    meaning: 'the bucket stands in the path, not in the host name (true with S3_ENDPOINT_URL, else false)',
  }),
  S3_PREFIX: text('Storage', { default: undefined, meaning: 'folder in the bucket' }),
  S3_USE_SSL: boolean('Storage', { default: 'true', meaning: 'https to the storage, where S3_ENDPOINT_URL does not say which' }),
  S3_VERIFY_SSL: boolean('Storage', { default: 'true', meaning: 'insist on a valid certificate' }),
  S3_STORAGE_CLASS: choice(['STANDARD', 'REDUCED_REDUNDANCY', 'STANDARD_IA', 'ONEZONE_IA', 'INTELLIGENT_TIERING', 'GLACIER_IR'])(
    'Storage',
    {
      default: 'STANDARD',
      meaning: 'storage class of new objects; only such as can be read at once',
    },
  ),
  S3_SERVER_SIDE_ENCRYPTION: choice(['AES256', 'aws:kms'])('Storage', {
    default: undefined,
    meaning: 'encryption of new objects by the storage',
  }),
  S3_KMS_KEY_ID: text('Storage', { default: undefined, meaning: 'key for S3_SERVER_SIDE_ENCRYPTION=aws:kms (that of the account)' }),
  AZURE_STORAGE_CONNECTION_STRING: secret('Storage', {
    default: undefined,
    meaning: 'connection string of the storage account; required when STORAGE_TYPE=azure',
  }),
  AZURE_STORAGE_CONTAINER: text('Storage', {
    default: undefined,
    meaning: 'its container, which must exist; required when STORAGE_TYPE=azure',
  }),
  STORAGE_SCRUB_DAYS: integer(0, 3_650)('Storage', {
    default: '30',
    meaning: 'days in which every stored document is read once and compared with its hash; 0 does not look',
  }),

  // Resources
  BATCH_SIZE: integer(1, 10_000)('Resources', { default: '100', meaning: 'rows that bin/migrate_to_s3 takes at a time' }),
  PARALLEL_UPLOADS: integer(1, 64)('Resources', { default: '5', meaning: 'objects that bin/migrate_to_s3 moves at the same time' }),
} as const;
