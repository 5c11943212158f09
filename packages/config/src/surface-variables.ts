import { boolean, choice, integer, list, text } from './variable.ts';

/** What the api shows to strangers: headers, other origins, proxies, limits. See variables.ts for all of them. */
export const SURFACE_VARIABLES = {
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
  RATE_LIMIT_PER_MINUTE: integer(1, 1_000_000)('Limits', {
    default: '100',
    meaning: 'requests a minute; of thumbnails ten times as many, counted apart',
  }),
  RATE_LIMIT_BURST: integer(0, 1_000_000)('Limits', { default: '20', meaning: 'requests beyond these that one minute may have' }),
  RATE_LIMIT_UPLOADS_PER_MINUTE: integer(1, 1_000_000)('Limits', {
    default: '10',
    meaning: 'uploads a minute, which count as requests too',
  }),
} as const;
