import type { GeneratedSecrets } from './generated-secrets.ts';
import type { RawValues } from './layers.ts';
import type { Values } from './parse.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export const tokenConfig = (v: Values, generated: GeneratedSecrets) => ({
  enabled: v.JWT_ENABLED,
  secret: v.JWT_SECRET ?? generated.jwtSecret,
  algorithm: v.JWT_ALGORITHM,
  lifeMs: v.JWT_EXPIRY_MINUTES * MINUTE_MS,
  /** Undefined: there are no refresh tokens, and a session ends with its token. */
  refreshLifeMs: v.JWT_REFRESH_ENABLED ? v.JWT_REFRESH_EXPIRY_DAYS * DAY_MS : undefined,
});

export const apiKeyConfig = (v: Values) => ({
  enabled: v.API_KEY_ENABLED,
  /** As Node writes names of headers. */
  header: v.API_KEY_HEADER.toLowerCase(),
  lifeMs: v.API_KEY_EXPIRY_DAYS * DAY_MS,
});

/** Browser sessions. */
export const sessionConfig = (v: Values, raw: RawValues, generated: GeneratedSecrets) => ({
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
  rememberMs: v.SESSION_REMEMBER_ME_DAYS * DAY_MS,
  /** Of one user at the same time; undefined: any number. */
  maxConcurrent: v.SESSION_MAX_CONCURRENT === 0 ? undefined : v.SESSION_MAX_CONCURRENT,
  /** The key-value store, where browser sessions are kept there. */
  storeUrl: v.SESSION_BACKEND === 'redis' ? v.STORE_SESSION_URL : undefined,
  cleanupMs: v.SESSION_CLEANUP_INTERVAL_HOURS * HOUR_MS,
});
