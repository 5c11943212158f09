import { z } from 'zod';
import { boolean, choice, decimal, integer, json, list, secret, text } from './variable.ts';

const port = integer(0, 65_535);

/**
 * Every variable of the service: name, type, default, unit and meaning stand here and nowhere else. The table in the
 * README, `--show-config` and the start-up checks are made from it.
 */
export const VARIABLES = {
  // Core
  DATABASE_URL: secret('Core', {
    default: undefined,
    meaning: 'postgresql://user:password@host:port/database; goes before POSTGRES_*. With neither set, the embedded PostgreSQL is used',
  }),
  POSTGRES_HOST: text('Core', { default: undefined, meaning: 'database host (localhost when another POSTGRES_* is set)' }),
  POSTGRES_PORT: text('Core', { default: undefined, meaning: 'database port (5432)' }),
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

  // Storage
  TEMP_STORAGE_PATH: text('Storage', { default: undefined, meaning: 'temporary files (UPLOAD_PATH/temp)' }),
  THUMBNAIL_PATH: text('Storage', { default: undefined, meaning: 'thumbnails (UPLOAD_PATH/thumbnails)' }),

  // Watch folder
  WATCH_FOLDER: text('Watch folder', { default: './watch', meaning: 'global watch folder' }),
  WATCH_FOLDER_OWNER: text('Watch folder', { default: undefined, meaning: 'user who owns what is found there (the first administrator)' }),
  WATCH_INTERVAL_SECONDS: integer(1)('Watch folder', { default: '60', meaning: 'seconds between two scans' }),
  FILE_STABILITY_CHECK_MS: integer(0)('Watch folder', { default: '2000', meaning: 'milliseconds a file must have stayed unchanged' }),
  MAX_FILE_AGE_HOURS: integer(0)('Watch folder', { default: '24', meaning: 'hours; older files are not processed' }),
  WATCH_RECURSIVE: boolean('Watch folder', { default: 'true', meaning: 'scan subfolders too' }),
  WATCH_FILE_PATTERNS: list('Watch folder', { default: '*', meaning: 'glob patterns of files to take, comma-separated' }),
  WATCH_IGNORE_PATTERNS: list('Watch folder', { default: '.*,~*,*.tmp', meaning: 'glob patterns of files to leave, comma-separated' }),

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
  OCR_RUNNER: choice(['auto', 'native', 'wasm'])('OCR', {
    default: 'auto',
    meaning: 'native tesseract, tesseract.js, or native where it is installed',
  }),
  CONCURRENT_OCR_JOBS: integer(1, 64)('OCR', {
    default: undefined,
    meaning: 'documents one ocr-worker reads at the same time (cores / 2)',
  }),
  OCR_WORKER_PROCESSES: integer(1, 64)('OCR', { default: '1', meaning: 'ocr-worker processes the supervisor starts' }),
  OCR_TIMEOUT_SECONDS: integer(1)('OCR', {
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
  OCR_LEASE_SECONDS: integer(2)('OCR', { default: '30', meaning: 'seconds after which the job of a silent worker is taken over' }),

  // Reading limits
  READ_TOOL_MEMORY_MB: integer(256)('Reading limits', {
    default: '2048',
    meaning: 'memory in MB of one program that reads documents; LibreOffice gets twice as much',
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
  OFFICE_TIMEOUT_SECONDS: integer(1)('Reading limits', { default: '120', meaning: 'seconds to convert one office file' }),

  // Feature flags
  FEATURE_ADVANCED_SEARCH: boolean('Feature flags', { default: 'true', meaning: 'POST /api/search/advanced' }),
  FEATURE_LABELS: boolean('Feature flags', { default: 'true', meaning: 'the endpoints of labels' }),
  FEATURE_MULTI_LANGUAGE_OCR: boolean('Feature flags', {
    default: 'true',
    meaning: 'a document may be read in several languages, joined by +',
  }),

  // Database connection
  DATABASE_MAX_CONNECTIONS: integer(2, 1_000)('Database connection', { default: '32', meaning: 'connections of one process at most' }),
  DATABASE_MIN_CONNECTIONS: integer(0, 1_000)('Database connection', { default: '5', meaning: 'connections kept open by the api' }),
  DATABASE_CONNECT_TIMEOUT: integer(1)('Database connection', { default: '5', meaning: 'seconds to connect' }),
  DATABASE_IDLE_TIMEOUT: integer(1)('Database connection', { default: '600', meaning: 'seconds after which an idle connection is closed' }),
  DATABASE_MAX_LIFETIME: integer(1)('Database connection', { default: '1800', meaning: 'seconds after which a connection is replaced' }),
  EMBEDDED_POSTGRES_PORT: port('Database connection', {
    default: '54329',
    meaning: 'port of the embedded PostgreSQL on 127.0.0.1; the next free one where it is taken',
  }),

  // Sign-in
  ADMIN_PASSWORD: secret('Sign-in', {
    default: undefined,
    meaning: 'while no user exists, makes the administrator `admin` with this password',
  }),
  AUTH_ENABLED: boolean('Sign-in', {
    default: 'true',
    meaning: 'false makes everyone the built-in administrator; only where the service is bound to a loopback address',
  }),
  AUTH_METHOD: choice(['local', 'oidc', 'ldap', 'saml2'])('Sign-in', { default: 'local', meaning: 'how users sign in' }),
  AUTO_CREATE_USERS: boolean('Sign-in', { default: 'false', meaning: 'make an account at the first sign-in from outside' }),
  ENABLE_REGISTRATION: boolean('Sign-in', { default: 'false', meaning: 'anyone may make an account' }),
  DEFAULT_USER_ROLE: text('Sign-in', { default: 'viewer', meaning: 'role of new users' }),
  ROLES_FILE: text('Sign-in', {
    default: undefined,
    meaning: 'YAML file with `roles: <role>: permissions: [...]`, which replace or add to the built-in roles',
  }),
  REQUIRE_EMAIL_VERIFICATION: boolean('Sign-in', {
    default: 'false',
    meaning: 'who registers has to follow a link in a mail before he can sign in; needs SMTP_*',
  }),
  PASSWORD_MIN_LENGTH: integer(1, 1_024)('Sign-in', { default: '8', meaning: 'characters' }),
  PASSWORD_REQUIRE_SPECIAL: boolean('Sign-in', {
    default: 'false',
    meaning: 'a password needs a character that is neither a letter nor a digit',
  }),
  PASSWORD_REQUIRE_NUMBERS: boolean('Sign-in', { default: 'false', meaning: 'a password needs a digit' }),
  MAX_LOGIN_ATTEMPTS: integer(1, 1_000)('Sign-in', {
    default: '5',
    meaning: 'failed sign-ins before an account is locked; ten times as many before an address is',
  }),
  LOCKOUT_DURATION: integer(1)('Sign-in', { default: '900', meaning: 'seconds a lock holds, and within which failures count' }),
  APP_SECRET_KEY: secret('Sign-in', {
    default: undefined,
    meaning: 'encrypts the secrets the service keeps, at least 32 characters; must stay the same (generated once)',
  }),
  SESSION_SECRET: secret('Sign-in', { default: undefined, meaning: 'protects browser sessions, at least 32 characters (generated once)' }),

  // Tokens
  JWT_ENABLED: boolean('Tokens', {
    default: 'true',
    meaning: 'take bearer tokens and give them at sign-in; when false, only session cookies and API keys work',
  }),
  JWT_SECRET: secret('Tokens', { default: undefined, meaning: 'signs tokens, at least 32 characters (generated once)' }),
  JWT_ALGORITHM: choice(['HS256', 'HS384', 'HS512'], { hs256: 'HS256', hs384: 'HS384', hs512: 'HS512' })('Tokens', {
    default: 'HS256',
    meaning: 'how tokens are signed; a token that names another one is refused',
  }),
  JWT_EXPIRY_MINUTES: integer(1, 525_600)('Tokens', { default: '60', meaning: 'minutes a token lives' }),
  JWT_REFRESH_ENABLED: boolean('Tokens', { default: 'true', meaning: 'give a refresh token beside' }),
  JWT_REFRESH_EXPIRY_DAYS: integer(1, 3_650)('Tokens', { default: '7', meaning: 'days a refresh token lives; each use gives a new one' }),

  // API keys
  API_KEY_ENABLED: boolean('API keys', { default: 'true', meaning: 'take API keys' }),
  API_KEY_HEADER: text('API keys', { default: 'X-API-Key', meaning: 'header that carries the key' }),
  API_KEY_EXPIRY_DAYS: integer(1, 36_500)('API keys', { default: '90', meaning: 'days a new key lives' }),

  // Sessions
  SESSION_COOKIE_NAME: text('Sessions', { default: 'sheaf_session', meaning: 'cookie of a browser session' }),
  SESSION_COOKIE_SECURE: boolean('Sessions', {
    default: undefined,
    meaning: 'browsers send the cookie over HTTPS only (where the sign-in came over HTTPS)',
  }),
  SESSION_COOKIE_HTTPONLY: boolean('Sessions', { default: 'true', meaning: 'pages cannot read the cookie' }),
  SESSION_COOKIE_SAMESITE: choice(['lax', 'strict', 'none'])('Sessions', {
    default: 'lax',
    meaning: 'whether other sites make browsers send the cookie',
  }),
  SESSION_LIFETIME_HOURS: integer(1, 87_600)('Sessions', { default: '24', meaning: 'hours a browser session lasts at most' }),
  SESSION_IDLE_TIMEOUT_MINUTES: integer(1, 5_256_000)('Sessions', {
    default: undefined,
    meaning: 'minutes without a request after which a browser session ends (SESSION_TIMEOUT)',
  }),
  SESSION_TIMEOUT: integer(1)('Sessions', {
    default: '3600',
    meaning: 'the same in seconds; SESSION_IDLE_TIMEOUT_MINUTES goes before it',
  }),
  SESSION_REMEMBER_ME_DAYS: integer(1, 3_650)('Sessions', {
    default: '30',
    meaning: 'days a browser session lasts that was opened with `remember_me`, used or not',
  }),
  SESSION_MAX_CONCURRENT: integer(0, 100_000)('Sessions', {
    default: '0',
    meaning: 'sessions of one user at the same time, in browsers and by token; a further one ends the oldest; 0 for any number',
  }),
  SESSION_BACKEND: choice(['database', 'redis'], { 'key-value': 'redis', 'key-value store': 'redis', kv: 'redis', store: 'redis' })(
    'Sessions',
    {
      default: 'database',
      meaning: 'where browser sessions are kept: in the database, or in a key-value store that speaks the protocol of Redis',
    },
  ),
  STORE_SESSION_URL: secret('Sessions', {
    default: undefined,
    meaning: 'redis://user:password@host:6379/0, or rediss:// for TLS; required when SESSION_BACKEND=redis',
  }),
  SESSION_CLEANUP_INTERVAL_HOURS: integer(1, 8_760)('Sessions', { default: '1', meaning: 'hours between two sweeps of ended sessions' }),

  // E-mail
  SMTP_HOST: text('E-mail', { default: undefined, meaning: 'mail server; required where mail is sent' }),
  SMTP_PORT: integer(1, 65_535)('E-mail', { default: '587', meaning: 'port of the mail server' }),
  SMTP_USERNAME: text('E-mail', { default: undefined, meaning: 'user at the mail server; required where mail is sent' }),
  SMTP_PASSWORD: secret('E-mail', { default: undefined, meaning: 'his password; required where mail is sent' }),
  SMTP_FROM_ADDRESS: text('E-mail', { default: undefined, meaning: 'address mail comes from; required where mail is sent' }),
  SMTP_USE_TLS: boolean('E-mail', {
    default: 'true',
    meaning: 'TLS on port 465 and STARTTLS on any other; a server that has it not gets no mail',
  }),

  // OIDC
  OIDC_ENABLED: boolean('OIDC', { default: 'false', meaning: 'sign in through an OpenID Connect provider' }),
  OIDC_ISSUER_URL: text('OIDC', {
    default: undefined,
    meaning: 'issuer of the provider exactly as it names itself, such as https://id.example.com/realms/main; required',
  }),
  OIDC_CLIENT_ID: text('OIDC', { default: undefined, meaning: 'id of this service at the provider; required' }),
  OIDC_CLIENT_SECRET: secret('OIDC', {
    default: undefined,
    meaning: 'secret of this service at the provider; required unless OIDC_TOKEN_ENDPOINT_AUTH_METHOD=none',
  }),
  OIDC_REDIRECT_URI: text('OIDC', {
    default: undefined,
    meaning:
      'where the provider sends the browser back to, as registered there: the public address of this service followed by /api/auth/oidc/callback, or by another path that is served for it; required',
  }),
  OIDC_SCOPES: text('OIDC', { default: 'openid profile email', meaning: 'what is asked of the provider, separated by spaces' }),
  OIDC_USER_CLAIM: text('OIDC', {
    default: undefined,
    meaning: 'claim that names the user, such as email or upn (preferred_username, else email); a dotted path leads into objects',
  }),
  OIDC_GROUPS_CLAIM: text('OIDC', {
    default: 'groups',
    meaning: 'claim with the groups: a name, a URL, or a dotted path such as realm_access.roles',
  }),
  OIDC_ADMIN_GROUP: text('OIDC', { default: undefined, meaning: 'group whose members become administrators' }),
  OIDC_GROUP_ROLE_MAPPING: json(z.record(z.string(), z.string().min(1)))('OIDC', {
    default: undefined,
    meaning: 'roles of groups, such as {"staff": "editor"}',
  }),
  OIDC_AUTO_CREATE_USERS: boolean('OIDC', { default: 'false', meaning: 'make an account at the first sign-in through the provider' }),
  OIDC_AUDIENCE: text('OIDC', { default: undefined, meaning: 'audience an id token must have beside OIDC_CLIENT_ID' }),
  OIDC_HOSTED_DOMAIN: text('OIDC', {
    default: undefined,
    meaning: 'only users with a verified e-mail address of this domain; of Google, only members of its organisation',
  }),
  OIDC_TOKEN_ENDPOINT_AUTH_METHOD: choice(['client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'none'])('OIDC', {
    default: undefined,
    meaning: 'how this service proves itself to the provider (client_secret_basic where the provider takes it, else client_secret_post)',
  }),
  OIDC_AUTH_ENDPOINT: text('OIDC', { default: undefined, meaning: 'address where users sign in (discovered)' }),
  OIDC_TOKEN_ENDPOINT: text('OIDC', { default: undefined, meaning: 'address that gives tokens (discovered)' }),
  OIDC_USER_INFO_ENDPOINT: text('OIDC', { default: undefined, meaning: 'address that tells more of a user (discovered)' }),
  OIDC_DEBUG: boolean('OIDC', { default: 'false', meaning: 'log each step of a sign-in and the names of the claims, never their values' }),

  // SAML 2.0
  SAML2_IDP_METADATA_URL: text('SAML 2.0', {
    default: undefined,
    meaning: 'metadata of the identity provider: an http(s) URL or the path of a file; turns SAML 2.0 on',
  }),
  SAML2_SP_ENTITY_ID: text('SAML 2.0', { default: undefined, meaning: 'name of this service at the identity provider; required' }),
  SAML2_SP_ACS_URL: text('SAML 2.0', {
    default: undefined,
    meaning: 'where the identity provider sends answers: the public address of this service followed by /api/auth/saml/acs; required',
  }),
  SAML2_SP_X509_CERT: text('SAML 2.0', { default: undefined, meaning: 'file with the certificate of this service, PEM' }),
  SAML2_SP_PRIVATE_KEY: text('SAML 2.0', {
    default: undefined,
    meaning: 'file with the key of that certificate, PEM: signs requests and opens encrypted assertions',
  }),
  SAML2_ATTRIBUTE_MAPPING: json(
    z.strictObject({
      username: z.string().min(1).optional(),
      email: z.string().min(1).optional(),
      name: z.string().min(1).optional(),
      groups: z.string().min(1).optional(),
    }),
  )('SAML 2.0', {
    default: undefined,
    meaning:
      'names of the attributes with username, email, name and groups (the name id, and the usual names). An address from an attribute named here counts as verified',
  }),
  SAML2_ADMIN_GROUP: text('SAML 2.0', { default: undefined, meaning: 'group whose members become administrators' }),

  // LDAP
  LDAP_SERVER: list('LDAP', {
    default: undefined,
    meaning: 'ldap:// or ldaps:// URL of the directory; several separated by commas are tried in this order',
  }),
  LDAP_BIND_DN: text('LDAP', { default: undefined, meaning: 'account that this service searches with (anonymous)' }),
  LDAP_BIND_PASSWORD: secret('LDAP', { default: undefined, meaning: 'password of that account' }),
  LDAP_BASE_DN: text('LDAP', {
    default: undefined,
    meaning: 'where users are searched, with everything below; required beside LDAP_SERVER',
  }),
  LDAP_USER_FILTER: text('LDAP', {
    default: '(uid={username})',
    meaning: 'filter that finds the one entry of a user; {username} is what was typed. Nobody is signed in when it finds several',
  }),
  LDAP_USER_ATTR_MAP: json(
    z.strictObject({ email: z.string().min(1).optional(), name: z.string().min(1).optional(), username: z.string().min(1).optional() }),
  )('LDAP', {
    default: undefined,
    meaning: 'attributes with email, name and username (mail, cn, and the attribute that LDAP_USER_FILTER compares)',
  }),
  LDAP_GROUP_SEARCH_BASE: text('LDAP', { default: undefined, meaning: 'where groups are searched (LDAP_BASE_DN)' }),
  LDAP_GROUP_FILTER: text('LDAP', {
    default: undefined,
    meaning: 'filter that finds the groups of a user, such as (member={user_dn}); unset, they are read from memberOf of the entry',
  }),
  LDAP_ADMIN_GROUP: text('LDAP', { default: undefined, meaning: 'distinguished name of the group whose members become administrators' }),
  LDAP_GROUP_ROLE_MAPPING: json(z.record(z.string().min(1), z.string().min(1)))('LDAP', {
    default: undefined,
    meaning: 'roles of groups, by distinguished name or by name, such as {"staff": "editor"}',
  }),
  LDAP_USE_TLS: boolean('LDAP', { default: 'false', meaning: 'encrypt ldap:// connections by StartTLS; ldaps:// ones always are' }),
  LDAP_TLS_VERIFY: boolean('LDAP', { default: 'true', meaning: 'refuse a directory whose certificate is not trusted' }),
  LDAP_TLS_CA_FILE: text('LDAP', {
    default: undefined,
    meaning: "file with the certificates of the authorities to trust, PEM (the system's)",
  }),
  LDAP_DEBUG: boolean('LDAP', { default: 'false', meaning: 'log each step of a sign-in, never passwords' }),

  // Second factor
  MFA_ENABLED: boolean('Second factor', {
    default: 'false',
    meaning: 'users can set up a second factor, and are asked for it when they sign in with a password',
  }),
  MFA_METHOD: list('Second factor', {
    default: 'totp',
    meaning: 'what can be set up: totp (authenticator apps), webauthn (passkeys and security keys), or both, comma-separated',
  }),
  MFA_ISSUER: text('Second factor', { default: 'Sheaf', meaning: 'name of this service in authenticator apps' }),
  MFA_ENFORCE_FOR_ADMINS: boolean('Second factor', { default: 'false', meaning: 'administrators must have a second factor' }),
  MFA_GRACE_PERIOD_DAYS: integer(0, 3_650)('Second factor', {
    default: '7',
    meaning: 'days an administrator may go on without one from when it was first asked of him',
  }),
  WEBAUTHN_RP_ID: text('Second factor', {
    default: undefined,
    meaning: 'host name that passkeys belong to, such as docs.example.org; required for webauthn',
  }),
  WEBAUTHN_RP_NAME: text('Second factor', { default: 'Sheaf', meaning: 'name of this service that browsers show' }),
  WEBAUTHN_ORIGIN: list('Second factor', {
    default: undefined,
    meaning:
      'addresses of the pages that use them, comma-separated (https://WEBAUTHN_RP_ID; for localhost any port of http://localhost too)',
  }),
  WEBAUTHN_REQUIRE_ATTESTATION: choice(['none', 'indirect', 'direct', 'enterprise'])('Second factor', {
    default: 'none',
    meaning: 'what a new passkey has to say of its maker; with direct and enterprise one that says nothing is refused',
  }),

  // Security headers
  SECURITY_HEADERS_ENABLED: boolean('Security headers', { default: 'true', meaning: 'send the headers that protect browsers' }),
  SECURITY_CSP: text('Security headers', {
    default: undefined,
    meaning:
      'Content-Security-Policy of every answer that has no narrower one of its own; off sends none (own scripts and files only, frames as SECURITY_X_FRAME_OPTIONS says)',
  }),
  SECURITY_HSTS_SECONDS: integer(0)('Security headers', {
    default: '31536000',
    meaning: 'seconds for which browsers insist on https; only sent over https, as a trusted proxy tells it; 0 sends none',
  }),
  SECURITY_HSTS_INCLUDE_SUBDOMAINS: boolean('Security headers', { default: 'false', meaning: 'and on https for all subdomains' }),
  SECURITY_X_FRAME_OPTIONS: choice(['deny', 'sameorigin', 'off'])('Security headers', {
    default: 'sameorigin',
    meaning: 'who may show pages of this service in a frame',
  }),
  SECURITY_X_CONTENT_TYPE_OPTIONS: choice(['nosniff', 'off'], { true: 'nosniff', false: 'off' })('Security headers', {
    default: 'nosniff',
    meaning: 'browsers take answers for what they are said to be',
  }),
  SECURITY_REFERRER_POLICY: choice([
    'no-referrer',
    'no-referrer-when-downgrade',
    'same-origin',
    'origin',
    'strict-origin',
    'origin-when-cross-origin',
    'strict-origin-when-cross-origin',
    'unsafe-url',
    'off',
  ])('Security headers', { default: 'same-origin', meaning: 'what other sites learn of the page a link was on' }),

  // Network
  CORS_ENABLED: boolean('Network', { default: 'true', meaning: 'pages of other origins may call the interface' }),
  CORS_ALLOWED_ORIGINS: list('Network', {
    default: '*',
    meaning: 'their origins, comma-separated; only those listed by name may send cookies, with * nobody may',
  }),
  CORS_ALLOWED_METHODS: list('Network', {
    default: 'GET,POST,PUT,DELETE,OPTIONS',
    meaning: 'methods they may use; GET, HEAD and POST need no leave of browsers',
  }),
  CORS_ALLOWED_HEADERS: list('Network', { default: '*', meaning: 'headers they may send, comma-separated; * is any' }),
  CORS_MAX_AGE: integer(0)('Network', { default: '3600', meaning: 'seconds for which browsers keep this leave' }),
  PROXY_COUNT: integer(0, 100)('Network', {
    default: '0',
    meaning: 'reverse proxies in front, each of which adds to X-Forwarded-For; with 0 such headers are not believed',
  }),
  TRUSTED_PROXIES: list('Network', {
    default: undefined,
    meaning: 'addresses or networks (CIDR) of the reverse proxies, comma-separated; goes before PROXY_COUNT',
  }),

  // Limits
  RATE_LIMIT_ENABLED: boolean('Limits', { default: 'true', meaning: 'limit the requests of each user, and of each address without one' }),
  RATE_LIMIT_PER_MINUTE: integer(1, 1_000_000)('Limits', { default: '100', meaning: 'requests a minute' }),
  RATE_LIMIT_BURST: integer(0, 1_000_000)('Limits', { default: '20', meaning: 'requests beyond these that one minute may have' }),
  RATE_LIMIT_UPLOADS_PER_MINUTE: integer(1, 1_000_000)('Limits', {
    default: '10',
    meaning: 'uploads a minute, which count as requests too',
  }),

  // Outbound
  OUTBOUND_ALLOWED_NETWORKS: list('Outbound', {
    default: undefined,
    meaning:
      'networks (CIDR) or addresses, comma-separated, that requests to sources, webhooks, identity providers and the cloud engine may go to although they are loopback, reserved or denied; link-local and metadata addresses stay closed',
  }),
  OUTBOUND_DENY_PRIVATE: boolean('Outbound', { default: 'false', meaning: 'such requests may not go to private networks' }),

  // Monitoring
  HEALTH_CHECK_PATH: text('Monitoring', { default: '/health', meaning: 'path of the liveness probe' }),
  READY_CHECK_PATH: text('Monitoring', { default: '/ready', meaning: 'path of the readiness probe' }),
  METRICS_PATH: text('Monitoring', { default: '/metrics', meaning: 'path of the metrics' }),
  PROBE_HOST: text('Monitoring', { default: '127.0.0.1', meaning: 'address of the probe ports' }),
  PROBE_PORT_BASE: port('Monitoring', { default: '9100', meaning: 'supervisor +0, watcher +10, sync +20, ocr-worker n +30+n' }),

  // Processes
  PROCESS_INSTANCE: integer(0, 1_000)('Processes', {
    default: '0',
    meaning: 'number of this process among its like; the supervisor sets it',
  }),
  SHUTDOWN_GRACE_SECONDS: integer(1)('Processes', {
    default: '15',
    meaning: 'seconds a process may take to stop before it is ended by force',
  }),
} as const;

export type VariableName = keyof typeof VARIABLES;
