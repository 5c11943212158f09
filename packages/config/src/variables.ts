import { FEDERATION_VARIABLES, SIGN_IN_VARIABLES } from './account-variables.ts';
import { RESOURCE_VARIABLES, STORAGE_VARIABLES } from './storage-variables.ts';
import { SURFACE_VARIABLES } from './surface-variables.ts';
import { globs, url } from './value-types.ts';
import { boolean, choice, decimal, folder, folderList, integer, list, seconds, secret, text } from './variable.ts';

/** What barcodes on pages mean, unless a source or the watch folders have it otherwise. See variables.ts for all variables. */
const BARCODE_VARIABLES = {
  BARCODE_ENABLED: boolean('Barcodes', {
    everyday: true,
    default: 'false',
    meaning: 'reads barcodes on the pages of new PDF and image files: separator sheets, archive numbers, labels',
  }),
  BARCODE_SEPARATOR: text('Barcodes', {
    default: 'PATCHT',
    meaning: 'text of the barcode on a separator sheet, which begins a new document',
  }),
  BARCODE_KEEP_SEPARATOR: boolean('Barcodes', {
    default: 'false',
    meaning: 'keeps a separator sheet as the first page of the document after it',
  }),
  BARCODE_ASN_PREFIX: text('Barcodes', { default: 'ASN', meaning: 'prefix of barcodes with an archive number; digits follow' }),
  BARCODE_LABEL_PREFIX: text('Barcodes', {
    default: undefined,
    meaning: 'prefix of barcodes with the name of a label, such as LABEL:; names below each other are separated by /; empty: none are read',
  }),
};

/** What they mean on the pages of files of watch folders, where that differs. */
const WATCH_BARCODE_VARIABLES = {
  WATCH_BARCODE_ENABLED: boolean('Watch folder', {
    default: undefined,
    meaning: 'as BARCODE_ENABLED, for files of watch folders; unset: as BARCODE_ENABLED',
  }),
  WATCH_BARCODE_SEPARATOR: text('Watch folder', {
    default: undefined,
    meaning: 'as BARCODE_SEPARATOR, for files of watch folders; unset: as BARCODE_SEPARATOR',
  }),
  WATCH_BARCODE_KEEP_SEPARATOR: boolean('Watch folder', {
    default: undefined,
    meaning: 'as BARCODE_KEEP_SEPARATOR, for files of watch folders; unset: as BARCODE_KEEP_SEPARATOR',
  }),
  WATCH_BARCODE_ASN_PREFIX: text('Watch folder', {
    default: undefined,
    meaning: 'as BARCODE_ASN_PREFIX, for files of watch folders; unset: as BARCODE_ASN_PREFIX',
  }),
  WATCH_BARCODE_LABEL_PREFIX: text('Watch folder', {
    default: undefined,
    meaning: 'as BARCODE_LABEL_PREFIX, for files of watch folders; unset: as BARCODE_LABEL_PREFIX',
  }),
};

/** Who is told what, by which ways, and when something counts as wrong. See variables.ts for all of them. */
const NOTIFICATION_VARIABLES = {
  // Notifications
  NOTIFICATIONS_ENABLED: boolean('Notifications', { default: 'true' }),
  EMAIL_ENABLED: boolean('Notifications', { everyday: true, default: 'false' }),
  EMAIL_NOTIFICATION_TYPES: list('Notifications', {
    default: 'ocr_failed,sync_failed,security',
  }),
  WEBHOOK_ENABLED: boolean('Notifications', { default: 'false' }),
  WEBHOOK_URL: url('https://hooks.example.org/path', { mayHaveQuery: true })('Notifications', {
    default: undefined,
    meaning: 'URL of the webhook receiver; required if WEBHOOK_ENABLED=true',
  }),
  WEBHOOK_SECRET: secret('Notifications', {
    default: undefined,
    meaning: 'secret that signs webhooks (Standard Webhooks): whsec_ and base64, or any text; unset, webhooks are not signed',
  }),

  // Network
  WEBSOCKET_ENABLED: boolean('Network', { default: 'true', meaning: 'enables events over /ws and socket.io' }),
  WEBSOCKET_MAX_CONNECTIONS: integer(1, 100_000)('Network', { default: '1000' }),

  // Monitoring
  HEALTH_CHECK_INTERVAL: seconds(1)('Monitoring', { default: '300' }),
  CPU_WARNING_THRESHOLD: decimal(0, 100)('Monitoring', { default: '80' }),
  MEMORY_WARNING_THRESHOLD: decimal(0, 100)('Monitoring', {
    default: '85',
  }),
  DISK_WARNING_THRESHOLD: decimal(0, 100)('Monitoring', {
    default: '90',
  }),
  HEALTH_EMAIL_ALERTS: boolean('Monitoring', {
    default: 'false',
  }),

  // Feature flags
  FEATURE_NOTIFICATIONS: boolean('Feature flags', { default: 'true', meaning: 'enables notifications and their endpoints' }),
} as const;

const port = integer(0, 65_535);

/**
 * Every variable of the service: name, type, default, unit and meaning stand here and nowhere else. The table in the
 * reference, `--show-config` and the start-up checks are made from it.
 */
export const VARIABLES = {
  // Core
  CONFIG_FILE: text('Core', {
    default: undefined,
    meaning: 'configuration file (service.yml in the project folder, if it exists)',
  }),
  DATABASE_URL: secret('Core', {
    default: undefined,
    meaning:
      'postgresql://user:password@host:port/database, also with several host:port separated by commas; takes precedence over POSTGRES_*. If neither is set, the embedded PostgreSQL is used',
  }),
  DATABASE_DIRECT_URL: secret('Core', {
    default: undefined,
    meaning:
      'address of PostgreSQL itself where DATABASE_URL or POSTGRES_* leads to a connection pooler in transaction mode; used for locks, notifications, migrations and commands',
  }),
  DATABASE_READ_URL: secret('Core', {
    default: undefined,
    meaning:
      'address of a streaming replica of the database, which answers searches, lists and analytics once it has all changes that the caller made; otherwise the primary does',
  }),
  POSTGRES_HOST: text('Core', {
    default: undefined,
    meaning: 'database host or socket folder (localhost if another POSTGRES_* is set)',
  }),
  POSTGRES_PORT: integer(1, 65_535)('Core', { default: undefined, meaning: 'database port (5432)' }),
  POSTGRES_DB: text('Core', { default: undefined, meaning: 'database name (sheaf)' }),
  POSTGRES_USER: text('Core', { default: undefined, meaning: 'database user (sheaf)' }),
  POSTGRES_PASSWORD: secret('Core', { default: undefined, meaning: 'database password (sheaf)' }),
  SERVER_ADDRESS: text('Core', {
    default: undefined,
    meaning: 'bind address host:port; takes precedence over SERVER_HOST and SERVER_PORT',
  }),
  SERVER_HOST: text('Core', { everyday: true, default: '0.0.0.0', meaning: 'bind host' }),
  SERVER_PORT: port('Core', { everyday: true, default: '8080', meaning: 'bind port; 0 selects a free port' }),
  PUBLIC_URL: url('https://papers.example.org')('Core', {
    everyday: true,
    default: undefined,
    meaning: 'public URL of the service, for links in e-mails and identity providers (http://localhost:SERVER_PORT)',
  }),
  DATA_PATH: folder('own')('Core', { everyday: true, default: './data', meaning: 'folder of generated secrets and the embedded database' }),
  UPLOAD_PATH: folder('own')('Core', { everyday: true, default: './uploads', meaning: 'folder of stored documents' }),
  ALLOWED_FILE_TYPES: list('Core', {
    everyday: true,
    default: 'pdf,txt,doc,docx,png,jpg,jpeg',
  }),
  LOG_LEVEL: choice(['debug', 'info', 'warn', 'error'])('Core', { default: 'info' }),
  LOG_FORMAT: choice(['text', 'json'])('Core', { default: 'text', meaning: 'log format: human-readable text, or JSON lines' }),

  ...STORAGE_VARIABLES,

  // Watch folder
  WATCH_FOLDER: folder('watched', ['watcher'])('Watch folder', { everyday: true, default: './watch', meaning: 'global watch folder' }),
  WATCH_FOLDER_OWNER: text('Watch folder', {
    everyday: true,
    default: undefined,
    meaning: 'owner of documents from the watch folder (the first administrator)',
  }),
  WATCH_INTERVAL_SECONDS: seconds(1)('Watch folder', { default: '60' }),
  FILE_STABILITY_CHECK_MS: integer(0)('Watch folder', {
    default: '2000',
  }),
  MAX_FILE_AGE_HOURS: integer(0, 876_000)('Watch folder', {
    everyday: true,
    default: '24',
  }),
  WATCH_RECURSIVE: boolean('Watch folder', { default: 'true' }),
  WATCH_FILE_PATTERNS: globs('Watch folder', { default: '*' }),
  WATCH_IGNORE_PATTERNS: globs('Watch folder', { default: '.*,~*,*.tmp' }),
  ...WATCH_BARCODE_VARIABLES,
  ENABLE_PER_USER_WATCH: boolean('Watch folder', { everyday: true, default: 'false', meaning: 'enables a watch folder per user' }),
  USER_WATCH_BASE_DIR: folder('own', ['api', 'watcher'])('Watch folder', {
    default: './user_watch',
    meaning: 'parent folder of the watch folders of users, each named after its user',
  }),
  MOVE_AFTER_PROCESSING: boolean('Watch folder', {
    everyday: true,
    default: 'false',
  }),
  PROCESSED_FILES_DIR: folder('own', ['watcher'])('Watch folder', {
    default: './processed',
    meaning: 'destination of imported files; subfolders are kept, existing files are not overwritten',
  }),

  // OCR
  OCR_ENABLED: boolean('OCR', { default: 'true' }),
  OCR_LANGUAGE: text('OCR', {
    everyday: true,
    default: 'eng',
  }),
  OCR_ENGINE: choice(['local', 'cloud'], { tesseract: 'local' })('OCR', {
    default: 'local',
    meaning:
      'OCR engine: Tesseract on this machine, or cloud: the "read" model of Azure Document Intelligence, which receives every page without text',
  }),
  CLOUD_OCR_ENDPOINT: url('https://name.cognitiveservices.azure.com')('OCR', {
    default: undefined,
    meaning: 'URL of the cloud OCR service, such as https://name.cognitiveservices.azure.com; required if OCR_ENGINE=cloud',
  }),
  CLOUD_OCR_KEY: secret('OCR', { default: undefined, meaning: 'key of the cloud OCR service; required if OCR_ENGINE=cloud' }),
  PARSER_SANDBOX: choice(['prefer', 'require'])('OCR', {
    default: 'prefer',
    meaning:
      'sandbox of programs that process documents; prefer: used if the machine supports it; require: without a sandbox, office files are not processed',
  }),
  OCR_RUNNER: choice(['auto', 'native', 'wasm'])('OCR', {
    default: 'auto',
    meaning: 'Tesseract implementation: native, tesseract.js, or native if it is installed',
  }),
  CONCURRENT_OCR_JOBS: integer(1, 64)('OCR', {
    default: undefined,
  }),
  OCR_WORKER_PROCESSES: integer(1, 64)('OCR', { default: '1', meaning: 'number of ocr-worker processes' }),
  OCR_TIMEOUT_SECONDS: seconds(1)('OCR', {
    default: '300',
  }),
  OCR_RETRY_ATTEMPTS: integer(0, 100)('OCR', { default: '3' }),
  OCR_RETRY_DELAY: integer(0)('OCR', { default: '60' }),
  OCR_CONFIDENCE_THRESHOLD: decimal(0, 1)('OCR', {
    default: '0.6',
  }),
  DATE_ORDER: choice(['DMY', 'MDY', 'YMD'])('OCR', {
    default: undefined,
    meaning:
      'order of day (D), month (M) and year (Y) in dates such as 03/04/2025 where the document and earlier ones of its sender do not show it; default: by the language of the owner',
  }),
  MAX_FILE_SIZE_MB: integer(1, 500)('OCR', { everyday: true, default: '50' }),
  MAX_PDF_SIZE_MB: integer(1)('OCR', { default: '100' }),
  MAX_OFFICE_DOCUMENT_SIZE_MB: integer(1)('OCR', { default: '100' }),
  OCR_DPI: integer(50, 1_200)('OCR', { default: '300' }),
  OCR_PSM: integer(0, 13)('OCR', { default: '3' }),
  OCR_OEM: integer(0, 3)('OCR', { default: '1' }),
  OCR_ENGINE_DATA_PATH: folder('others')('OCR', {
    default: '/usr/share/tesseract-ocr/4.00/tessdata',
    meaning: "folder of the Tesseract language data (the system's folder)",
  }),
  MAX_PAGE_MEGAPIXELS: integer(1, 1_000)('OCR', {
    default: '60',
    meaning: 'maximum megapixels of a page image; larger pages are scaled down',
  }),
  MAX_DOCUMENT_PAGES: integer(1)('OCR', { default: '20000' }),
  OCR_LEASE_SECONDS: seconds(2)('OCR', {
    default: '30',
    meaning: 'seconds until the lease of a job expires when its worker stops responding',
  }),

  // Reading limits
  READ_TOOL_MEMORY_MB: integer(256)('Reading limits', {
    default: '2048',
    meaning: 'memory limit in MB of one document processing program, up to MEMORY_LIMIT_MB; LibreOffice gets twice as much',
  }),
  READ_TOOL_FILE_MB: integer(16)('Reading limits', {
    default: '1024',
    meaning: 'maximum size in MB of a file written by a document processing program',
  }),
  READ_ARCHIVE_MAX_RATIO: integer(1)('Reading limits', {
    default: '250',
    meaning: 'maximum compression ratio of an office file; repetitive spreadsheets reach 100, zip bombs 1,000',
  }),
  READ_ARCHIVE_MAX_ENTRIES: integer(1)('Reading limits', { default: '20000', meaning: 'maximum number of entries in an office file' }),
  READ_ARCHIVE_MAX_MB: integer(1)('Reading limits', { default: '1024', meaning: 'maximum uncompressed size of an office file in MB' }),
  READ_IMAGE_MAX_MEGAPIXELS: integer(1, 10_000)('Reading limits', {
    default: '500',
    meaning: 'maximum megapixels of an image; larger images are rejected before decoding',
  }),
  OFFICE_TIMEOUT_SECONDS: seconds(1)('Reading limits', {
    default: '120',
    meaning: 'time limit in seconds for the conversion of an office file',
  }),

  ...BARCODE_VARIABLES,

  // Feature flags
  FEATURE_ADVANCED_SEARCH: boolean('Feature flags', { default: 'true', meaning: 'enables POST /api/search/advanced' }),
  FEATURE_LABELS: boolean('Feature flags', { default: 'true', meaning: 'enables the label endpoints' }),
  FEATURE_SHARE_LINKS: boolean('Feature flags', {
    default: 'true',
    meaning: 'enables share links and their endpoints; without them, existing links return 404',
  }),
  FEATURE_SOURCES: boolean('Feature flags', { default: 'true', meaning: 'enables sources and their endpoints' }),
  FEATURE_WEBDAV: boolean('Feature flags', { default: 'true', meaning: 'enables sources of type webdav' }),
  FEATURE_MULTI_LANGUAGE_OCR: boolean('Feature flags', {
    default: 'true',
    meaning: 'allows several OCR languages per document, joined by +',
  }),

  // Database connection
  DATABASE_MAX_CONNECTIONS: integer(2, 1_000)('Database connection', {
    default: '32',
    meaning: 'maximum database connections of the api; other processes use up to 8 each',
  }),
  DATABASE_MIN_CONNECTIONS: integer(0, 1_000)('Database connection', {
    default: '5',
    meaning: 'minimum database connections the api keeps open',
  }),
  DATABASE_CONNECT_TIMEOUT: seconds(1)('Database connection', {
    default: '5',
    meaning: 'seconds to establish a connection, including TLS and authentication; connect_timeout in DATABASE_URL takes precedence',
  }),
  DATABASE_IDLE_TIMEOUT: seconds(1)('Database connection', {
    default: '600',
    meaning: 'seconds until an idle connection is closed; at most 60 in the api, 120 in other processes',
  }),
  DATABASE_MAX_LIFETIME: seconds(1)('Database connection', { default: '1800', meaning: 'seconds until a connection is replaced' }),
  EMBEDDED_POSTGRES_PORT: port('Database connection', {
    default: '54329',
    meaning: 'port of the embedded PostgreSQL on 127.0.0.1; the next free port if it is in use',
  }),

  ...SIGN_IN_VARIABLES,
  ...FEDERATION_VARIABLES,
  ...SURFACE_VARIABLES,
  ...NOTIFICATION_VARIABLES,
  ...RESOURCE_VARIABLES,

  // Sources
  LOCAL_SOURCE_ROOTS: folderList('others')('Sources', {
    default: undefined,
    meaning: 'folders allowed for sources of type local_folder, comma-separated; empty allows none',
  }),
  IMPORT_ROOTS: folderList('others')('Sources', {
    everyday: true,
    default: undefined,
    meaning: 'folders whose exports administrators may import by their path on the server, comma-separated; empty allows none',
  }),
  IMPORT_MAX_UPLOAD_MB: integer(1, 1_000_000)('Sources', {
    default: '10240',
    meaning: 'maximum size in MB of an uploaded ZIP file with the archive of another system',
  }),
  SYNC_PARALLEL_DOWNLOADS: integer(1, 64)('Sources', { default: '5' }),
  SOURCE_CHECK_INTERVAL: seconds(10)('Sources', { default: '300' }),

  // Outbound
  OUTBOUND_ALLOWED_NETWORKS: list('Outbound', {
    default: undefined,
    meaning:
      'networks (CIDR) or addresses, comma-separated, allowed for requests to sources, webhooks, identity providers and the cloud OCR service although they are loopback, reserved or denied; link-local and metadata addresses stay blocked',
  }),
  OUTBOUND_CA_FILE: text('Outbound', {
    default: undefined,
    meaning:
      'file with CA certificates, PEM, that are trusted besides the well-known ones for TLS connections to sources, S3 and Azure, webhooks, identity providers, directories, mail servers, the cloud OCR service, the key-value store and the trace collector; /etc/ssl/certs/ca-certificates.crt trusts what the system trusts',
  }),
  OUTBOUND_DENY_PRIVATE: boolean('Outbound', { default: 'false', meaning: 'blocks these requests to private networks' }),

  // Monitoring
  HEALTH_CHECK_PATH: text('Monitoring', { default: '/health', meaning: 'path of the liveness probe of every process' }),
  READY_CHECK_PATH: text('Monitoring', { default: '/ready', meaning: 'path of the readiness probe of every process' }),
  METRICS_PATH: text('Monitoring', {
    default: '/metrics',
    meaning: 'path of the metrics: of the api, of the probe port of every process, and of the exporter on EXPORTER_PORT',
  }),
  PROBE_HOST: text('Monitoring', { default: '127.0.0.1', meaning: 'bind address of the probe ports' }),
  PROBE_PORT_BASE: integer(0, 64_000)('Monitoring', {
    default: '9100',
    meaning: 'first probe port: supervisor +0, watcher +10, sync +20, ocr-worker n +30+n',
  }),

  // Processes
  PROCESS_INSTANCE: integer(0, 1_000)('Processes', {
    default: '0',
    meaning: 'instance number of this process; set by the supervisor',
  }),
  SUPERVISOR_PROBE_PORT: port('Processes', {
    default: undefined,
    meaning: 'probe port of the supervisor; set by the supervisor for the exporter',
  }),
  SHUTDOWN_GRACE_SECONDS: seconds(1, 86_400)('Processes', {
    default: '15',
    meaning: 'seconds a process has to stop before it is killed',
  }),
  SINGLE_REPLICA: choice(['standby', 'refuse'])('Processes', {
    default: 'standby',
    meaning:
      'what a second watcher or sync on the same database does: wait to take over (standby), or exit with code 69 (refuse); with refuse a second api exits too',
  }),
} as const;

export type VariableName = keyof typeof VARIABLES;
