import type { ErrorKind } from '@sheaf/contract';
import { z } from 'zod';

const requestId = z.string().meta({
  header: { id: 'RequestId', description: 'Names this request in the log; a plain one that the caller sends in the same header is kept' },
});
const retryAfter = z.string().meta({ header: { id: 'RetryAfter', description: 'Seconds to wait' } });

const rateHeader = (id: string, description: string) => z.string().optional().meta({ header: { id, description } });

/** On every answer; those of the limit only where one holds. */
export const COMMON_HEADERS = z.object({
  'X-Request-Id': requestId,
  'X-RateLimit-Limit': rateHeader('RateLimitLimit', 'Requests a minute, or uploads where fewer of these are left'),
  'X-RateLimit-Remaining': rateHeader('RateLimitRemaining', 'How many of them are left'),
  'X-RateLimit-Reset': rateHeader('RateLimitReset', 'When all of them may be made again, in seconds since 1970'),
});

const deprecation = (id: string, description: string) => z.string().meta({ header: { id, description } });

/** On every answer of a route that ends. */
export const DEPRECATED_HEADERS = COMMON_HEADERS.extend({
  Deprecation: deprecation('Deprecation', 'When this route ends, as an HTTP date'),
  Sunset: deprecation('Sunset', 'The same'),
  Link: deprecation('Link', 'What comes after it, as rel="successor-version"'),
});

const RETRY = COMMON_HEADERS.extend({ 'Retry-After': retryAfter });

/** The headers of an error answer. */
export const ANSWER_HEADERS: Readonly<Record<ErrorKind, z.ZodObject>> = {
  VALIDATION_ERROR: COMMON_HEADERS,
  UNAUTHORIZED: COMMON_HEADERS.extend({
    'WWW-Authenticate': z.string().meta({ header: { id: 'WwwAuthenticate', description: 'The kinds of credentials that are taken' } }),
  }),
  FORBIDDEN: COMMON_HEADERS,
  NOT_FOUND: COMMON_HEADERS,
  DUPLICATE_RESOURCE: COMMON_HEADERS,
  RATE_LIMITED: RETRY,
  INTERNAL_ERROR: COMMON_HEADERS,
  SERVICE_UNAVAILABLE: RETRY,
};
