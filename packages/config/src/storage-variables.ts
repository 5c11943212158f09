import { endpoint, url, word } from './value-types.ts';
import { boolean, choice, decimal, folder, integer, list, seconds, secret, text } from './variable.ts';

const port = integer(0, 65_535);

/** How much of the machine the service may use, and how it is watched. See variables.ts for all of them. */
export const RESOURCE_VARIABLES = {
  // Resources
  MEMORY_LIMIT_MB: integer(1)('Resources', {
    everyday: true,
    default: '2048',
    meaning:
      'memory limit in MB for all processes and their child programs; at least 512, plus 80 for each additional ocr-worker. Child programs of the ocr-workers share what exceeds 700 MB, at least 512 MB; beyond that, the largest is killed and its document fails',
  }),
  CPU_CORES: integer(1, 1_024)('Resources', {
    everyday: true,
    default: undefined,
    meaning: 'CPU cores to use; limits concurrent pages, documents and password hashes (all cores)',
  }),
  WORKER_THREADS: integer(1, 1_024)('Resources', {
    default: undefined,
    meaning: 'concurrent OCR pages over all ocr-workers, within MEMORY_LIMIT_MB (CPU_CORES)',
  }),
  BLOCKING_THREADS: integer(1, 1_024)('Resources', {
    default: '512',
    meaning: 'maximum threads of one process for file access, DNS lookups and password hashing; at most 4 per CPU core are created',
  }),
  CACHE_SIZE_MB: integer(0)('Resources', {
    default: '256',
  }),
  CACHE_TTL: integer(0)('Resources', { default: '300' }),
  OCR_QUEUE_SIZE: integer(0)('Resources', {
    default: '0',
  }),

  // Limits
  REQUEST_TIMEOUT: seconds(1)('Limits', {
    default: '30',
    meaning:
      'seconds until a response must start; after that the request is cancelled with 503. Uploads can take longer while data arrives, and so can responses that have started',
  }),
  JSON_BODY_LIMIT_MB: integer(1, 100)('Limits', {
    default: '10',
    meaning: 'maximum size of a JSON request body in MB, also of a file of users to import; without signing in it is 1 MB',
  }),
  SHARE_MAX_DAYS: integer(1, 3_650)('Limits', { default: '365', meaning: 'maximum number of days until a share link expires' }),
  UPLOAD_IDLE_TIMEOUT: seconds(1)('Limits', {
    default: '60',
    meaning: 'seconds without enough data after which an upload is aborted',
  }),
  UPLOAD_MIN_BYTES_PER_SECOND: integer(0)('Limits', {
    default: '1024',
    meaning: 'minimum average bytes per second of an upload over UPLOAD_IDLE_TIMEOUT; 0 requires only some data',
  }),

  // Database connection
  DATABASE_ACQUIRE_TIMEOUT: seconds(1)('Database connection', {
    default: '10',
    meaning: 'seconds a request or job waits for a database connection; after that the request gets 503',
  }),
  DATABASE_SSL_MODE: choice(['disable', 'prefer', 'require'])('Database connection', {
    default: 'prefer',
    meaning:
      'TLS to the database: never, if offered, or always; sslmode in DATABASE_URL takes precedence. The embedded PostgreSQL has no TLS',
  }),
  DATABASE_SSL_CERT: text('Database connection', {
    default: undefined,
    meaning: 'file with the client certificate, PEM; sslcert in DATABASE_URL takes precedence',
  }),
  DATABASE_SSL_KEY: text('Database connection', {
    default: undefined,
    meaning: 'file with the client key, PEM without a passphrase; sslkey in DATABASE_URL takes precedence',
  }),
  DATABASE_SSL_ROOT_CERT: text('Database connection', {
    default: undefined,
    meaning:
      "file with the CA certificate, PEM; if set, the server's certificate and host name are verified, otherwise the connection is only encrypted. sslrootcert in DATABASE_URL takes precedence",
  }),

  // Monitoring
  METRICS_ENABLED: boolean('Monitoring', { default: 'true' }),
  METRICS_ALLOWED_NETWORKS: list('Monitoring', {
    default: undefined,
    meaning:
      'networks (CIDR) or addresses, comma-separated, that can access METRICS_PATH of the api, such as 127.0.0.0/8,10.0.0.5; empty allows every address',
  }),
  EXPORTER_ENABLED: boolean('Monitoring', { default: 'false', meaning: 'serves the metrics of all processes on EXPORTER_PORT of the api' }),
  EXPORTER_PORT: port('Monitoring', { default: '9090', meaning: 'port of the metrics exporter on PROBE_HOST; 0 selects a free port' }),
  TRACING_ENABLED: boolean('Monitoring', { default: 'false', meaning: 'sends traces to TRACE_COLLECTOR_ENDPOINT' }),
  TRACE_COLLECTOR_ENDPOINT: url('http://127.0.0.1:4318')('Monitoring', {
    default: undefined,
    meaning:
      'URL of a collector that accepts OTLP over HTTP, such as http://127.0.0.1:4318 (/v1/traces if it has no path); required if TRACING_ENABLED=true',
  }),
  TRACE_SAMPLE_RATE: decimal(0, 1)('Monitoring', {
    default: '0.1',
    meaning: 'fraction of traces that are sampled, from 0 to 1; decided at the root span',
  }),

  // Feature flags
  FEATURE_ANALYTICS: boolean('Feature flags', { default: 'true', meaning: 'enables the analytics and metrics endpoints under /api' }),
  FEATURE_API_V2: boolean('Feature flags', {
    default: 'false',
    meaning: 'enables the endpoints under /api/v2; the lists of v1 are then deprecated',
  }),
  FEATURE_PAPERLESS_API: boolean('Feature flags', {
    everyday: true,
    default: 'false',
    meaning: 'enables /paperless/api for apps and scanners that support Paperless-ngx',
  }),
} as const;

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
