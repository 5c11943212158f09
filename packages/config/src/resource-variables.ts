import { url } from './value-types.ts';
import { boolean, choice, decimal, integer, list, seconds, text } from './variable.ts';

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
