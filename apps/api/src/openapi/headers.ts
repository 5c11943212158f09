import type { ErrorKind } from '@sheaf/vocabulary/error-codes';
import { z } from 'zod';

const requestId = z.string().meta({
  header: { id: 'RequestId', description: 'Request ID in the log; a valid value of the same request header is reused' },
});
const retryAfter = z.string().meta({ header: { id: 'RetryAfter', description: 'Seconds until the next attempt' } });

const rateHeader = (id: string, description: string) => z.string().optional().meta({ header: { id, description } });

/** On every answer; those of the limit only where one holds. */
export const COMMON_HEADERS = z.object({
  'X-Request-Id': requestId,
  'X-RateLimit-Limit': rateHeader('RateLimitLimit', 'Requests per minute, or uploads per minute if fewer of these remain'),
  'X-RateLimit-Remaining': rateHeader('RateLimitRemaining', 'Remaining requests'),
  'X-RateLimit-Reset': rateHeader('RateLimitReset', 'Unix time at which the limit resets'),
});

const deprecation = (id: string, description: string) => z.string().meta({ header: { id, description } });

/** On every answer of a route that ends. */
export const DEPRECATED_HEADERS = COMMON_HEADERS.extend({
  Deprecation: deprecation('Deprecation', 'HTTP date at which this endpoint is removed'),
  Sunset: deprecation('Sunset', 'Deprecation date of this endpoint'),
  Link: deprecation('Link', 'Successor, as rel="successor-version"'),
});

const RETRY = COMMON_HEADERS.extend({ 'Retry-After': retryAfter });

/** The headers of an error answer. */
export const ANSWER_HEADERS: Readonly<Record<ErrorKind, z.ZodObject>> = {
  VALIDATION_ERROR: COMMON_HEADERS,
  UNAUTHORIZED: COMMON_HEADERS.extend({
    'WWW-Authenticate': z.string().meta({ header: { id: 'WwwAuthenticate', description: 'Accepted authentication schemes' } }),
  }),
  FORBIDDEN: COMMON_HEADERS,
  NOT_FOUND: COMMON_HEADERS,
  DUPLICATE_RESOURCE: COMMON_HEADERS,
  PRECONDITION_FAILED: COMMON_HEADERS.extend({
    ETag: z.string().meta({ header: { id: 'CurrentEtag', description: 'ETag of the resource as it is now' } }),
  }),
  RATE_LIMITED: RETRY,
  INTERNAL_ERROR: COMMON_HEADERS,
  SERVICE_UNAVAILABLE: RETRY,
};
