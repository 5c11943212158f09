import { boolean, choice, integer, secret, text } from './variable.ts';

/** Who may come in, and by what. See variables.ts for all of them. */
export const SIGN_IN_VARIABLES = {
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
} as const;
