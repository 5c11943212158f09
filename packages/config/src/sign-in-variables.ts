import { emailSender, host, role } from './value-types.ts';
import { boolean, choice, integer, secret, text } from './variable.ts';

/** Who may sign in, and by what. See variables.ts for all of them. */
export const SIGN_IN_VARIABLES = {
  // Sign-in
  ADMIN_PASSWORD: secret('Sign-in', {
    everyday: true,
    default: undefined,
    meaning: 'creates the administrator `admin` with this password while no user exists',
  }),
  AUTH_ENABLED: boolean('Sign-in', {
    default: 'true',
    meaning: 'requires sign-in; false gives every request administrator rights and is allowed only on a loopback address',
  }),
  AUTH_METHOD: choice(['local', 'oidc', 'ldap', 'saml2'])('Sign-in', { default: 'local', meaning: 'sign-in method' }),
  AUTO_CREATE_USERS: boolean('Sign-in', {
    default: 'false',
    meaning: 'creates an account at the first sign-in through an external provider',
  }),
  ENABLE_REGISTRATION: boolean('Sign-in', { default: 'false' }),
  DEFAULT_USER_ROLE: role('Sign-in', { default: 'viewer' }),
  ROLES_FILE: text('Sign-in', {
    default: undefined,
    meaning: 'YAML file with `roles: <role>: permissions: [...]` that replaces or extends the built-in roles',
  }),
  REQUIRE_EMAIL_VERIFICATION: boolean('Sign-in', {
    default: 'false',
  }),
  PASSWORD_MIN_LENGTH: integer(1, 1_024)('Sign-in', { default: '8' }),
  PASSWORD_REQUIRE_SPECIAL: boolean('Sign-in', {
    default: 'false',
  }),
  PASSWORD_REQUIRE_NUMBERS: boolean('Sign-in', { default: 'false' }),
  MAX_LOGIN_ATTEMPTS: integer(1, 1_000)('Sign-in', {
    default: '5',
  }),
  LOCKOUT_DURATION: integer(1)('Sign-in', {
    default: '900',
  }),
  APP_SECRET_KEY: secret('Sign-in', {
    everyday: true,
    default: undefined,
    meaning: 'key that encrypts stored secrets, at least 32 characters; must not change (generated once)',
  }),
  SESSION_SECRET: secret('Sign-in', {
    default: undefined,
    meaning: 'key that protects browser sessions, at least 32 characters (generated once)',
  }),

  // Tokens
  JWT_ENABLED: boolean('Tokens', {
    default: 'true',
    meaning: 'enables bearer tokens; if false, only session cookies and API keys work',
  }),
  JWT_SECRET: secret('Tokens', { default: undefined, meaning: 'key that signs tokens, at least 32 characters (generated once)' }),
  JWT_ALGORITHM: choice(['HS256', 'HS384', 'HS512'], { hs256: 'HS256', hs384: 'HS384', hs512: 'HS512' })('Tokens', {
    default: 'HS256',
    meaning: 'signature algorithm of tokens; tokens with another algorithm are rejected',
  }),
  JWT_EXPIRY_MINUTES: integer(1, 525_600)('Tokens', { default: '60' }),
  JWT_REFRESH_ENABLED: boolean('Tokens', { default: 'true', meaning: 'issues refresh tokens' }),
  JWT_REFRESH_EXPIRY_DAYS: integer(1, 3_650)('Tokens', {
    default: '7',
    meaning: 'days until a refresh token expires; each use issues a new one',
  }),

  // API keys
  API_KEY_ENABLED: boolean('API keys', { default: 'true', meaning: 'enables API keys' }),
  API_KEY_HEADER: text('API keys', { default: 'X-API-Key', meaning: 'request header with the API key' }),
  API_KEY_EXPIRY_DAYS: integer(1, 36_500)('API keys', { default: '90' }),

  // Sessions
  SESSION_COOKIE_NAME: text('Sessions', {
    default: 'sheaf_session',
    meaning: 'cookie name of browser sessions, used as it is set; unset, cookies over HTTPS have the prefix __Host- before it',
  }),
  SESSION_COOKIE_SECURE: boolean('Sessions', {
    default: undefined,
    meaning: 'sets the Secure attribute of the cookie (if the sign-in used HTTPS)',
  }),
  SESSION_COOKIE_HTTPONLY: boolean('Sessions', { default: 'true', meaning: 'sets the HttpOnly attribute of the cookie' }),
  SESSION_COOKIE_SAMESITE: choice(['lax', 'strict', 'none'])('Sessions', {
    default: 'lax',
    meaning: 'SameSite attribute of the cookie',
  }),
  SESSION_LIFETIME_HOURS: integer(1, 87_600)('Sessions', { default: '24', meaning: 'maximum hours of a browser session' }),
  SESSION_IDLE_TIMEOUT_MINUTES: integer(1, 5_256_000)('Sessions', {
    default: undefined,
    meaning: 'minutes without a request until a browser session expires (SESSION_TIMEOUT)',
  }),
  SESSION_TIMEOUT: integer(1)('Sessions', {
    default: '3600',
    meaning: 'seconds without a request until a browser session expires; SESSION_IDLE_TIMEOUT_MINUTES takes precedence',
  }),
  SESSION_REMEMBER_ME_DAYS: integer(1, 3_650)('Sessions', {
    default: '30',
    meaning: 'days until a browser session with `remember_me` expires, used or not',
  }),
  SESSION_MAX_CONCURRENT: integer(0, 100_000)('Sessions', {
    default: '0',
  }),
  SESSION_BACKEND: choice(['database', 'redis'], { 'key-value': 'redis', 'key-value store': 'redis', kv: 'redis', store: 'redis' })(
    'Sessions',
    {
      default: 'database',
      meaning: 'storage of browser sessions: the database, or a key-value store with the Redis protocol',
    },
  ),
  STORE_SESSION_URL: secret('Sessions', {
    default: undefined,
    meaning: 'redis://user:password@host:6379/0, or rediss:// for TLS; required when SESSION_BACKEND=redis',
  }),
  SESSION_CLEANUP_INTERVAL_HOURS: integer(1, 8_760)('Sessions', { default: '1', meaning: 'hours between two cleanups of ended sessions' }),

  // E-mail
  SMTP_HOST: host('E-mail', { everyday: true, default: undefined, meaning: 'host of the mail server; required if e-mail is sent' }),
  SMTP_PORT: integer(1, 65_535)('E-mail', { everyday: true, default: '587', meaning: 'port of the mail server' }),
  SMTP_USERNAME: text('E-mail', {
    everyday: true,
    default: undefined,
    meaning: 'user name at the mail server; required if e-mail is sent',
  }),
  SMTP_PASSWORD: secret('E-mail', {
    everyday: true,
    default: undefined,
    meaning: 'password at the mail server; required if e-mail is sent',
  }),
  SMTP_FROM_ADDRESS: emailSender('E-mail', { everyday: true, default: undefined, meaning: 'sender address; required if e-mail is sent' }),
  SMTP_USE_TLS: boolean('E-mail', {
    default: 'true',
    meaning: 'requires TLS on port 465 and STARTTLS on other ports',
  }),
} as const;
