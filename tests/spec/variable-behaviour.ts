// For each variable the one test that proves that changing it changes what the service does. tests/unit/house/variables.test.ts
// reads this table, and fails for a variable without a row, a title that is not there, and a file that does not set the variable.
import type { VariableName } from '@sheaf/config';

export interface BehaviourTest {
  /** Below tests/. Not tests/spec/configuration* and not tests/unit/config: these prove only that a value arrives. */
  readonly file: string;
  /** As it stands in the file, after `test(`. */
  readonly title: string;
  /** The field of the configuration by which the file sets it, where it does not name the variable itself. */
  readonly field?: string;
}

const by = (file: string, title: string, field?: string): BehaviourTest => (field === undefined ? { file, title } : { file, title, field });

/** One test that proves it for several variables. */
const all = <N extends VariableName>(names: readonly N[], test: BehaviourTest): Record<N, BehaviourTest> =>
  Object.fromEntries(names.map((name) => [name, test])) as Record<N, BehaviourTest>;

const WHICH_DATABASE = by(
  'integration/db/database-of.test.ts',
  'POSTGRES_* say where the database is, each its part, and DATABASE_URL goes before them',
);
const CLIENT_CERTIFICATE = by(
  'integration/db/tls.test.ts',
  'DATABASE_SSL_CERT and DATABASE_SSL_KEY are shown to a server that asks for them',
);
const BARCODES = by(
  'integration/filing/apply-barcodes.test.ts',
  'BARCODE_ENABLED, BARCODE_ASN_PREFIX and BARCODE_LABEL_PREFIX say what codes a document is filed by',
);
const SEPARATORS = by(
  'integration/filing/split-documents.test.ts',
  'BARCODE_SEPARATOR begins a document, and BARCODE_KEEP_SEPARATOR keeps the sheet as its first page',
);
const WATCH_BARCODES = by(
  'integration/filing/split-documents.test.ts',
  'WATCH_BARCODE_* go before BARCODE_* for files of watch folders, one by one',
);
const POOL_LIMITS = by(
  'integration/db/pool.test.ts',
  'DATABASE_MAX_CONNECTIONS is the most there are, and DATABASE_ACQUIRE_TIMEOUT how long a caller waits for one of them',
);

export const VARIABLE_BEHAVIOUR: Readonly<Record<VariableName, BehaviourTest>> = {
  // Resources and the database
  MEMORY_LIMIT_MB: by(
    'unit/ocr-worker/readers.test.ts',
    'MEMORY_LIMIT_MB has room for so many page readers, and for so much in one reading program',
  ),
  CPU_CORES: by(
    'integration/process/blocking-threads.test.ts',
    'BLOCKING_THREADS of an api that is started by itself are made, never more than four for each of CPU_CORES, and DATABASE_MIN_CONNECTIONS kept',
  ),
  WORKER_THREADS: by('unit/ocr-worker/readers.test.ts', 'WORKER_THREADS are shared between the ocr-workers, and each has one at least'),
  BLOCKING_THREADS: by(
    'integration/process/blocking-threads.test.ts',
    'BLOCKING_THREADS of an api that is started by itself are made, never more than four for each of CPU_CORES, and DATABASE_MIN_CONNECTIONS kept',
  ),
  BATCH_SIZE: by(
    'integration/cli/migrate-to-s3-command.test.ts',
    'BATCH_SIZE: after so many documents it looks again whether it may go on',
  ),
  PARALLEL_UPLOADS: by(
    'integration/cli/migrate-to-s3-command.test.ts',
    'PARALLEL_UPLOADS: so many files are on their way at the same time',
  ),
  DATABASE_URL: WHICH_DATABASE,
  DATABASE_DIRECT_URL: by('integration/db/pooler.test.ts', 'locks and LISTEN go past the pooler to DATABASE_DIRECT_URL'),
  DATABASE_READ_URL: by(
    'integration/db/read-replica.test.ts',
    'searches, lists and analytics are answered by the replica, and what one did is in the answer',
  ),
  POSTGRES_HOST: WHICH_DATABASE,
  POSTGRES_PORT: WHICH_DATABASE,
  POSTGRES_DB: WHICH_DATABASE,
  POSTGRES_USER: WHICH_DATABASE,
  POSTGRES_PASSWORD: WHICH_DATABASE,
  DATABASE_MAX_CONNECTIONS: POOL_LIMITS,
  DATABASE_ACQUIRE_TIMEOUT: POOL_LIMITS,
  DATABASE_MIN_CONNECTIONS: by(
    'integration/db/pool.test.ts',
    'DATABASE_MIN_CONNECTIONS are open from the start on, and again after they were lost',
  ),
  DATABASE_CONNECT_TIMEOUT: by(
    'integration/db/pool.test.ts',
    'DATABASE_CONNECT_TIMEOUT ends a connection that is not made in time, whatever else a caller would wait',
  ),
  DATABASE_IDLE_TIMEOUT: by('integration/db/pool.test.ts', 'DATABASE_IDLE_TIMEOUT closes what nobody uses, down to the least number'),
  DATABASE_MAX_LIFETIME: by('integration/db/pool.test.ts', 'DATABASE_MAX_LIFETIME replaces a connection, however busy it is'),
  DATABASE_SSL_MODE: by('integration/db/tls.test.ts', 'DATABASE_SSL_MODE decides whether a server with TLS is spoken to with TLS'),
  DATABASE_SSL_CERT: CLIENT_CERTIFICATE,
  DATABASE_SSL_KEY: CLIENT_CERTIFICATE,
  DATABASE_SSL_ROOT_CERT: by('integration/db/tls.test.ts', 'DATABASE_SSL_ROOT_CERT has the certificate and the name of the server checked'),
  // Monitoring
  EXPORTER_ENABLED: by(
    'e2e/exporter.full.test.ts',
    'EXPORTER_ENABLED: one port tells the metrics of all processes, and the probes answer under the paths that are set',
  ),
  EXPORTER_PORT: by(
    'e2e/exporter.full.test.ts',
    'EXPORTER_ENABLED: one port tells the metrics of all processes, and the probes answer under the paths that are set',
  ),
  HEALTH_CHECK_PATH: by(
    'e2e/exporter.full.test.ts',
    'EXPORTER_ENABLED: one port tells the metrics of all processes, and the probes answer under the paths that are set',
  ),
  METRICS_PATH: by(
    'e2e/exporter.full.test.ts',
    'EXPORTER_ENABLED: one port tells the metrics of all processes, and the probes answer under the paths that are set',
  ),
  READY_CHECK_PATH: by(
    'e2e/exporter.full.test.ts',
    'EXPORTER_ENABLED: one port tells the metrics of all processes, and the probes answer under the paths that are set',
  ),
  METRICS_ENABLED: by('integration/api/metrics.test.ts', 'METRICS_ENABLED=false: the path answers that the feature is off'),
  METRICS_ALLOWED_NETWORKS: by('integration/api/metrics.test.ts', 'METRICS_ALLOWED_NETWORKS=10.0.0.0/8: nobody else is given metrics'),
  SUPERVISOR_PROBE_PORT: by(
    'integration/api/exporter.test.ts',
    'the metrics of all processes are one text, each family once, told apart by process and instance',
    'supervisorPort',
  ),
  TRACING_ENABLED: by(
    'integration/process/tracing/one-trace.test.ts',
    'one trace leads from the request that uploads a document to the transaction that makes it searchable',
  ),
  TRACE_COLLECTOR_ENDPOINT: by(
    'integration/process/tracing/one-trace.test.ts',
    'one trace leads from the request that uploads a document to the transaction that makes it searchable',
  ),
  TRACE_SAMPLE_RATE: by(
    'integration/process/tracing/one-trace.test.ts',
    'a document of a request that was not kept is read without a trace of its own, and strangers cannot change that',
  ),
  // Figures, the memory cache and the room in the queue
  CACHE_SIZE_MB: by(
    'integration/api/analytics.test.ts',
    'what was asked for is kept in memory, as far as CACHE_SIZE_MB and CACHE_TTL allow',
  ),
  CACHE_TTL: by('integration/api/analytics.test.ts', 'what was asked for is kept in memory, as far as CACHE_SIZE_MB and CACHE_TTL allow'),
  FEATURE_ANALYTICS: by(
    'integration/api/analytics.test.ts',
    'FEATURE_ANALYTICS=false: each endpoint says so to those whom it would let in',
  ),
  OCR_QUEUE_SIZE: by(
    'integration/api/queue-full.test.ts',
    'while OCR_QUEUE_SIZE documents wait, uploads are answered 503 before their body is read, and taken when fewer wait',
  ),
  // The interface
  ...all(
    ['UPLOAD_IDLE_TIMEOUT', 'UPLOAD_MIN_BYTES_PER_SECOND'],
    by(
      'integration/api/slow-uploads.test.ts',
      'an upload that sends less than UPLOAD_MIN_BYTES_PER_SECOND over UPLOAD_IDLE_TIMEOUT is answered 400 and leaves nothing behind',
    ),
  ),
  REQUEST_TIMEOUT: by(
    'integration/api/request-timeout.test.ts',
    'a request that waits for a locked row is answered 503, and changes nothing when the row is free again',
  ),
  FEATURE_API_V2: by('spec/versioning.test.ts', 'Feature flags: FEATURE_API_V2 is off by default, and on it serves lists by cursor'),
  FEATURE_PAPERLESS_API: by(
    'integration/api/paperless/feature.test.ts',
    'FEATURE_PAPERLESS_API is off by default: every address below /paperless/api answers 404 until it is on',
  ),
  // Everything else, by the order of the declarations
  TRASH_RETENTION_DAYS: by(
    'integration/ingest/retention.test.ts',
    'documents whose TRASH_RETENTION_DAYS are over are removed with their bytes, the others stay',
  ),
  VERSIONS_KEEP: by('integration/config/api.test.ts', 'VERSIONS_KEEP is how many earlier files a document keeps'),
  ...all(
    ['THUMBNAIL_CACHE_MB', 'SEARCHABLE_PDF_CACHE_MB'],
    by(
      'integration/config/watcher.test.ts',
      'THUMBNAIL_CACHE_MB and SEARCHABLE_PDF_CACHE_MB are how many of these stay stored, the newest ones',
    ),
  ),
  STORAGE_SCRUB_DAYS: by(
    'integration/config/scrub.full.test.ts',
    'STORAGE_SCRUB_DAYS is the time in which every stored file is read once, and 0 reads none',
  ),
  ...all(
    ['CONFIG_FILE', 'LOG_FORMAT'],
    by(
      'integration/cli/config-flags.full.test.ts',
      'flags and the file count for every process that start starts, and what is to be said of them is said once',
    ),
  ),
  ...all(
    ['SERVER_ADDRESS', 'SERVER_HOST', 'SERVER_PORT'],
    by('integration/config/api.test.ts', 'SERVER_HOST and SERVER_PORT are where it listens, while SERVER_ADDRESS is not set'),
  ),
  ...all(
    ['PUBLIC_URL', 'REQUIRE_EMAIL_VERIFICATION'],
    by('integration/api/email-verification.test.ts', 'who registers gets a mail with a link that proves their address'),
  ),
  ...all(
    ['DATA_PATH', 'UPLOAD_PATH', 'TEMP_STORAGE_PATH', 'THUMBNAIL_PATH'],
    by(
      'integration/config/api.test.ts',
      'DATA_PATH, UPLOAD_PATH, TEMP_STORAGE_PATH and THUMBNAIL_PATH are where secrets, documents, drafts and thumbnails lie',
    ),
  ),
  ...all(
    ['ALLOWED_FILE_TYPES', 'MAX_FILE_SIZE_MB'],
    by('integration/config/api.test.ts', 'ALLOWED_FILE_TYPES and MAX_FILE_SIZE_MB are what an upload may be'),
  ),
  ...all(
    [
      'LOG_LEVEL',
      'WATCH_FOLDER',
      'WATCH_FOLDER_OWNER',
      'MAX_FILE_AGE_HOURS',
      'WATCH_RECURSIVE',
      'WATCH_FILE_PATTERNS',
      'WATCH_IGNORE_PATTERNS',
      'ENABLE_PER_USER_WATCH',
      'USER_WATCH_BASE_DIR',
      'MOVE_AFTER_PROCESSING',
      'PROCESSED_FILES_DIR',
    ],
    by('integration/config/watcher.test.ts', 'the watch folders are what their variables say'),
  ),
  ...all(
    ['STORAGE_TYPE', 'S3_ENABLED', 'S3_BUCKET_NAME', 'S3_PREFIX', 'S3_ENDPOINT_URL'],
    by(
      'integration/config/storage.test.ts',
      'S3_ENABLED and STORAGE_TYPE say where new documents go, S3_BUCKET_NAME and S3_PREFIX where there',
    ),
  ),
  BACKUP_PATH: by(
    'integration/cli/backup.test.ts',
    'sheaf backup makes an entry in BACKUP_PATH, prints its path last, and it verifies whole',
  ),
  S3_ACCESS_KEY_ID: by(
    'integration/storage/s3-faults.test.ts',
    'a key that is not known is refused once, and what to correct is said',
    'accessKeyId',
  ),
  S3_SECRET_ACCESS_KEY: by('integration/config/storage.test.ts', 'S3_SECRET_ACCESS_KEY signs every request'),
  S3_REGION: by('integration/storage/s3-settings.test.ts', 'key and region are in the signature', 'region'),
  S3_FORCE_PATH_STYLE: by(
    'integration/storage/s3-settings.test.ts',
    'without path style the bucket stands in the host name',
    'forcePathStyle',
  ),
  S3_USE_SSL: by('integration/storage/s3-settings.test.ts', 'https to a service that does not speak it is told so'),
  S3_VERIFY_SSL: by('integration/storage/s3-settings.test.ts', 'a certificate that is not valid is refused, unless it need not be'),
  S3_STORAGE_CLASS: by('integration/storage/s3-settings.test.ts', 'each way to make an object names the storage class', 'storageClass'),
  S3_SERVER_SIDE_ENCRYPTION: by('integration/storage/s3-settings.test.ts', 'each way to make an object asks for encryption', 'encryption'),
  S3_KMS_KEY_ID: by('integration/storage/s3-settings.test.ts', 'each way to make an object names the key of its encryption', 'kmsKeyId'),
  ...all(
    ['AZURE_STORAGE_CONNECTION_STRING', 'AZURE_STORAGE_CONTAINER'],
    by(
      'e2e/storages.full.test.ts',
      "${open === openS3 ? 'S3' : 'the blob store'}: documents are uploaded, read, shown, read again and deleted, and the storage may be away",
    ),
  ),
  ...all(
    [
      'WATCH_INTERVAL_SECONDS',
      'FILE_STABILITY_CHECK_MS',
      'HEALTH_CHECK_INTERVAL',
      'CPU_WARNING_THRESHOLD',
      'MEMORY_WARNING_THRESHOLD',
      'DISK_WARNING_THRESHOLD',
      'PROBE_HOST',
      'PROBE_PORT_BASE',
      'PROCESS_INSTANCE',
    ],
    by(
      'integration/config/watcher.test.ts',
      'alerts come by their thresholds and in their interval, probes answer at their address, and folders are scanned in theirs',
    ),
  ),
  OCR_ENABLED: by('integration/config/ocr-worker.test.ts', 'OCR_ENABLED=false: a worker completes a picture without reading it'),
  ...all(
    ['OCR_LANGUAGE', 'OCR_RETRY_ATTEMPTS', 'DEFAULT_USER_ROLE', 'ENABLE_REGISTRATION'],
    by(
      'integration/config/api.test.ts',
      'OCR_LANGUAGE and OCR_RETRY_ATTEMPTS are what a document is queued with, DEFAULT_USER_ROLE what a stranger becomes',
    ),
  ),
  ...all(
    ['OCR_ENGINE', 'CLOUD_OCR_ENDPOINT'],
    by('e2e/cloud-ocr.full.test.ts', 'with the cloud engine a scan is read by the service and a text is not sent there'),
  ),
  CLOUD_OCR_KEY: by(
    'e2e/cloud-ocr.full.test.ts',
    'a cloud engine that refuses the key fails the document at once and says which setting to look at',
  ),
  ...all(
    ['OCR_RUNNER', 'OCR_PSM', 'OCR_OEM', 'OCR_ENGINE_DATA_PATH'],
    by(
      'integration/config/reading.test.ts',
      'OCR_PSM, OCR_OEM and OCR_RUNNER are how the engine is called, OCR_ENGINE_DATA_PATH is where its languages are',
    ),
  ),
  PARSER_SANDBOX: by('integration/config/parser-sandbox.test.ts', 'PARSER_SANDBOX=require refuses office files where there is no sandbox'),
  CONCURRENT_OCR_JOBS: by(
    'integration/config/ocr-worker.test.ts',
    'CONCURRENT_OCR_JOBS limits the documents that a worker reads, with three more while they wait for OCR',
  ),
  OCR_WORKER_PROCESSES: by('faults/second-replica.full.test.ts', 'two ocr-workers share the queue'),
  OCR_TIMEOUT_SECONDS: by('integration/config/reading.test.ts', 'OCR_TIMEOUT_SECONDS is how long a document may be recognised'),
  ...all(['BARCODE_ENABLED', 'BARCODE_ASN_PREFIX', 'BARCODE_LABEL_PREFIX'], BARCODES),
  ...all(['BARCODE_SEPARATOR', 'BARCODE_KEEP_SEPARATOR'], SEPARATORS),
  ...all(
    [
      'WATCH_BARCODE_ENABLED',
      'WATCH_BARCODE_SEPARATOR',
      'WATCH_BARCODE_KEEP_SEPARATOR',
      'WATCH_BARCODE_ASN_PREFIX',
      'WATCH_BARCODE_LABEL_PREFIX',
    ],
    WATCH_BARCODES,
  ),
  DATE_ORDER: by('integration/config/ocr-worker.test.ts', 'DATE_ORDER is the order of the numbers in a date that does not show it'),
  OCR_RETRY_DELAY: by('integration/config/ocr-worker.test.ts', 'OCR_RETRY_DELAY is the pause before a document is tried again'),
  OCR_CONFIDENCE_THRESHOLD: by(
    'integration/config/ocr-worker.test.ts',
    'OCR_CONFIDENCE_THRESHOLD is the confidence below which a document needs attention',
  ),
  ...all(
    ['MAX_PDF_SIZE_MB', 'MAX_DOCUMENT_PAGES'],
    by('integration/config/reading.test.ts', 'MAX_DOCUMENT_PAGES and MAX_PDF_SIZE_MB are the most that is read'),
  ),
  ...all(
    ['MAX_OFFICE_DOCUMENT_SIZE_MB', 'READ_ARCHIVE_MAX_RATIO', 'READ_ARCHIVE_MAX_ENTRIES', 'READ_ARCHIVE_MAX_MB'],
    by('integration/config/reading.test.ts', 'MAX_OFFICE_DOCUMENT_SIZE_MB and READ_ARCHIVE_MAX_* are the most of an office file'),
  ),
  ...all(
    ['OCR_DPI', 'MAX_PAGE_MEGAPIXELS', 'READ_TOOL_FILE_MB'],
    by(
      'integration/config/reading.test.ts',
      'OCR_DPI, MAX_PAGE_MEGAPIXELS and READ_TOOL_FILE_MB decide how large the drawing of a page is',
    ),
  ),
  OCR_LEASE_SECONDS: by('faults/survive.test.ts', 'a document whose reader dies each time fails with that reason, and the others are read'),
  ...all(
    ['READ_TOOL_MEMORY_MB', 'READ_IMAGE_MAX_MEGAPIXELS'],
    by('integration/config/reading.test.ts', 'READ_IMAGE_MAX_MEGAPIXELS and READ_TOOL_MEMORY_MB are the most of a picture'),
  ),
  OFFICE_TIMEOUT_SECONDS: by('integration/config/reading.test.ts', 'OFFICE_TIMEOUT_SECONDS is how long an office file may take'),
  FEATURE_ADVANCED_SEARCH: by(
    'integration/api/advanced-search-off.test.ts',
    'an advanced search that is disabled is not found, and says so; the plain one goes on',
  ),
  ...all(
    ['FEATURE_LABELS', 'FEATURE_SHARE_LINKS', 'FEATURE_SOURCES'],
    by(
      'integration/api/feature-flags.test.ts',
      '${variable}=false: each of its routes answers 404 FEATURE_DISABLED, in version 1 and 2, and nothing to strangers',
    ),
  ),
  SHARE_MAX_DAYS: by('integration/api/shares.test.ts', 'a link ends within SHARE_MAX_DAYS, and its password is long enough'),
  FEATURE_WEBDAV: by(
    'integration/api/sources-off.test.ts',
    'while webdav is disabled, such sources are listed, and neither made nor tested nor run',
  ),
  FEATURE_MULTI_LANGUAGE_OCR: by(
    'integration/api/languages.test.ts',
    'where reading in several languages is disabled, an upload and a retry name one at most',
  ),
  EMBEDDED_POSTGRES_PORT: by(
    'integration/program/server.test.ts',
    'a taken port is left to its owner and the next one is used, unless exactly this one is needed',
    'port',
  ),
  ADMIN_PASSWORD: by('integration/config/api.test.ts', 'ADMIN_PASSWORD makes the first administrator'),
  AUTH_ENABLED: by('integration/api/auth.test.ts', 'AUTH_ENABLED=false: who comes is administrator, also to make the first documents'),
  ...all(['AUTH_METHOD', 'AUTO_CREATE_USERS'], by('integration/api/mfa-attacks.test.ts', 'who signs in by a directory is asked as well')),
  ROLES_FILE: by('integration/config/api.test.ts', 'ROLES_FILE decides what a role may do'),
  ...all(
    ['PASSWORD_MIN_LENGTH', 'SESSION_COOKIE_NAME', 'SESSION_COOKIE_SECURE', 'SESSION_COOKIE_HTTPONLY', 'SESSION_COOKIE_SAMESITE'],
    by('integration/config/api.test.ts', 'SESSION_COOKIE_* are what the cookie says, and PASSWORD_* what a password needs'),
  ),
  ...all(
    ['PASSWORD_REQUIRE_SPECIAL', 'PASSWORD_REQUIRE_NUMBERS'],
    by('integration/config/api.test.ts', 'PASSWORD_REQUIRE_SPECIAL and PASSWORD_REQUIRE_NUMBERS ask for such characters'),
  ),
  MAX_LOGIN_ATTEMPTS: by(
    'integration/api/lockout.test.ts',
    'after too many wrong passwords a name is locked for right ones as well, and known and unknown names answer alike all the way',
  ),
  LOCKOUT_DURATION: by(
    'integration/accounts/lockout.test.ts',
    'the lock and the window in which failures count end with time',
    'durationMs',
  ),
  APP_SECRET_KEY: by(
    'integration/config/sign-in.test.ts',
    'APP_SECRET_KEY encrypts second factors: with another one they cannot be opened',
  ),
  SESSION_SECRET: by('integration/config/sign-in.test.ts', 'SESSION_SECRET makes the token that a page needs for changes'),
  JWT_SECRET: by('integration/config/sign-in.test.ts', 'JWT_SECRET signs tokens: those of another one are refused'),
  JWT_ENABLED: by(
    'integration/accounts/refresh.test.ts',
    'JWT_ENABLED=false: a sign-in opens a browser session, and bearer tokens are refused',
    'enabled',
  ),
  JWT_ALGORITHM: by(
    'integration/accounts/refresh.test.ts',
    'JWT_ALGORITHM is what tokens are signed with; those of another one are refused',
    'algorithm',
  ),
  ...all(
    ['JWT_EXPIRY_MINUTES', 'JWT_REFRESH_EXPIRY_DAYS'],
    by(
      'integration/config/sign-in.test.ts',
      'JWT_EXPIRY_MINUTES is how long a token lives, JWT_REFRESH_EXPIRY_DAYS how long it can be renewed',
    ),
  ),
  JWT_REFRESH_ENABLED: by(
    'integration/accounts/refresh.test.ts',
    'JWT_REFRESH_ENABLED=false: a session ends with its token',
    'refreshLifeMs',
  ),
  API_KEY_ENABLED: by('integration/api/keys.test.ts', 'API_KEY_ENABLED=false: the endpoints say so, and no key is taken'),
  ...all(
    ['API_KEY_HEADER', 'API_KEY_EXPIRY_DAYS'],
    by(
      'integration/api/keys.test.ts',
      'an administrator makes a key, which is shown once and works in the header that API_KEY_HEADER names',
    ),
  ),
  ...all(
    ['SESSION_LIFETIME_HOURS', 'SESSION_IDLE_TIMEOUT_MINUTES'],
    by(
      'integration/config/sign-in.test.ts',
      'SESSION_LIFETIME_HOURS ends a browser session that is used, SESSION_IDLE_TIMEOUT_MINUTES one that is not',
    ),
  ),
  SESSION_TIMEOUT: by('integration/config/sign-in.test.ts', 'SESSION_TIMEOUT counts where SESSION_IDLE_TIMEOUT_MINUTES is not set'),
  SESSION_REMEMBER_ME_DAYS: by('integration/config/sign-in.test.ts', 'SESSION_REMEMBER_ME_DAYS is how long a remembered session lasts'),
  SESSION_MAX_CONCURRENT: by(
    'integration/accounts/sessions.test.ts',
    'one session more than SESSION_MAX_CONCURRENT ends the oldest, also when many sign in at once',
    'maxConcurrent',
  ),
  ...all(
    ['SESSION_BACKEND', 'STORE_SESSION_URL'],
    by(
      'integration/accounts/sessions.test.ts',
      'in a key-value store: cookies work, limits hold, sign-out ends both cookie and token',
      'storeUrl',
    ),
  ),
  SESSION_CLEANUP_INTERVAL_HOURS: by(
    'integration/config/sign-in.test.ts',
    'SESSION_CLEANUP_INTERVAL_HOURS is how long the service waits between two sweeps',
  ),
  ...all(['SMTP_HOST', 'SMTP_PORT'], by('spec/notification-channels.test.ts', 'SMTP_HOST, SMTP_PORT: where mail goes to')),
  ...all(
    ['SMTP_USERNAME', 'SMTP_PASSWORD'],
    by('spec/notification-channels.test.ts', 'SMTP_USERNAME, SMTP_PASSWORD: by what the service signs in there'),
  ),
  SMTP_FROM_ADDRESS: by('spec/notification-channels.test.ts', 'SMTP_FROM_ADDRESS: whom mail comes from'),
  SMTP_USE_TLS: by('spec/notification-channels.test.ts', 'SMTP_USE_TLS: true by default, and then a server without TLS gets nothing'),
  ...all(
    ['OIDC_ENABLED', 'OIDC_ISSUER_URL', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_SCOPES', 'OIDC_GROUP_ROLE_MAPPING'],
    by(
      'integration/accounts/federation-api.test.ts',
      'OIDC: the first sign-in makes an account, the role follows the groups, and the session is one of ours',
    ),
  ),
  OIDC_REDIRECT_URI: by(
    'integration/accounts/oidc-routes.test.ts',
    'the return is served where OIDC_REDIRECT_URI says, and under its own path',
    'redirectUri',
  ),
  OIDC_USER_CLAIM: by(
    'integration/accounts/oidc-sign-in.test.ts',
    'the claim of OIDC_USER_CLAIM names the user, and a user without it is refused',
    'userClaim',
  ),
  OIDC_GROUPS_CLAIM: by(
    'integration/accounts/oidc-sign-in.test.ts',
    'groups are found by a dotted path and by a claim that is a URL, as list and as text',
    'groupsClaim',
  ),
  OIDC_ADMIN_GROUP: by(
    'integration/accounts/sign-in.test.ts',
    'groups decide at every sign-in: who leaves the group of administrators is none any more, unless they are the last',
    'adminGroup',
  ),
  OIDC_AUTO_CREATE_USERS: by(
    'integration/config/sign-in.test.ts',
    'OIDC_AUTO_CREATE_USERS makes accounts of who comes by OIDC, and of nobody else',
  ),
  OIDC_AUDIENCE: by(
    'integration/accounts/oidc-attacks.test.ts',
    'OIDC_AUDIENCE is asked for, and not demanded in the token, which is for us alone or for us as well',
    'audience',
  ),
  OIDC_HOSTED_DOMAIN: by(
    'integration/accounts/oidc-attacks.test.ts',
    'only verified addresses of OIDC_HOSTED_DOMAIN come in',
    'hostedDomain',
  ),
  OIDC_TOKEN_ENDPOINT_AUTH_METHOD: by(
    'integration/accounts/oidc-sign-in.test.ts',
    'this service proves itself with ${method}',
    'tokenEndpointAuthMethod',
  ),
  ...all(
    ['OIDC_AUTH_ENDPOINT', 'OIDC_TOKEN_ENDPOINT', 'OIDC_USER_INFO_ENDPOINT'],
    by('integration/accounts/oidc-sign-in.test.ts', 'endpoints that are configured go before discovered ones', 'endpoints'),
  ),
  OIDC_DEBUG: by('integration/config/sign-in.test.ts', 'OIDC_DEBUG logs each step of a sign-in'),
  ...all(
    ['SAML2_IDP_METADATA_URL', 'SAML2_SP_ENTITY_ID', 'SAML2_SP_ACS_URL', 'SAML2_ADMIN_GROUP'],
    by(
      'integration/accounts/federation-api.test.ts',
      'SAML 2.0: the first sign-in makes an account, and a member of SAML2_ADMIN_GROUP is an administrator',
    ),
  ),
  ...all(
    ['SAML2_SP_X509_CERT', 'SAML2_SP_PRIVATE_KEY'],
    by('integration/accounts/saml-sign-in.test.ts', 'a key that is not that of the certificate, or cannot be read, ends the start'),
  ),
  SAML2_ATTRIBUTE_MAPPING: by(
    'integration/accounts/saml-sign-in.test.ts',
    'the attributes of SAML2_ATTRIBUTE_MAPPING are read, and the address of one named there counts as verified',
    'attributes',
  ),
  LDAP_SERVER: by('integration/accounts/ldap-connections.test.ts', 'the next server is asked where the first cannot be reached', 'servers'),
  LDAP_BIND_DN: by(
    'integration/accounts/ldap-sign-in.test.ts',
    'a wrong password of the service is a failure of the service, not of the person',
    'bindDn',
  ),
  ...all(
    ['LDAP_BIND_PASSWORD', 'LDAP_GROUP_SEARCH_BASE', 'LDAP_USER_ATTR_MAP', 'LDAP_USER_FILTER'],
    by(
      'integration/config/ldap.test.ts',
      'LDAP_BIND_PASSWORD, LDAP_USER_ATTR_MAP, LDAP_GROUP_SEARCH_BASE and LDAP_USER_FILTER are what is asked of the directory',
    ),
  ),
  LDAP_BASE_DN: by('integration/accounts/ldap-sign-in.test.ts', 'people outside the base are not found', 'baseDn'),
  LDAP_GROUP_FILTER: by(
    'integration/accounts/ldap-sign-in.test.ts',
    'without a group filter the groups are those of the entry',
    'groupFilter',
  ),
  LDAP_ADMIN_GROUP: by(
    'integration/accounts/ldap-sign-in.test.ts',
    'groups come by filter, under the names of the directory and of the settings',
    'adminGroup',
  ),
  LDAP_GROUP_ROLE_MAPPING: by(
    'integration/api/auth-test.test.ts',
    'a directory is tried before users sign in by it, with the role that its groups would give',
  ),
  LDAP_USE_TLS: by(
    'integration/accounts/ldap-connections.test.ts',
    'StartTLS and ldaps work with a certificate that is trusted',
    'startTls',
  ),
  LDAP_TLS_CA_FILE: by(
    'integration/accounts/ldap-connections.test.ts',
    'StartTLS and ldaps work with a certificate that is trusted',
    'caFile',
  ),
  LDAP_TLS_VERIFY: by('integration/accounts/ldap-connections.test.ts', 'LDAP_TLS_VERIFY=false takes any certificate', 'verifyTls'),
  LDAP_EMAIL_VERIFIED: by(
    'integration/accounts/ldap-sign-in.test.ts',
    'an address is verified only where LDAP_EMAIL_VERIFIED says so',
    'emailVerified',
  ),
  LDAP_DEBUG: by('integration/accounts/ldap-sign-in.test.ts', 'no password is ever logged, each step is with LDAP_DEBUG', 'debug'),
  MFA_ENABLED: by(
    'integration/accounts/totp.test.ts',
    'what is disabled cannot be set up, and with MFA_ENABLED=false nobody is asked',
    'enabled',
  ),
  MFA_METHOD: by(
    'integration/accounts/totp.test.ts',
    'what is disabled cannot be set up, and with MFA_ENABLED=false nobody is asked',
    'methods',
  ),
  MFA_ISSUER: by('integration/api/mfa.test.ts', 'an authenticator app is set up, proven by a code, and asked for from then on'),
  ...all(
    ['MFA_ENFORCE_FOR_ADMINS', 'MFA_GRACE_PERIOD_DAYS'],
    by(
      'integration/api/mfa-for-administrators.test.ts',
      'an administrator may do without for some days, which begin when it is first asked of them',
    ),
  ),
  ...all(
    ['WEBAUTHN_RP_ID', 'WEBAUTHN_RP_NAME'],
    by('integration/config/sign-in.test.ts', 'WEBAUTHN_RP_ID and WEBAUTHN_RP_NAME are what a browser is told that a passkey is for'),
  ),
  WEBAUTHN_ORIGIN: by('integration/accounts/webauthn.test.ts', 'an answer from another origin is refused, whatever it says', 'origins'),
  WEBAUTHN_REQUIRE_ATTESTATION: by(
    'integration/accounts/webauthn.test.ts',
    'with WEBAUTHN_REQUIRE_ATTESTATION=direct a key that says nothing of its maker is refused',
    'attestation',
  ),
  SECURITY_HEADERS_ENABLED: by(
    'integration/api/security-headers.test.ts',
    'all of them can be disabled; answers of the interface are kept by no cache even then',
  ),
  ...all(
    ['SECURITY_CSP', 'SECURITY_X_FRAME_OPTIONS', 'SECURITY_X_CONTENT_TYPE_OPTIONS', 'SECURITY_REFERRER_POLICY'],
    by('integration/api/security-headers.test.ts', 'each header is what the operator says, or is not sent'),
  ),
  ...all(
    ['SECURITY_HSTS_SECONDS', 'SECURITY_HSTS_INCLUDE_SUBDOMAINS'],
    by(
      'integration/api/security-headers.test.ts',
      'browsers are told to insist on https only over https, of which only a trusted proxy can tell',
    ),
  ),
  CORS_ENABLED: by('integration/api/cors.test.ts', 'disabled, no origin hears a word'),
  CORS_ALLOWED_ORIGINS: by(
    'integration/api/cors.test.ts',
    'with a list only its origins are let in, cookies included, and caches are told so',
  ),
  ...all(
    ['CORS_ALLOWED_METHODS', 'CORS_ALLOWED_HEADERS', 'CORS_MAX_AGE'],
    by(
      'integration/api/cors.test.ts',
      'a preflight is answered with the configured methods, the headers asked for and how long that holds',
    ),
  ),
  PROXY_COUNT: by(
    'integration/api/client-address.test.ts',
    'behind proxies the address that the outermost one saw counts, and what the client wrote before it does not',
  ),
  TRUSTED_PROXIES: by('integration/api/client-address.test.ts', 'with named proxies the last address that is none of them counts'),
  RATE_LIMIT_ENABLED: by('integration/api/rate-limit.test.ts', 'disabled, nothing is counted and nothing is said'),
  ...all(
    ['RATE_LIMIT_PER_MINUTE', 'RATE_LIMIT_BURST'],
    by('integration/api/rate-limit.test.ts', 'who has had all is answered with 429, the envelope and when to come back'),
  ),
  RATE_LIMIT_BROWSER_PER_MINUTE: by(
    'integration/api/browser-rate-limit.test.ts',
    'a browser has a limit of its own, which counts uploads too',
  ),
  JSON_BODY_LIMIT_MB: by('integration/api/json-body-limit.test.ts', 'a body beyond JSON_BODY_LIMIT_MB is refused, as a body or as a file'),
  RATE_LIMIT_UPLOADS_PER_MINUTE: by('integration/api/rate-limit.test.ts', 'uploads have a limit of their own beside that of requests'),
  NOTIFICATIONS_ENABLED: by(
    'spec/notification-channels.test.ts',
    'NOTIFICATIONS_ENABLED: while it is false nothing leaves, also what was told before',
  ),
  EMAIL_ENABLED: by('spec/notification-channels.test.ts', 'EMAIL_ENABLED: mail is sent when it is true, and not by default'),
  ...all(
    ['EMAIL_NOTIFICATION_TYPES', 'HEALTH_EMAIL_ALERTS'],
    by('spec/notification-channels.test.ts', 'EMAIL_NOTIFICATION_TYPES, HEALTH_EMAIL_ALERTS: which notifications are mails'),
  ),
  WEBHOOK_ENABLED: by(
    'spec/notification-channels.test.ts',
    'WEBHOOK_ENABLED: every notification is posted when it is true, and none by default',
  ),
  WEBHOOK_URL: by('spec/notification-channels.test.ts', 'WEBHOOK_URL: required if webhooks are enabled, and where they go to'),
  WEBHOOK_SECRET: by(
    'spec/notification-channels.test.ts',
    'WEBHOOK_SECRET: signs, by whsec_ and base64 or by any text; what only looks like the first is refused at the start',
  ),
  WEBSOCKET_ENABLED: by('spec/events.test.ts', 'Variable WEBSOCKET_ENABLED=false: neither /ws nor socket.io is there'),
  WEBSOCKET_MAX_CONNECTIONS: by(
    'spec/events.test.ts',
    'Variable WEBSOCKET_MAX_CONNECTIONS: so many in all, whatever they speak and whose they are',
  ),
  FEATURE_NOTIFICATIONS: by('spec/notifications.test.ts', 'Feature flags: FEATURE_NOTIFICATIONS'),
  LOCAL_SOURCE_ROOTS: by(
    'integration/api/local-folder-sources.test.ts',
    'a folder of the server is a source inside LOCAL_SOURCE_ROOTS only, with every link followed',
  ),
  IMPORT_ROOTS: by(
    'integration/api/imports.test.ts',
    'a path of the server is imported inside IMPORT_ROOTS only, with every link followed',
  ),
  IMPORT_MAX_UPLOAD_MB: by(
    'integration/api/imports.test.ts',
    'an upload is refused that is too large or no ZIP file, and leaves nothing behind',
  ),
  SYNC_PARALLEL_DOWNLOADS: by(
    'integration/sync/sync-runs.test.ts',
    'three sources are run at a time and each once, and no more files are fetched than are allowed over all runs',
    'parallelDownloads',
  ),
  SOURCE_CHECK_INTERVAL: by('integration/config/sync.test.ts', 'SOURCE_CHECK_INTERVAL is how long a look at a source is good for'),
  OUTBOUND_ALLOWED_NETWORKS: by(
    'unit/outbound/outbound-policy.test.ts',
    'an allowed network opens this machine, reserved and private addresses, and nothing beside it',
    'allowedNetworks',
  ),
  OUTBOUND_CA_FILE: by(
    'integration/outbound/own-authority.test.ts',
    'OUTBOUND_CA_FILE lets the process trust a server whose certificate an own CA has signed, and without it the setting is named',
    'caFile',
  ),
  OUTBOUND_DENY_PRIVATE: by(
    'unit/outbound/outbound-policy.test.ts',
    'private networks are open until OUTBOUND_DENY_PRIVATE closes them',
    'denyPrivate',
  ),
  SHUTDOWN_GRACE_SECONDS: by(
    'integration/supervisor/start-and-stop.test.ts',
    'a child that does not stop is killed with its programs when the grace is over',
    'graceMs',
  ),
  SINGLE_REPLICA: by(
    'faults/second-replica.test.ts',
    'a second sync on the same database is refused with SINGLE_REPLICA=refuse, and stands by otherwise: it takes over when the first is killed',
  ),
};
