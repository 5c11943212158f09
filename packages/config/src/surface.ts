import type { Values } from './parse.ts';

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

export const headersConfig = (v: Values): HeaderSettings => ({
  enabled: v.SECURITY_HEADERS_ENABLED,
  contentSecurityPolicy: policyOf(v),
  hstsSeconds: v.SECURITY_HSTS_SECONDS,
  hstsIncludeSubdomains: v.SECURITY_HSTS_INCLUDE_SUBDOMAINS,
  frameOptions: v.SECURITY_X_FRAME_OPTIONS === 'off' ? undefined : v.SECURITY_X_FRAME_OPTIONS,
  noSniff: v.SECURITY_X_CONTENT_TYPE_OPTIONS === 'nosniff',
  referrerPolicy: v.SECURITY_REFERRER_POLICY === 'off' ? undefined : v.SECURITY_REFERRER_POLICY,
});

export const corsConfig = (v: Values): CorsSettings => ({
  enabled: v.CORS_ENABLED,
  origins: v.CORS_ALLOWED_ORIGINS.includes('*') ? 'any' : v.CORS_ALLOWED_ORIGINS.map((origin) => origin.toLowerCase()),
  methods: v.CORS_ALLOWED_METHODS.map((method) => method.toUpperCase()),
  headers: v.CORS_ALLOWED_HEADERS.includes('*') ? 'any' : v.CORS_ALLOWED_HEADERS,
  maxAgeSeconds: v.CORS_MAX_AGE,
});

// Choice: addresses say more than a count, so they go before it where both are set.
export const trustedProxies = (v: Values): TrustedProxies =>
  v.TRUSTED_PROXIES === undefined || v.TRUSTED_PROXIES.length === 0 ? v.PROXY_COUNT : v.TRUSTED_PROXIES;

export const rateLimitConfig = (v: Values): RateLimitSettings => ({
  enabled: v.RATE_LIMIT_ENABLED,
  perMinute: v.RATE_LIMIT_PER_MINUTE,
  burst: v.RATE_LIMIT_BURST,
  browserPerMinute: v.RATE_LIMIT_BROWSER_PER_MINUTE,
  uploadsPerMinute: v.RATE_LIMIT_UPLOADS_PER_MINUTE,
});
