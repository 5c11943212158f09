import { isIPv6 } from 'node:net';
import { join, resolve } from 'node:path';
import { Secret, stripEnd } from '@sheaf/contract';
import type { ConfiguredRoles } from '@sheaf/vocabulary/permissions';
import { withHostLists } from './database-checks.ts';
import { ldapConfig, secondFactorConfig } from './directory-checks.ts';
import { oidcConfig, samlConfig } from './federation.ts';
import { allowedFileTypes } from './file-types.ts';
import { type GeneratedSecrets, loadGeneratedSecrets } from './generated-secrets.ts';
import { monitoringConfig, notificationConfig } from './notifications.ts';
import type { RawValues, Values } from './parse.ts';
import { databaseTlsConfig, embeddedServerConfig, resourceConfig, telemetryConfig } from './resources.ts';
import { mailConfig, readCheckedRoles, signInConfig } from './sign-in.ts';
import { storageConfig } from './storage.ts';

const MEGABYTE = 1024 * 1024;
const DATE_ORDERS = { DMY: 'day_first', MDY: 'month_first', YMD: 'year_first' } as const;

const listedHosts = (url: Secret): Secret => new Secret(withHostLists(url.reveal()));

/** The URL of a database someone else runs, or undefined when the embedded one is to be used. */
const externalDatabaseUrl = (v: Values): Secret | undefined => {
  if (v.DATABASE_URL !== undefined) return listedHosts(v.DATABASE_URL);
  const parts = [v.POSTGRES_HOST, v.POSTGRES_PORT, v.POSTGRES_DB, v.POSTGRES_USER, v.POSTGRES_PASSWORD];
  if (parts.every((part) => part === undefined)) return undefined;
  const host = v.POSTGRES_HOST ?? 'localhost';
  const url = new URL('postgresql://localhost');
  if (host.startsWith('/')) url.searchParams.set('host', host);
  else url.hostname = isIPv6(host) ? `[${host}]` : host;
  url.port = String(v.POSTGRES_PORT ?? 5_432);
  url.username = encodeURIComponent(v.POSTGRES_USER ?? 'sheaf');
  url.password = encodeURIComponent(v.POSTGRES_PASSWORD?.reveal() ?? 'sheaf');
  url.pathname = `/${encodeURIComponent(v.POSTGRES_DB ?? 'sheaf')}`;
  return new Secret(url.href);
};

const serverAddress = (v: Values): { host: string; port: number } => {
  if (v.SERVER_ADDRESS === undefined) return { host: v.SERVER_HOST, port: v.SERVER_PORT };
  const colon = v.SERVER_ADDRESS.lastIndexOf(':');
  return { host: v.SERVER_ADDRESS.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(v.SERVER_ADDRESS.slice(colon + 1)) };
};

/** The account of the cloud engine, where that is the one to use. */
const cloudOcr = (v: Values): { endpoint: string; key: Secret } | undefined =>
  v.OCR_ENGINE === 'cloud' && v.CLOUD_OCR_ENDPOINT !== undefined && v.CLOUD_OCR_KEY !== undefined
    ? { endpoint: v.CLOUD_OCR_ENDPOINT, key: v.CLOUD_OCR_KEY }
    : undefined;

/** What the configuration takes from files: read when a process starts, and the same as long as it runs. */
export interface ConfigFiles {
  readonly generated: GeneratedSecrets;
  readonly roles: ConfiguredRoles;
}

export const readConfigFiles = (v: Values): ConfigFiles => ({
  generated: loadGeneratedSecrets(resolve(v.DATA_PATH)),
  roles: readCheckedRoles(v.ROLES_FILE),
});

/** The parsed values as typed sections, each handed to the part of the service that needs it. Paths are absolute. */
export const toConfig = (v: Values, raw: RawValues, { generated, roles }: ConfigFiles = readConfigFiles(v)) => {
  const dataPath = resolve(v.DATA_PATH);
  const signIn = signInConfig(v, generated, roles);
  const notifications = notificationConfig(v, signIn.roles);
  const resources = resourceConfig(v);
  return {
    /** The address people reach the service by, without a slash at its end. */
    publicUrl: stripEnd(v.PUBLIC_URL ?? `http://localhost:${serverAddress(v).port}`, '/'),
    server: {
      ...serverAddress(v),
      healthPath: v.HEALTH_CHECK_PATH,
      readyPath: v.READY_CHECK_PATH,
      metricsPath: v.METRICS_PATH,
      requestTimeoutMs: v.REQUEST_TIMEOUT * 1_000,
      jsonBodyLimitBytes: v.JSON_BODY_LIMIT_MB * MEGABYTE,
      uploadPace: { windowMs: v.UPLOAD_IDLE_TIMEOUT * 1_000, minBytesPerSecond: v.UPLOAD_MIN_BYTES_PER_SECOND },
    },
    database: {
      /** Undefined: the embedded one. */
      url: externalDatabaseUrl(v),
      maxConnections: v.DATABASE_MAX_CONNECTIONS,
      minConnections: Math.min(v.DATABASE_MIN_CONNECTIONS, v.DATABASE_MAX_CONNECTIONS),
      connectTimeoutMs: v.DATABASE_CONNECT_TIMEOUT * 1_000,
      idleTimeoutMs: v.DATABASE_IDLE_TIMEOUT * 1_000,
      maxLifetimeMs: v.DATABASE_MAX_LIFETIME * 1_000,
      acquireTimeoutMs: v.DATABASE_ACQUIRE_TIMEOUT * 1_000,
      tls: databaseTlsConfig(v),
    },
    /** Where `database.url` leads to a connection pooler: the address of PostgreSQL itself. */
    directDatabaseUrl: v.DATABASE_DIRECT_URL && listedHosts(v.DATABASE_DIRECT_URL),
    /** A replica of `database.url` that answers searches, lists and analytics. */
    readDatabaseUrl: v.DATABASE_READ_URL && listedHosts(v.DATABASE_READ_URL),
    embeddedDatabase: {
      dataPath: join(dataPath, 'postgres'),
      urlFile: join(dataPath, 'database-url'),
      port: v.EMBEDDED_POSTGRES_PORT,
      password: generated.databasePassword,
      ...embeddedServerConfig(v, resources),
    },
    /** Of the secrets and the embedded database. */
    dataPath,
    /** The generated secrets. */
    secretsFile: join(dataPath, 'secrets.json'),
    log: { level: v.LOG_LEVEL, format: v.LOG_FORMAT },
    storage: storageConfig(v, raw),
    ingest: {
      allowedFileTypes: allowedFileTypes(v.ALLOWED_FILE_TYPES, raw.ALLOWED_FILE_TYPES),
      maxFileBytes: v.MAX_FILE_SIZE_MB * MEGABYTE,
      maxAttempts: v.OCR_RETRY_ATTEMPTS + 1,
      defaultLanguage: v.OCR_LANGUAGE,
      notifications: notifications.policy,
      versionsKeep: v.VERSIONS_KEEP,
    },
    watch: {
      folder: resolve(v.WATCH_FOLDER),
      owner: v.WATCH_FOLDER_OWNER,
      intervalMs: v.WATCH_INTERVAL_SECONDS * 1_000,
      stabilityMs: v.FILE_STABILITY_CHECK_MS,
      maxAgeMs: v.MAX_FILE_AGE_HOURS * 3_600_000,
      recursive: v.WATCH_RECURSIVE,
      patterns: v.WATCH_FILE_PATTERNS,
      ignorePatterns: v.WATCH_IGNORE_PATTERNS,
      perUser: { enabled: v.ENABLE_PER_USER_WATCH, baseFolder: resolve(v.USER_WATCH_BASE_DIR) },
      processed: { enabled: v.MOVE_AFTER_PROCESSING, folder: resolve(v.PROCESSED_FILES_DIR) },
    },
    sources: {
      enabled: v.FEATURE_SOURCES,
      webdavEnabled: v.FEATURE_WEBDAV,
      localRoots: (v.LOCAL_SOURCE_ROOTS ?? []).map((root) => resolve(root)),
      parallelDownloads: v.SYNC_PARALLEL_DOWNLOADS,
      checkIntervalMs: v.SOURCE_CHECK_INTERVAL * 1_000,
    },
    imports: {
      /** Folders of the server whose exports may be imported. */
      roots: (v.IMPORT_ROOTS ?? []).map((root) => resolve(root)),
      maxUploadBytes: v.IMPORT_MAX_UPLOAD_MB * MEGABYTE,
    },
    ocr: {
      enabled: v.OCR_ENABLED,
      engine: v.OCR_ENGINE,
      cloud: cloudOcr(v),
      runner: v.OCR_RUNNER,
      parserSandbox: v.PARSER_SANDBOX,
      concurrentJobs: v.CONCURRENT_OCR_JOBS ?? Math.max(1, Math.floor(resources.cores / 2)),
      workerProcesses: v.OCR_WORKER_PROCESSES,
      timeoutMs: v.OCR_TIMEOUT_SECONDS * 1_000,
      retryDelayMs: v.OCR_RETRY_DELAY * 1_000,
      confidenceThreshold: v.OCR_CONFIDENCE_THRESHOLD,
      dateOrder: v.DATE_ORDER && DATE_ORDERS[v.DATE_ORDER],
      maxPdfBytes: v.MAX_PDF_SIZE_MB * MEGABYTE,
      maxOfficeBytes: v.MAX_OFFICE_DOCUMENT_SIZE_MB * MEGABYTE,
      maxPages: v.MAX_DOCUMENT_PAGES,
      maxPixels: v.MAX_PAGE_MEGAPIXELS * 1_000_000,
      dpi: v.OCR_DPI,
      psm: v.OCR_PSM,
      oem: v.OCR_OEM,
      dataPath: v.OCR_ENGINE_DATA_PATH,
      leaseMs: v.OCR_LEASE_SECONDS * 1_000,
      limits: {
        toolMemoryBytes: Math.min(v.READ_TOOL_MEMORY_MB, v.MEMORY_LIMIT_MB) * MEGABYTE,
        toolFileBytes: v.READ_TOOL_FILE_MB * MEGABYTE,
        archiveRatio: v.READ_ARCHIVE_MAX_RATIO,
        archiveEntries: v.READ_ARCHIVE_MAX_ENTRIES,
        archiveBytes: v.READ_ARCHIVE_MAX_MB * MEGABYTE,
        imagePixels: v.READ_IMAGE_MAX_MEGAPIXELS * 1_000_000,
        officeTimeoutMs: v.OFFICE_TIMEOUT_SECONDS * 1_000,
      },
    },
    barcodes: {
      enabled: v.BARCODE_ENABLED,
      separator: v.BARCODE_SEPARATOR,
      asnPrefix: v.BARCODE_ASN_PREFIX,
      labelPrefix: v.BARCODE_LABEL_PREFIX ?? '',
      keepSeparator: v.BARCODE_KEEP_SEPARATOR,
    },
    watchBarcodes: {
      enabled: v.WATCH_BARCODE_ENABLED,
      separator: v.WATCH_BARCODE_SEPARATOR,
      asn_prefix: v.WATCH_BARCODE_ASN_PREFIX,
      label_prefix: v.WATCH_BARCODE_LABEL_PREFIX,
      keep_separator: v.WATCH_BARCODE_KEEP_SEPARATOR,
    },
    signIn,
    tokens: tokenConfig(v, generated),
    apiKeys: apiKeyConfig(v),
    sessions: sessionConfig(v, raw, generated),
    /** Undefined where no mail server is named. */
    mail: mailConfig(v),
    /** Undefined while it is off. */
    oidc: oidcConfig(v),
    /** Undefined while it is off. */
    saml: samlConfig(v),
    /** Undefined where no directory is named. */
    ldap: ldapConfig(v),
    secondFactor: secondFactorConfig(v),
    features: {
      advancedSearch: v.FEATURE_ADVANCED_SEARCH,
      labels: v.FEATURE_LABELS,
      multiLanguageOcr: v.FEATURE_MULTI_LANGUAGE_OCR,
      notifications: v.FEATURE_NOTIFICATIONS,
      analytics: v.FEATURE_ANALYTICS,
      apiV2: v.FEATURE_API_V2,
      paperlessApi: v.FEATURE_PAPERLESS_API,
    },
    shares: { enabled: v.FEATURE_SHARE_LINKS, maxDays: v.SHARE_MAX_DAYS },
    notifications,
    monitoring: monitoringConfig(v),
    telemetry: telemetryConfig(v),
    resources,
    websocket: { enabled: v.WEBSOCKET_ENABLED, maxConnections: v.WEBSOCKET_MAX_CONNECTIONS },
    headers: headersConfig(v),
    cors: corsConfig(v),
    trustedProxies: trustedProxies(v),
    bulk: { batchSize: v.BATCH_SIZE, parallelUploads: v.PARALLEL_UPLOADS },
    rateLimit: rateLimitConfig(v),
    outbound: {
      allowedNetworks: v.OUTBOUND_ALLOWED_NETWORKS ?? [],
      denyPrivate: v.OUTBOUND_DENY_PRIVATE,
      /** Trusted by the whole process since it has loaded its configuration. */
      caFile: v.OUTBOUND_CA_FILE && resolve(v.OUTBOUND_CA_FILE),
    },
    probes: {
      host: v.PROBE_HOST,
      portBase: v.PROBE_PORT_BASE,
      /** Undefined without a supervisor. */ supervisorPort: v.SUPERVISOR_PROBE_PORT,
    },
    process: {
      instance: v.PROCESS_INSTANCE,
      graceMs: v.SHUTDOWN_GRACE_SECONDS * 1_000,
      mayStandBy: v.SINGLE_REPLICA === 'standby',
      /** Where Node keeps compiled code between starts. */
      codeCachePath: join(dataPath, 'code-cache'),
    },
  };
};

export type Config = ReturnType<typeof toConfig>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const tokenConfig = (v: Values, generated: GeneratedSecrets) => ({
  enabled: v.JWT_ENABLED,
  secret: v.JWT_SECRET ?? generated.jwtSecret,
  algorithm: v.JWT_ALGORITHM,
  lifeMs: v.JWT_EXPIRY_MINUTES * MINUTE_MS,
  /** Undefined: there are no refresh tokens, and a session ends with its token. */
  refreshLifeMs: v.JWT_REFRESH_ENABLED ? v.JWT_REFRESH_EXPIRY_DAYS * DAY_MS : undefined,
});

const apiKeyConfig = (v: Values) => ({
  enabled: v.API_KEY_ENABLED,
  /** As Node writes names of headers. */
  header: v.API_KEY_HEADER.toLowerCase(),
  lifeMs: v.API_KEY_EXPIRY_DAYS * DAY_MS,
});

/** Browser sessions. */
const sessionConfig = (v: Values, raw: RawValues, generated: GeneratedSecrets) => ({
  secret: v.SESSION_SECRET ?? generated.sessionSecret,
  cookie: {
    name: v.SESSION_COOKIE_NAME,
    /** Somebody has set it: then it is used as it is. */
    hasGivenName: (raw.SESSION_COOKIE_NAME?.origin ?? 'default') !== 'default',
    /** Undefined: where the request came over HTTPS. */
    secure: v.SESSION_COOKIE_SECURE,
    httpOnly: v.SESSION_COOKIE_HTTPONLY,
    sameSite: v.SESSION_COOKIE_SAMESITE,
  },
  lifeMs: v.SESSION_LIFETIME_HOURS * HOUR_MS,
  idleMs: v.SESSION_IDLE_TIMEOUT_MINUTES === undefined ? v.SESSION_TIMEOUT * 1_000 : v.SESSION_IDLE_TIMEOUT_MINUTES * MINUTE_MS,
  rememberMeMs: v.SESSION_REMEMBER_ME_DAYS * DAY_MS,
  /** Of one user at the same time; undefined: any number. */
  maxConcurrent: v.SESSION_MAX_CONCURRENT === 0 ? undefined : v.SESSION_MAX_CONCURRENT,
  /** The key-value store, where browser sessions are kept there. */
  storeUrl: v.SESSION_BACKEND === 'redis' ? v.STORE_SESSION_URL : undefined,
  cleanupMs: v.SESSION_CLEANUP_INTERVAL_HOURS * HOUR_MS,
});

/** What every answer carries for browsers. Undefined: that header is not sent. */
export interface HeaderSettings {
  readonly enabled: boolean;
  readonly contentSecurityPolicy: string | undefined;
  /** 0: not sent. */
  readonly hstsSeconds: number;
  readonly hstsIncludeSubdomains: boolean;
  readonly frameOptions: 'deny' | 'sameorigin' | undefined;
  readonly noSniff: boolean;
  readonly referrerPolicy: Exclude<Values['SECURITY_REFERRER_POLICY'], 'off'> | undefined;
}

export interface CorsSettings {
  readonly enabled: boolean;
  /** `any`: every page, and then never with cookies. */
  readonly origins: 'any' | readonly string[];
  readonly methods: readonly string[];
  readonly headers: 'any' | readonly string[];
  readonly maxAgeSeconds: number;
}

/** Whose word on the client's address and protocol counts: that of the last so many hops, or of these addresses and networks. */
export type TrustedProxies = number | readonly string[];

export interface RateLimitSettings {
  readonly enabled: boolean;
  readonly perMinute: number;
  readonly burst: number;
  /** Of a user in a browser. */
  readonly browserPerMinute: number;
  readonly uploadsPerMinute: number;
}

/**
 * For the pages this service has: its own scripts only, the styles that component libraries write into the page, pictures
 * and workers made in memory, PDF files shown in frames of its own.
 */
const defaultPolicy = (frameOptions: Values['SECURITY_X_FRAME_OPTIONS']): string =>
  [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "frame-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    // browsers that know this one ignore X-Frame-Options, so the two have to say the same
    ...(frameOptions === 'off' ? [] : [`frame-ancestors ${frameOptions === 'deny' ? "'none'" : "'self'"}`]),
  ].join('; ');

const policyOf = ({ SECURITY_CSP: given, SECURITY_X_FRAME_OPTIONS }: Values): string | undefined => {
  if (given === undefined) return defaultPolicy(SECURITY_X_FRAME_OPTIONS);
  return given.toLowerCase() === 'off' ? undefined : given;
};

const headersConfig = (v: Values): HeaderSettings => ({
  enabled: v.SECURITY_HEADERS_ENABLED,
  contentSecurityPolicy: policyOf(v),
  hstsSeconds: v.SECURITY_HSTS_SECONDS,
  hstsIncludeSubdomains: v.SECURITY_HSTS_INCLUDE_SUBDOMAINS,
  frameOptions: v.SECURITY_X_FRAME_OPTIONS === 'off' ? undefined : v.SECURITY_X_FRAME_OPTIONS,
  noSniff: v.SECURITY_X_CONTENT_TYPE_OPTIONS === 'nosniff',
  referrerPolicy: v.SECURITY_REFERRER_POLICY === 'off' ? undefined : v.SECURITY_REFERRER_POLICY,
});

const corsConfig = (v: Values): CorsSettings => ({
  enabled: v.CORS_ENABLED,
  origins: v.CORS_ALLOWED_ORIGINS.includes('*') ? 'any' : v.CORS_ALLOWED_ORIGINS.map((origin) => origin.toLowerCase()),
  methods: v.CORS_ALLOWED_METHODS.map((method) => method.toUpperCase()),
  headers: v.CORS_ALLOWED_HEADERS.includes('*') ? 'any' : v.CORS_ALLOWED_HEADERS,
  maxAgeSeconds: v.CORS_MAX_AGE,
});

// Choice: addresses say more than a count, so they go before it where both are set.
const trustedProxies = (v: Values): TrustedProxies =>
  v.TRUSTED_PROXIES === undefined || v.TRUSTED_PROXIES.length === 0 ? v.PROXY_COUNT : v.TRUSTED_PROXIES;

const rateLimitConfig = (v: Values): RateLimitSettings => ({
  enabled: v.RATE_LIMIT_ENABLED,
  perMinute: v.RATE_LIMIT_PER_MINUTE,
  burst: v.RATE_LIMIT_BURST,
  browserPerMinute: v.RATE_LIMIT_BROWSER_PER_MINUTE,
  uploadsPerMinute: v.RATE_LIMIT_UPLOADS_PER_MINUTE,
});
