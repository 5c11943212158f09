import { z } from 'zod';
import { bindName, dn, domain, emailSender, host, ldapAttribute, ldapFilter, role, roleMap, url, word } from './value-types.ts';
import { boolean, choice, integer, json, list, secret, text } from './variable.ts';

/** Identity providers, directories and second factors. See variables.ts for all of them. */
export const FEDERATION_VARIABLES = {
  // OIDC
  OIDC_ENABLED: boolean('OIDC', { default: 'false', meaning: 'enables sign-in through an OpenID Connect provider' }),
  OIDC_ISSUER_URL: url('https://id.example.com/realms/main')('OIDC', {
    default: undefined,
    meaning: 'issuer URL exactly as the provider publishes it, such as https://id.example.com/realms/main; required',
  }),
  OIDC_CLIENT_ID: text('OIDC', { default: undefined, meaning: 'client ID registered with the provider; required' }),
  OIDC_CLIENT_SECRET: secret('OIDC', {
    default: undefined,
    meaning: 'client secret; required unless OIDC_TOKEN_ENDPOINT_AUTH_METHOD=none',
  }),
  OIDC_REDIRECT_URI: url('https://papers.example.org/api/auth/oidc/callback')('OIDC', {
    default: undefined,
    meaning:
      'redirect URI registered with the provider: the public URL of this service followed by /api/auth/oidc/callback, or by another path that is proxied to it; required',
  }),
  OIDC_SCOPES: text('OIDC', { default: 'openid profile email', meaning: 'scopes to request, separated by spaces' }),
  OIDC_USER_CLAIM: word('email')('OIDC', {
    default: undefined,
    meaning: 'claim with the user name, such as email or upn (preferred_username, else email); a dotted path selects a nested value',
  }),
  OIDC_GROUPS_CLAIM: word('groups')('OIDC', {
    default: 'groups',
    meaning: 'claim with the groups: a name, a URL, or a dotted path such as realm_access.roles',
  }),
  OIDC_ADMIN_GROUP: text('OIDC', { default: undefined, meaning: 'group whose members get the role admin' }),
  OIDC_GROUP_ROLE_MAPPING: roleMap('OIDC', {
    default: undefined,
    meaning: 'JSON map of group to role, such as {"staff": "editor"}',
  }),
  OIDC_AUTO_CREATE_USERS: boolean('OIDC', { default: 'false', meaning: 'creates an account at the first sign-in through the provider' }),
  OIDC_AUDIENCE: word('https://api.example.org')('OIDC', {
    default: undefined,
    meaning:
      '`audience` parameter of the authorization request, which some providers (Auth0) need; ID tokens are always for OIDC_CLIENT_ID',
  }),
  OIDC_HOSTED_DOMAIN: domain('OIDC', {
    default: undefined,
    meaning: 'limits sign-in to users with a verified e-mail address of this domain; with Google, to members of the organization',
  }),
  OIDC_TOKEN_ENDPOINT_AUTH_METHOD: choice(['client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'none'])('OIDC', {
    default: undefined,
    meaning: 'client authentication method (client_secret_basic if the provider supports it, else client_secret_post)',
  }),
  OIDC_AUTH_ENDPOINT: url('https://id.example.com/authorize', { mayHaveQuery: true })('OIDC', {
    default: undefined,
    meaning: 'authorization endpoint (discovered)',
  }),
  OIDC_TOKEN_ENDPOINT: url('https://id.example.com/token', { mayHaveQuery: true })('OIDC', {
    default: undefined,
    meaning: 'token endpoint (discovered)',
  }),
  OIDC_USER_INFO_ENDPOINT: url('https://id.example.com/userinfo', { mayHaveQuery: true })('OIDC', {
    default: undefined,
    meaning: 'userinfo endpoint (discovered)',
  }),
  OIDC_DEBUG: boolean('OIDC', { default: 'false', meaning: 'logs each step of a sign-in and the names of the claims, never their values' }),

  // SAML 2.0
  SAML2_IDP_METADATA_URL: text('SAML 2.0', {
    default: undefined,
    meaning: 'metadata of the identity provider: an http(s) URL or a file path; enables SAML 2.0',
  }),
  SAML2_SP_ENTITY_ID: word('https://papers.example.org')('SAML 2.0', {
    default: undefined,
    meaning: 'entity ID of this service provider; required',
  }),
  SAML2_SP_ACS_URL: url('https://papers.example.org/api/auth/saml/acs')('SAML 2.0', {
    default: undefined,
    meaning: 'assertion consumer service URL: the public URL of this service followed by /api/auth/saml/acs; required',
  }),
  SAML2_SP_X509_CERT: text('SAML 2.0', { default: undefined, meaning: 'file with the certificate of the service provider, PEM' }),
  SAML2_SP_PRIVATE_KEY: text('SAML 2.0', {
    default: undefined,
    meaning: 'file with the private key, PEM; signs requests and decrypts assertions',
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
      'attribute names for username, email, name and groups (the NameID and common names). An address from an attribute named here counts as verified',
  }),
  SAML2_ADMIN_GROUP: text('SAML 2.0', { default: undefined, meaning: 'group whose members get the role admin' }),

  // LDAP
  LDAP_SERVER: list('LDAP', {
    default: undefined,
    meaning: 'ldap:// or ldaps:// URL of the directory; several, comma-separated, are tried in this order',
  }),
  LDAP_BIND_DN: bindName('LDAP', { default: undefined, meaning: 'DN of the account used for searches (anonymous)' }),
  LDAP_BIND_PASSWORD: secret('LDAP', { default: undefined, meaning: 'password of LDAP_BIND_DN' }),
  LDAP_BASE_DN: dn('dc=example,dc=org')('LDAP', {
    default: undefined,
    meaning: 'base DN for user searches, including the subtree; required with LDAP_SERVER',
  }),
  LDAP_USER_FILTER: ldapFilter('{username}', '(uid={username})')('LDAP', {
    default: '(uid={username})',
    meaning: 'search filter for a user entry; {username} is the name entered. Sign-in fails if several entries match',
  }),
  LDAP_USER_ATTR_MAP: json(
    z.strictObject({ email: ldapAttribute.optional(), name: ldapAttribute.optional(), username: ldapAttribute.optional() }),
  )('LDAP', {
    default: undefined,
    meaning: 'attribute names for email, name and username (mail, cn, and the attribute compared in LDAP_USER_FILTER)',
  }),
  LDAP_GROUP_SEARCH_BASE: dn('ou=groups,dc=example,dc=org')('LDAP', {
    default: undefined,
    meaning: 'base DN for group searches (LDAP_BASE_DN)',
  }),
  LDAP_GROUP_FILTER: ldapFilter('{user_dn}', '(member={user_dn})')('LDAP', {
    default: undefined,
    meaning: 'search filter for the groups of a user, such as (member={user_dn}); if unset, memberOf of the user entry is used',
  }),
  LDAP_ADMIN_GROUP: dn('cn=admins,ou=groups,dc=example,dc=org')('LDAP', {
    default: undefined,
    meaning: 'DN of the group whose members get the role admin',
  }),
  LDAP_GROUP_ROLE_MAPPING: roleMap('LDAP', {
    default: undefined,
    meaning: 'JSON map of group DN or name to role, such as {"staff": "editor"}',
  }),
  LDAP_USE_TLS: boolean('LDAP', { default: 'false', meaning: 'uses StartTLS for ldap:// connections; ldaps:// is always encrypted' }),
  LDAP_TLS_VERIFY: boolean('LDAP', { default: 'true', meaning: 'rejects a directory whose certificate is not trusted' }),
  LDAP_TLS_CA_FILE: text('LDAP', {
    default: undefined,
    meaning: "file with trusted CA certificates, PEM (the system's)",
  }),
  LDAP_EMAIL_VERIFIED: boolean('LDAP', {
    default: 'false',
    meaning:
      'treats e-mail addresses of the directory as verified, which links its users to existing accounts with the same verified address; enable only if users cannot change their own address in the directory',
  }),
  LDAP_DEBUG: boolean('LDAP', { default: 'false', meaning: 'logs each step of a sign-in, never passwords' }),

  // Second factor
  MFA_ENABLED: boolean('Second factor', {
    everyday: true,
    default: 'false',
    meaning: 'enables multi-factor authentication for users who sign in with a password',
  }),
  MFA_METHOD: list('Second factor', {
    default: 'totp',
    meaning: 'allowed methods, comma-separated: totp (authenticator apps), webauthn (passkeys and security keys)',
  }),
  MFA_ISSUER: text('Second factor', { default: 'Sheaf', meaning: 'issuer name shown in authenticator apps' }),
  MFA_ENFORCE_FOR_ADMINS: boolean('Second factor', { default: 'false', meaning: 'requires a second factor for administrators' }),
  MFA_GRACE_PERIOD_DAYS: integer(0, 3_650)('Second factor', {
    default: '7',
    meaning: 'days an administrator can sign in without a second factor after it was first required',
  }),
  WEBAUTHN_RP_ID: text('Second factor', {
    default: undefined,
    meaning: 'relying party ID (host name) of passkeys, such as docs.example.org; required for webauthn',
  }),
  WEBAUTHN_RP_NAME: text('Second factor', { default: 'Sheaf', meaning: 'relying party name that browsers show' }),
  WEBAUTHN_ORIGIN: list('Second factor', {
    default: undefined,
    meaning: 'allowed origins, comma-separated (https://WEBAUTHN_RP_ID; for localhost also any port of http://localhost)',
  }),
  WEBAUTHN_REQUIRE_ATTESTATION: choice(['none', 'indirect', 'direct', 'enterprise'])('Second factor', {
    default: 'none',
    meaning: 'attestation requested from a new passkey; direct and enterprise reject passkeys without attestation',
  }),
} as const;

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
