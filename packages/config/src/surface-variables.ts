import { boolean, choice, integer, list, text } from './variable.ts';

/** What the api shows to strangers: headers, other origins, proxies, limits. See variables.ts for all of them. */
export const SURFACE_VARIABLES = {
  // Security headers
  SECURITY_HEADERS_ENABLED: boolean('Security headers', { default: 'true', meaning: 'sends security headers' }),
  SECURITY_CSP: text('Security headers', {
    default: undefined,
    meaning:
      'Content-Security-Policy of responses without a stricter one of their own; off sends none (same origin only, frames according to SECURITY_X_FRAME_OPTIONS)',
  }),
  SECURITY_HSTS_SECONDS: integer(0)('Security headers', {
    default: '31536000',
    meaning: 'max-age of Strict-Transport-Security in seconds; sent over HTTPS only, directly or through a trusted proxy; 0 sends none',
  }),
  SECURITY_HSTS_INCLUDE_SUBDOMAINS: boolean('Security headers', {
    default: 'false',
    meaning: 'adds includeSubDomains to Strict-Transport-Security',
  }),
  SECURITY_X_FRAME_OPTIONS: choice(['deny', 'sameorigin', 'off'])('Security headers', {
    default: 'sameorigin',
    meaning: 'X-Frame-Options: who can embed pages of this service',
  }),
  SECURITY_X_CONTENT_TYPE_OPTIONS: choice(['nosniff', 'off'], { true: 'nosniff', false: 'off' })('Security headers', {
    default: 'nosniff',
    meaning: 'sends X-Content-Type-Options: nosniff',
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
  ])('Security headers', { default: 'same-origin', meaning: 'Referrer-Policy' }),

  // Network
  CORS_ENABLED: boolean('Network', { default: 'true', meaning: 'enables cross-origin requests to the API' }),
  CORS_ALLOWED_ORIGINS: list('Network', {
    default: '*',
    meaning: 'allowed origins, comma-separated; only listed origins can send cookies, not *',
  }),
  CORS_ALLOWED_METHODS: list('Network', {
    default: 'GET,POST,PUT,DELETE,OPTIONS',
    meaning: 'allowed methods, comma-separated; browsers always allow GET, HEAD and POST',
  }),
  CORS_ALLOWED_HEADERS: list('Network', { default: '*', meaning: 'allowed request headers, comma-separated; * allows any' }),
  CORS_MAX_AGE: integer(0)('Network', { default: '3600', meaning: 'seconds browsers cache a preflight response' }),
  PROXY_COUNT: integer(0, 100)('Network', {
    everyday: true,
    default: '0',
    meaning: 'number of reverse proxies that add to X-Forwarded-For; 0 ignores the header',
  }),
  TRUSTED_PROXIES: list('Network', {
    default: undefined,
    meaning: 'addresses or networks (CIDR) of trusted reverse proxies, comma-separated; takes precedence over PROXY_COUNT',
  }),

  // Limits
  RATE_LIMIT_ENABLED: boolean('Limits', {
    default: 'true',
  }),
  RATE_LIMIT_PER_MINUTE: integer(1, 1_000_000)('Limits', {
    default: '100',
  }),
  RATE_LIMIT_BURST: integer(0, 1_000_000)('Limits', { default: '20' }),
  RATE_LIMIT_BROWSER_PER_MINUTE: integer(1, 1_000_000)('Limits', { default: '1200' }),
  RATE_LIMIT_UPLOADS_PER_MINUTE: integer(1, 1_000_000)('Limits', {
    default: '10',
  }),
} as const;
