import { FEDERATION_VARIABLES } from './federation-variables.ts';
import { NOTIFICATION_VARIABLES } from './notification-variables.ts';
import { RESOURCE_VARIABLES } from './resource-variables.ts';
import { SIGN_IN_VARIABLES } from './sign-in-variables.ts';
import { STORAGE_VARIABLES } from './storage-variables.ts';
import { SURFACE_VARIABLES } from './surface-variables.ts';
import { boolean, choice, decimal, folderList, integer, list, seconds, secret, text } from './variable.ts';

const port = integer(0, 65_535);

/**
 * Every variable of the service: name, type, default, unit and meaning stand here and nowhere else. The table in the
 * reference, `--show-config` and the start-up checks are made from it.
 */
export const VARIABLES = {
  // Core
  CONFIG_FILE: text('Core', {
    default: undefined,
    meaning: 'file to read settings from (service.yml in the folder of the project, if it is there)',
  }),
  DATABASE_URL: secret('Core', {
    default: undefined,
    meaning: 'postgresql://user:password@host:port/database; goes before POSTGRES_*. With neither set, the embedded PostgreSQL is used',
  }),
  POSTGRES_HOST: text('Core', {
    default: undefined,
    meaning: 'database host, or the folder of its socket (localhost when another POSTGRES_* is set)',
  }),
  POSTGRES_PORT: integer(1, 65_535)('Core', { default: undefined, meaning: 'database port (5432)' }),
  POSTGRES_DB: text('Core', { default: undefined, meaning: 'database name (sheaf)' }),
  POSTGRES_USER: text('Core', { default: undefined, meaning: 'database user (sheaf)' }),
  POSTGRES_PASSWORD: secret('Core', { default: undefined, meaning: 'database password (sheaf)' }),
  SERVER_ADDRESS: text('Core', { default: undefined, meaning: 'bind address host:port; goes before SERVER_HOST and SERVER_PORT' }),
  SERVER_HOST: text('Core', { default: '0.0.0.0', meaning: 'bind host' }),
  SERVER_PORT: port('Core', { default: '8080', meaning: 'bind port; 0 takes a free one' }),
  PUBLIC_URL: text('Core', {
    default: undefined,
    meaning: 'address people reach the service by, for links in mail and at identity providers (http://localhost:SERVER_PORT)',
  }),
  DATA_PATH: text('Core', { default: './data', meaning: 'folder of the generated secrets and of the embedded database' }),
  UPLOAD_PATH: text('Core', { default: './uploads', meaning: 'folder of the stored documents' }),
  ALLOWED_FILE_TYPES: list('Core', {
    default: 'pdf,txt,doc,docx,png,jpg,jpeg',
    meaning: 'extensions an upload may have, comma-separated; when set, it rules every route',
  }),
  LOG_LEVEL: choice(['debug', 'info', 'warn', 'error'])('Core', { default: 'info', meaning: 'least level that is logged' }),
  LOG_FORMAT: choice(['text', 'json'])('Core', { default: 'text', meaning: 'text for people, json for collectors' }),

  ...STORAGE_VARIABLES,

  // Watch folder
  WATCH_FOLDER: text('Watch folder', { default: './watch', meaning: 'global watch folder' }),
  WATCH_FOLDER_OWNER: text('Watch folder', { default: undefined, meaning: 'user who owns what is found there (the first administrator)' }),
  WATCH_INTERVAL_SECONDS: seconds(1)('Watch folder', { default: '60', meaning: 'seconds between two scans' }),
  FILE_STABILITY_CHECK_MS: integer(0)('Watch folder', { default: '2000', meaning: 'milliseconds a file must have stayed unchanged' }),
  MAX_FILE_AGE_HOURS: integer(0, 876_000)('Watch folder', { default: '24', meaning: 'hours; older files are not processed' }),
  WATCH_RECURSIVE: boolean('Watch folder', { default: 'true', meaning: 'scan subfolders too' }),
  WATCH_FILE_PATTERNS: list('Watch folder', { default: '*', meaning: 'glob patterns of files to take, comma-separated' }),
  WATCH_IGNORE_PATTERNS: list('Watch folder', { default: '.*,~*,*.tmp', meaning: 'glob patterns of files to leave, comma-separated' }),
  ENABLE_PER_USER_WATCH: boolean('Watch folder', { default: 'false', meaning: 'a watch folder for each user beside the global one' }),
  USER_WATCH_BASE_DIR: text('Watch folder', { default: './user_watch', meaning: 'where they are, each called as its user' }),
  MOVE_AFTER_PROCESSING: boolean('Watch folder', {
    default: 'false',
    meaning: 'move files out of the watch folders once they are taken in',
  }),
  PROCESSED_FILES_DIR: text('Watch folder', { default: './processed', meaning: 'where to; subfolders are kept, nothing is overwritten' }),

  // OCR
  OCR_ENABLED: boolean('OCR', { default: 'true', meaning: 'recognise pages that have no text layer' }),
  OCR_LANGUAGE: text('OCR', { default: 'eng', meaning: 'language codes of tesseract, combined with +' }),
  OCR_ENGINE: choice(['local', 'cloud'], { tesseract: 'local' })('OCR', {
    default: 'local',
    meaning: 'tesseract on this machine, or the "read" model of Azure Document Intelligence, to which every page without text is sent',
  }),
  CLOUD_OCR_ENDPOINT: text('OCR', {
    default: undefined,
    meaning: 'address of the cloud engine, such as https://name.cognitiveservices.azure.com; needed for OCR_ENGINE=cloud',
  }),
  CLOUD_OCR_KEY: secret('OCR', { default: undefined, meaning: 'key of the cloud engine; needed for OCR_ENGINE=cloud' }),
  PARSER_SANDBOX: choice(['prefer', 'require'])('OCR', {
    default: 'prefer',
    meaning:
      'prefer: programs that read documents run in a sandbox where the machine allows one; require: without a sandbox, office files are not processed',
  }),
  OCR_RUNNER: choice(['auto', 'native', 'wasm'])('OCR', {
    default: 'auto',
    meaning: 'native tesseract, tesseract.js, or native where it is installed',
  }),
  CONCURRENT_OCR_JOBS: integer(1, 64)('OCR', {
    default: undefined,
    meaning:
      'documents one ocr-worker reads at the same time (cores / 2); while they take longer than a second, up to three more are read beside them, so that short ones need not wait. All of them are shown as processing; WORKER_THREADS is what limits the work',
  }),
  OCR_WORKER_PROCESSES: integer(1, 64)('OCR', { default: '1', meaning: 'ocr-worker processes the supervisor starts' }),
  OCR_TIMEOUT_SECONDS: seconds(1)('OCR', {
    default: '300',
    meaning: 'seconds for one document, once for each begun 100 pages to recognise',
  }),
  OCR_RETRY_ATTEMPTS: integer(0, 100)('OCR', { default: '3', meaning: 'retries after the first try' }),
  OCR_RETRY_DELAY: integer(0)('OCR', { default: '60', meaning: 'seconds between two tries' }),
  OCR_CONFIDENCE_THRESHOLD: decimal(0, 1)('OCR', { default: '0.6', meaning: 'below it a document is marked needs_attention' }),
  MAX_FILE_SIZE_MB: integer(1, 500)('OCR', { default: '50', meaning: 'largest upload in MB' }),
  MAX_PDF_SIZE_MB: integer(1)('OCR', { default: '100', meaning: 'largest PDF that is read, in MB' }),
  MAX_OFFICE_DOCUMENT_SIZE_MB: integer(1)('OCR', { default: '100', meaning: 'largest office document that is read, in MB' }),
  OCR_DPI: integer(50, 1_200)('OCR', { default: '300', meaning: 'resolution of the page images, dots per inch' }),
  OCR_PSM: integer(0, 13)('OCR', { default: '3', meaning: 'page segmentation mode of tesseract' }),
  OCR_OEM: integer(0, 3)('OCR', { default: '1', meaning: 'engine mode of tesseract' }),
  OCR_ENGINE_DATA_PATH: text('OCR', {
    default: '/usr/share/tesseract-ocr/4.00/tessdata',
    meaning: "folder of the language data; where it is absent, the system's own folder is looked for",
  }),
  MAX_PAGE_MEGAPIXELS: integer(1, 1_000)('OCR', {
    default: '60',
    meaning: 'millions of pixels of a page image; a larger page is scaled down to it',
  }),
  MAX_DOCUMENT_PAGES: integer(1)('OCR', { default: '20000', meaning: 'pages; a longer document fails' }),
  OCR_LEASE_SECONDS: seconds(2)('OCR', { default: '30', meaning: 'seconds after which the job of a silent worker is taken over' }),

  // Reading limits
  READ_TOOL_MEMORY_MB: integer(256)('Reading limits', {
    default: '2048',
    meaning: 'memory in MB of one program that reads documents, up to MEMORY_LIMIT_MB; LibreOffice gets twice as much',
  }),
  READ_TOOL_FILE_MB: integer(16)('Reading limits', { default: '1024', meaning: 'largest file in MB such a program may write' }),
  READ_ARCHIVE_MAX_RATIO: integer(1)('Reading limits', {
    default: '250',
    meaning: 'times its packed size an office file may unpack to; repetitive sheets reach 100, bombs 1,000',
  }),
  READ_ARCHIVE_MAX_ENTRIES: integer(1)('Reading limits', { default: '20000', meaning: 'entries of an office file' }),
  READ_ARCHIVE_MAX_MB: integer(1)('Reading limits', { default: '1024', meaning: 'MB an office file may unpack to' }),
  READ_IMAGE_MAX_MEGAPIXELS: integer(1, 10_000)('Reading limits', {
    default: '500',
    meaning: 'millions of pixels; a picture with more is refused before it is decoded',
  }),
  OFFICE_TIMEOUT_SECONDS: seconds(1)('Reading limits', { default: '120', meaning: 'seconds to convert one office file' }),

  // Feature flags
  FEATURE_ADVANCED_SEARCH: boolean('Feature flags', { default: 'true', meaning: 'POST /api/search/advanced' }),
  FEATURE_LABELS: boolean('Feature flags', { default: 'true', meaning: 'the endpoints of labels' }),
  FEATURE_SOURCES: boolean('Feature flags', { default: 'true', meaning: 'the endpoints of sources, and fetching from them' }),
  FEATURE_WEBDAV: boolean('Feature flags', { default: 'true', meaning: 'sources of the type webdav' }),
  FEATURE_MULTI_LANGUAGE_OCR: boolean('Feature flags', {
    default: 'true',
    meaning: 'a document may be read in several languages, joined by +',
  }),

  // Database connection
  DATABASE_MAX_CONNECTIONS: integer(2, 1_000)('Database connection', {
    default: '32',
    meaning: 'connections of the api at most; the other processes have up to 8 each',
  }),
  DATABASE_MIN_CONNECTIONS: integer(0, 1_000)('Database connection', { default: '5', meaning: 'connections the api keeps open' }),
  DATABASE_CONNECT_TIMEOUT: seconds(1)('Database connection', {
    default: '5',
    meaning: 'seconds to make one connection, TLS and sign-in included; connect_timeout in DATABASE_URL goes before it',
  }),
  DATABASE_IDLE_TIMEOUT: seconds(1)('Database connection', {
    default: '600',
    meaning: 'seconds after which an idle connection is closed; processes other than the api wait for 30 at most',
  }),
  DATABASE_MAX_LIFETIME: seconds(1)('Database connection', { default: '1800', meaning: 'seconds after which a connection is replaced' }),
  EMBEDDED_POSTGRES_PORT: port('Database connection', {
    default: '54329',
    meaning: 'port of the embedded PostgreSQL on 127.0.0.1; the next free one where it is taken',
  }),

  ...SIGN_IN_VARIABLES,
  ...FEDERATION_VARIABLES,
  ...SURFACE_VARIABLES,
  ...NOTIFICATION_VARIABLES,
  ...RESOURCE_VARIABLES,

  // Sources
  LOCAL_SOURCE_ROOTS: folderList('Sources', {
    default: undefined,
    meaning: 'folders of this machine that sources of the type local_folder may lie in, comma-separated; none allows no such source',
  }),
  SYNC_PARALLEL_DOWNLOADS: integer(1, 64)('Sources', { default: '5', meaning: 'files fetched from sources at the same time' }),
  SOURCE_CHECK_INTERVAL: seconds(10)('Sources', { default: '300', meaning: 'seconds between two checks whether a source can be reached' }),

  // Outbound
  OUTBOUND_ALLOWED_NETWORKS: list('Outbound', {
    default: undefined,
    meaning:
      'networks (CIDR) or addresses, comma-separated, that requests to sources, webhooks, identity providers and the cloud engine may go to although they are loopback, reserved or denied; link-local and metadata addresses stay closed',
  }),
  OUTBOUND_DENY_PRIVATE: boolean('Outbound', { default: 'false', meaning: 'such requests may not go to private networks' }),

  // Monitoring
  HEALTH_CHECK_PATH: text('Monitoring', { default: '/health', meaning: 'path of the liveness probe of every process' }),
  READY_CHECK_PATH: text('Monitoring', { default: '/ready', meaning: 'path of the readiness probe of every process' }),
  METRICS_PATH: text('Monitoring', { default: '/metrics', meaning: 'path of the metrics of every process and of the exporter' }),
  PROBE_HOST: text('Monitoring', { default: '127.0.0.1', meaning: 'address of the probe ports' }),
  PROBE_PORT_BASE: integer(0, 64_000)('Monitoring', {
    default: '9100',
    meaning: 'supervisor +0, watcher +10, sync +20, ocr-worker n +30+n',
  }),

  // Processes
  PROCESS_INSTANCE: integer(0, 1_000)('Processes', {
    default: '0',
    meaning: 'number of this process among its like; the supervisor sets it',
  }),
  SUPERVISOR_PROBE_PORT: port('Processes', {
    default: undefined,
    meaning: 'probe port of the supervisor, which sets it so that the exporter can ask for its metrics',
  }),
  SHUTDOWN_GRACE_SECONDS: seconds(1, 86_400)('Processes', {
    default: '15',
    meaning: 'seconds a process may take to stop before it is ended by force',
  }),
} as const;

export type VariableName = keyof typeof VARIABLES;
