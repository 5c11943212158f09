import { boolean, choice, decimal, integer, list, seconds, text } from './variable.ts';

const port = integer(0, 65_535);

/** How much of the machine the service may use, and how it is watched. See variables.ts for all of them. */
export const RESOURCE_VARIABLES = {
  // Resources
  MEMORY_LIMIT_MB: integer(1)('Resources', {
    default: '2048',
    meaning:
      'MB of memory of all processes and their programs together, 512 or more, and 80 more for each ocr-worker after the first; what is left by 700 of them, and 512 at least, is for the programs of the ocr-workers, which end the largest one beyond it and fail its document',
  }),
  CPU_CORES: integer(1, 1_024)('Resources', {
    default: undefined,
    meaning: 'cores to use: pages, documents and passwords that are worked on at the same time (those the machine has)',
  }),
  WORKER_THREADS: integer(1, 1_024)('Resources', {
    default: undefined,
    meaning:
      'pages that are recognised at the same time, in all ocr-workers together, as far as MEMORY_LIMIT_MB has room for them (CPU_CORES)',
  }),
  BLOCKING_THREADS: integer(1, 1_024)('Resources', {
    default: '512',
    meaning: 'threads of one process at most for files, names of hosts and passwords; more than 4 for each of CPU_CORES are never made',
  }),
  CACHE_SIZE_MB: integer(0)('Resources', {
    default: '256',
    meaning: 'MB the api may keep in memory of what was asked for; 0 keeps nothing',
  }),
  CACHE_TTL: integer(0)('Resources', { default: '300', meaning: 'seconds for which it keeps them; 0 keeps nothing' }),
  OCR_QUEUE_SIZE: integer(0)('Resources', {
    default: '0',
    meaning:
      'documents that may wait to be read; while there are as many, uploads are answered 503 and folders and sources wait. 0 is no limit',
  }),

  // Limits
  REQUEST_TIMEOUT: seconds(1)('Limits', {
    default: '30',
    meaning:
      'seconds until an answer begins; then it is 503 and its work is ended. Uploads may take longer as long as bytes flow, and so may an answer that has begun',
  }),
  UPLOAD_IDLE_TIMEOUT: seconds(1)('Limits', {
    default: '60',
    meaning: 'seconds for which an upload may pause; an upload that sends nothing or too little in this time is ended',
  }),
  UPLOAD_MIN_BYTES_PER_SECOND: integer(0)('Limits', {
    default: '1024',
    meaning: 'bytes per second that an upload has to send on average over UPLOAD_IDLE_TIMEOUT; 0 asks only that something arrives',
  }),

  // Database connection
  DATABASE_ACQUIRE_TIMEOUT: seconds(1)('Database connection', {
    default: '10',
    meaning: 'seconds a request or a job waits for a connection; after that a request is answered 503',
  }),
  DATABASE_SSL_MODE: choice(['disable', 'prefer', 'require'])('Database connection', {
    default: 'prefer',
    meaning:
      'TLS to the database: never, where it offers it, or always; sslmode in DATABASE_URL goes before it. The embedded PostgreSQL has none',
  }),
  DATABASE_SSL_CERT: text('Database connection', {
    default: undefined,
    meaning: 'file of our certificate (PEM), where the database asks for one; sslcert in DATABASE_URL goes before it',
  }),
  DATABASE_SSL_KEY: text('Database connection', {
    default: undefined,
    meaning: 'file of its key (PEM, without a password); sslkey in DATABASE_URL goes before it',
  }),
  DATABASE_SSL_ROOT_CERT: text('Database connection', {
    default: undefined,
    meaning:
      "file of the authority (PEM); with it the server's certificate and its name are checked, without it the connection is only encrypted. sslrootcert in DATABASE_URL goes before it",
  }),

  // Monitoring
  METRICS_ENABLED: boolean('Monitoring', { default: 'true', meaning: 'answer METRICS_PATH on every process' }),
  METRICS_ALLOWED_NETWORKS: list('Monitoring', {
    default: undefined,
    meaning:
      'networks (CIDR) or addresses, comma-separated, that may ask the api for METRICS_PATH, such as 127.0.0.0/8,10.0.0.5; without a value every address may',
  }),
  EXPORTER_ENABLED: boolean('Monitoring', { default: 'false', meaning: 'the api gives the metrics of all processes on EXPORTER_PORT' }),
  EXPORTER_PORT: port('Monitoring', { default: '9090', meaning: 'port on PROBE_HOST; 0 takes a free one' }),
  TRACING_ENABLED: boolean('Monitoring', { default: 'false', meaning: 'send traces to TRACE_COLLECTOR_ENDPOINT' }),
  TRACE_COLLECTOR_ENDPOINT: text('Monitoring', {
    default: undefined,
    meaning:
      'address of a collector that takes OTLP over HTTP, such as http://127.0.0.1:4318 (/v1/traces below it where no path is given); required when TRACING_ENABLED=true',
  }),
  TRACE_SAMPLE_RATE: decimal(0, 1)('Monitoring', {
    default: '0.1',
    meaning: 'share of the traces that are kept and sent, decided once where a trace begins',
  }),

  // Feature flags
  FEATURE_ANALYTICS: boolean('Feature flags', { default: 'true', meaning: 'the endpoints of analytics and metrics under /api' }),
  FEATURE_API_V2: boolean('Feature flags', { default: 'false', meaning: 'the endpoints under /api/v2; lists of v1 are deprecated then' }),
} as const;
