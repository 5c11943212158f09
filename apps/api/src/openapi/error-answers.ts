import { errorBody, publicCodeOf } from '@sheaf/contract';
import { ERROR_STATUS, type ErrorCode, type ErrorKind } from '@sheaf/vocabulary/error-codes';
import type { ZodOpenApiResponsesObject } from 'zod-openapi';
import type { Route } from '../http/route.ts';
import { ANSWER_HEADERS } from './headers.ts';
import { isAction } from './security.ts';

const isApi = ({ path }: Route): boolean => path.startsWith('/api/');
const isHealth = ({ path }: Route): boolean => path === '/api/health' || path.startsWith('/api/health/');

/** The kinds of error that follow from what a route is: its access, its parameters, what every route can meet. */
const ownKinds = (route: Route): ErrorKind[] => [
  'VALIDATION_ERROR',
  ...(route.access === 'anyone' ? [] : (['UNAUTHORIZED'] as const)),
  ...(isAction(route.access) || route.access === 'session' ? (['FORBIDDEN'] as const) : []),
  ...(route.params === undefined ? [] : (['NOT_FOUND'] as const)),
  ...(route.change !== undefined && route.method !== 'get' ? (['PRECONDITION_FAILED'] as const) : []),
  ...(isApi(route) && !isHealth(route) ? (['RATE_LIMITED'] as const) : []),
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
];

/** What is answered to who is known and may still not: a change by cookie without its token, an administrator without a second factor. */
const credentialCodes = ({ access, method, path }: Route): (readonly [string, ErrorKind])[] => [
  ...(access === 'anyone' || method === 'get' ? [] : ([['CSRF_TOKEN_INVALID', 'FORBIDDEN']] as const)),
  ...(access === 'anyone' || access === 'anyone-known' || path.startsWith('/api/auth/')
    ? []
    : ([['MFA_SETUP_REQUIRED', 'FORBIDDEN']] as const)),
];

/** Uploads may take as long as bytes flow. */
const timeoutCode = (route: Route): (readonly [string, ErrorKind])[] =>
  route.kind === 'stream' && route.content?.form !== undefined ? [] : [['REQUEST_TIMEOUT', 'SERVICE_UNAVAILABLE']];

/** Every code a route can answer with and the kind it is of. The kinds themselves are codes. */
export const errorCodesOf = (route: Route): ReadonlyMap<string, ErrorKind> =>
  new Map<string, ErrorKind>([
    ...ownKinds(route).map((kind) => [kind, kind] as const),
    ...credentialCodes(route),
    ...timeoutCode(route),
    ...Object.entries(route.errors ?? {}),
  ]);

const MEANING: Readonly<Record<ErrorKind, string>> = {
  VALIDATION_ERROR: 'Invalid request; see details.issues',
  UNAUTHORIZED: 'Not authenticated',
  FORBIDDEN: 'Forbidden',
  NOT_FOUND: 'Not found or not visible to the caller',
  DUPLICATE_RESOURCE: 'Conflict with an existing resource or the current state',
  PRECONDITION_FAILED: 'If-Match names another state of the resource; ETag has the current one',
  RATE_LIMITED: 'Rate limit exceeded; try again after Retry-After',
  INTERNAL_ERROR: 'Internal server error, logged with the request ID',
  SERVICE_UNAVAILABLE: 'Service unavailable; try again',
};

const inCode = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** The codes of a kind, as they are told to clients. */
const namesOf = (kind: ErrorKind, conditions: readonly (ErrorCode | ErrorKind)[]): string => {
  const names = conditions.map((code) => publicCodeOf({ code, kind }));
  const codes = [...new Set(names.map(({ code }) => code))];
  const reasons = names.flatMap(({ reason }) => reason ?? []);
  return `\`error.code\`: ${inCode(codes)}.${reasons.length === 0 ? '' : ` \`details.reason\`: ${inCode(reasons)}.`}`;
};

/** The error answers of a route, by status, each with its codes. */
export const errorAnswers = (route: Route): ZodOpenApiResponsesObject => {
  const byKind = Map.groupBy(errorCodesOf(route), ([, kind]) => kind);
  const answers = [...byKind].map(([kind, entries]) => {
    const description = `${MEANING[kind]}. ${namesOf(
      kind,
      entries.map(([code]) => code as ErrorCode | ErrorKind),
    )}`;
    return [
      ERROR_STATUS[kind],
      { description, headers: ANSWER_HEADERS[kind], content: { 'application/json': { schema: errorBody } } },
    ] as const;
  });
  return Object.fromEntries(answers);
};
