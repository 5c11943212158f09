import { errorBody, publicCodeOf } from '@sheaf/contract';
import { searchFilters } from '@sheaf/contract/search';
import { VERSION } from '@sheaf/program';
import { ERROR_STATUS, type ErrorCode, type ErrorKind } from '@sheaf/vocabulary/error-codes';
import { EXACT_TOTAL_LIMIT, MAX_CONNECTIONS_PER_USER, MAX_PER_PAGE, MAX_SEARCH_RESULTS } from '@sheaf/vocabulary/limits';
import { ACTIONS, type Action } from '@sheaf/vocabulary/permissions';
import { type core, z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiParameters,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { addressOf } from '../http/offered-routes.ts';
import { readOnlyFields } from '../http/parse-input.ts';
import type { Access, DeclaredAnswer, Route, StreamContent } from '../http/route.ts';

/** The patterns that zod adds to these formats say nothing that the format does not, in 300 characters each. */
const FORMATS = new Set(['date-time', 'date', 'uuid', 'email']);

/** A flag of a query string or a form: text that stands for true or false. */
const isFlag = ({ _zod: { def } }: core.$ZodTypes): boolean =>
  def.type === 'pipe' && def.in._zod.def.type === 'string' && def.out._zod.def.type === 'boolean';

/** What zod's own translation leaves out or says badly. */
const improveSchema: ZodOpenApiOverride = ({ zodSchema, jsonSchema, io }) => {
  const { def } = zodSchema._zod;
  if (io === 'input' && isFlag(zodSchema)) jsonSchema.type = 'boolean';
  if (io === 'input' && def.type === 'default' && isFlag(def.innerType as core.$ZodTypes)) jsonSchema.default = def.defaultValue;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.format !== undefined && FORMATS.has(jsonSchema.format)) delete jsonSchema.pattern;
};

const DESCRIPTION = `Conventions:

- Bodies are JSON in UTF-8 unless stated, of at most JSON_BODY_LIMIT_MB (1 MB without signing in). Unknown fields in bodies and queries are rejected with 400. \`null\` for an optional field is as if it were absent, except where the field can be null.
- IDs are UUIDs. Times are ISO 8601 in UTC with milliseconds. Sizes are bytes. Confidences are 0 to 1.
- Lists return \`{data, pagination}\`; \`page\` starts at 1, \`per_page\` is at most ${MAX_PER_PAGE}. Under /api/v2 (FEATURE_API_V2) they return \`{data, next_cursor}\`: pass \`next_cursor\` as \`cursor\` with the same parameters to get the next page, \`limit\` is at most ${MAX_PER_PAGE}; new rows do not shift pages. Lists of version 1 then have Deprecation, Sunset and Link headers.
- A search returns its first ${MAX_SEARCH_RESULTS} results; pages beyond return 400. \`total\` is exact up to ${EXACT_TOTAL_LIMIT}; beyond that, \`total_is_lower_bound\` is true, and with \`facets_are_lower_bounds\` the facets count a part of the results.
- A resource that the caller cannot see returns 404; an action that is not allowed on a visible resource returns 403.
- Events are sent over a WebSocket at \`/ws\`, and over socket.io at its default path. Send \`{"type": "auth", "token": "..."}\` first, then \`{"type": "subscribe", "events": [...], "last_seq": 0}\`: an empty list subscribes to all events, and \`last_seq\` replays missed events of the last 24 hours first. Each event is \`{type, seq, timestamp, data, ...data}\`, in the order of \`seq\`. Close codes: 4401 not authenticated, 4403 forbidden, 4408 client too slow, 4429 too many connections (at most ${MAX_CONNECTIONS_PER_USER} per user).
- All errors have the same format. \`error.code\` is machine-readable, \`error.message\` human-readable; \`error.request_id\` identifies the request in the log.
`;

export type OpenApiDocument = ReturnType<typeof createDocument>;

/** A feature that is off answers errors alone, and clients that are made from the text are to work once it is on. */
const described = (route: Route): Route => {
  const { whenOn, version } = route;
  return whenOn === undefined ? route : ((version === 'v2' ? whenOn.v2 : undefined) ?? whenOn);
};

const pathsOf = (routes: readonly Route[]): ZodOpenApiPathsObject => {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const address = addressOf(route);
    paths[address] = { ...paths[address], [route.method]: toOperation(described(route)) };
  }
  return paths;
};

/** The text of the interface: every route of `routes` and nothing else, from the schemas that validate its requests and answers. */
export const makeOpenApiDocument = (routes: readonly Route[]): OpenApiDocument =>
  createDocument(
    {
      openapi: '3.1.0',
      info: { title: 'Sheaf', version: VERSION, summary: 'API of the Sheaf document management service', description: DESCRIPTION },
      servers: [{ url: '/' }],
      paths: pathsOf(routes),
      // the filters travel as JSON in a query string, where no schema shows what may stand in them
      components: { schemas: { SearchFilters: searchFilters }, securitySchemes: SECURITY_SCHEMES },
    },
    { override: improveSchema },
  );

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** A name for generated clients: get /api/documents/{id} is getDocumentsById, get /health is getServiceHealth. */
const operationIdOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => {
  const [first, ...further] = path.split('/').slice(1);
  const words = first === 'api' ? further : ['service', first ?? '', ...further];
  const parts = words.map((part) => (part.startsWith('{') ? `By-${part.slice(1, -1)}` : part));
  return (
    method +
    parts
      .flatMap((part) => part.split(/\W+/))
      .map(capital)
      .join('')
  );
};

/** The resource that a route belongs to: the first word behind /api. */
const tagOf = ({ path }: Pick<Route, 'path'>): string =>
  path.startsWith('/api/') ? (path.split('/')[2]?.split('.')[0] ?? 'service') : 'service';

const textHeader = (description: string): z.ZodType => z.string().optional().meta({ header: { description }, param: { description } });

const textHeaders = (headers: Readonly<Record<string, string>>): z.ZodObject =>
  z.object(Object.fromEntries(Object.entries(headers).map(([name, meaning]) => [name, textHeader(meaning)])));

/** The fields of a query or a path. A route that takes anything, as one of a feature that is off does, describes none. */
const fieldsOf = (schema: z.ZodType, what: string): z.ZodObject | undefined => {
  if (schema instanceof z.ZodObject) return schema;
  if (schema instanceof z.ZodUnknown) return undefined;
  throw new Error(`${what} is not described by an object`);
};

/** The parameters in the braces of a path, for a route that does not check them. */
const bracesOf = ({ path }: Route): z.ZodObject =>
  z.object(Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, z.string()])));

const contentOf = ({ contentTypes, schema }: DeclaredAnswer): ZodOpenApiResponseObject['content'] => {
  if (schema === undefined && contentTypes === undefined) return undefined;
  // bytes have no schema: OpenAPI 3.1 leaves it empty
  const others = (contentTypes ?? []).map(
    (type) => [type, { schema: type.startsWith('text/') ? { type: 'string' as const } : {} }] as const,
  );
  return { ...Object.fromEntries(others), ...(schema === undefined ? {} : { 'application/json': { schema } }) };
};

const toResponse = (answer: DeclaredAnswer, { isDeprecated }: Route): ZodOpenApiResponseObject => {
  const content = contentOf(answer);
  const common = isDeprecated === true ? DEPRECATED_HEADERS : COMMON_HEADERS;
  const headers = answer.headers === undefined ? common : common.extend(textHeaders(answer.headers).shape);
  return { description: answer.description, headers, ...(content === undefined ? {} : { content }) };
};

/** An answer that has the status of an error as well may be either. */
const orError = (answer: DeclaredAnswer, errors: ZodOpenApiResponsesObject): DeclaredAnswer => {
  const error = errors[`${answer.status}` as keyof ZodOpenApiResponsesObject] as { readonly description: string } | undefined;
  if (error === undefined || (answer.schema === undefined && answer.contentTypes === undefined)) return answer;
  const schema = answer.schema === undefined ? errorBody : z.union([answer.schema, errorBody]);
  return { ...answer, description: `${answer.description}. Or: ${error.description}`, schema };
};

const ETAG = { ETag: 'ETag of the resource, for If-Match of a change; absent if the request has parameters' } as const;

const answersOf = (route: Route): readonly DeclaredAnswer[] => {
  if (route.kind === 'json') {
    const answer = { status: route.status, description: 'Done', schema: route.response };
    if (route.change === undefined) return [answer, ...(route.otherAnswers ?? [])];
    return [
      { ...answer, headers: ETAG },
      ...(route.otherAnswers ?? []),
      ...(route.method === 'get' ? [{ status: 304, description: 'Not modified' }] : []),
    ];
  }
  if (route.content === undefined) throw new Error(`${route.method} ${route.path} has no request and response schema`);
  return route.content.answers;
};

const conditionsOf = ({ change, method }: Route): Readonly<Record<string, string>> | undefined => {
  if (change === undefined) return undefined;
  if (method === 'get') return { 'If-None-Match': 'ETag of the cached response' };
  return { 'If-Match': 'ETag of the state that the change is meant for; if the resource has another one, the response is 412' };
};

/** Which fields of a change are ignored because they are the service's own. */
const readOnlyText = (route: Route): string | undefined => {
  const names = readOnlyFields(route);
  return names.length === 0 ? undefined : `Read-only fields are ignored: ${names.map((name) => `\`${name}\``).join(', ')}.`;
};

const parametersOf = (route: Route): ZodOpenApiParameters => {
  const what = `${route.method} ${route.path}`;
  const path = (route.params && fieldsOf(route.params, `path of ${what}`)) ?? bracesOf(route);
  const query = route.query && fieldsOf(route.query, `query of ${what}`);
  const headers = (route.kind === 'stream' ? route.content?.requestHeaders : undefined) ?? conditionsOf(route);
  return {
    path,
    ...(query === undefined ? {} : { query }),
    ...(headers === undefined ? {} : { header: textHeaders(headers) }),
  };
};

const formBody = ({ form }: StreamContent) =>
  form === undefined ? {} : { requestBody: { required: true, content: { 'multipart/form-data': { schema: form } } } };

const bodyOf = (route: Route): Pick<ZodOpenApiOperationObject, 'requestBody'> => {
  if (route.body === undefined) return route.kind === 'stream' && route.content !== undefined ? formBody(route.content) : {};
  const isRequired = !route.body.safeParse(undefined).success;
  const schema = route.body instanceof z.ZodOptional ? (route.body.unwrap() as z.ZodType) : route.body;
  const file = { 'multipart/form-data': { schema: z.object({ file: z.file() }) } };
  const form =
    route.kind === 'stream' && route.content?.form !== undefined ? { 'multipart/form-data': { schema: route.content.form } } : {};
  const content = { 'application/json': { schema }, ...(route.kind === 'json' && route.takesBodyFile === true ? file : form) };
  return { requestBody: { required: isRequired, content } };
};

/** One route as OpenAPI has it. Throws for a route that streams and does not say what. */
const toOperation = (route: Route): ZodOpenApiOperationObject => {
  const errors = errorAnswers(route);
  const answers: ZodOpenApiResponsesObject = Object.fromEntries(
    answersOf(route).map((answer) => [answer.status, toResponse(orError(answer, errors), route)]),
  );
  return {
    operationId: operationIdOf(route),
    tags: [tagOf(route)],
    summary: route.summary,
    ...(route.isDeprecated === true ? { deprecated: true } : {}),
    description: [route.description, readOnlyText(route), accessText(route)].filter((text) => text !== undefined).join('\n\n'),
    security: securityOf(route.access),
    ...(isAction(route.access) ? { 'x-permission': route.access } : {}),
    requestParams: parametersOf(route),
    ...bodyOf(route),
    responses: { ...errors, ...answers },
  };
};

/** Every kind of credentials, by name. Any one of them will do, so a further kind is one entry here. */
const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'Bearer token of POST /api/auth/login' },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'sheaf_session',
    description: 'Cookie of a browser session (SESSION_COOKIE_NAME). Changes also require the header `X-CSRF-Token`',
  },
  key: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'API key of POST /api/keys, in the header API_KEY_HEADER' },
} as const;

const isAction = (access: Access): access is Action => ACTIONS.some((action) => action === access);

type Requirement = Record<string, string[]>;

/** What OpenAPI calls the security requirement of a route; `{}` is a stranger. */
const securityOf = (access: Access): Requirement[] => {
  const known = Object.keys(SECURITY_SCHEMES)
    .filter((name) => access !== 'session' || name !== 'key')
    .map((name): Requirement => ({ [name]: [] }));
  if (access === 'anyone') return [];
  return access === 'anyone-known' ? [{}, ...known] : known;
};

/** Who may call, in a sentence. */
const accessText = ({ access, allowSelf }: Pick<Route, 'access' | 'allowSelf'>): string => {
  switch (access) {
    case 'anyone':
      return 'No authentication required.';
    case 'anyone-known':
      return 'No authentication required; authenticated users have more options.';
    case 'session':
      return 'Requires a signed-in user; not available to API keys.';
    case 'signed-in':
      return 'Requires authentication.';
    default:
      if (allowSelf === true)
        return `Available to the user for the own account when signed in; for other users and with an API key requires the permission \`${access}\`.`;
      return `Requires the permission \`${access}\`, or \`${access}.own\` for own resources.`;
  }
};

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
const errorAnswers = (route: Route): ZodOpenApiResponsesObject => {
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

const requestId = z.string().meta({
  header: { id: 'RequestId', description: 'Request ID in the log; a valid value of the same request header is reused' },
});
const retryAfter = z.string().meta({ header: { id: 'RetryAfter', description: 'Seconds until the next attempt' } });

const rateHeader = (id: string, description: string) => z.string().optional().meta({ header: { id, description } });

/** On every answer; those of the limit only where one holds. */
const COMMON_HEADERS = z.object({
  'X-Request-Id': requestId,
  'X-RateLimit-Limit': rateHeader('RateLimitLimit', 'Requests per minute, or uploads per minute if fewer of these remain'),
  'X-RateLimit-Remaining': rateHeader('RateLimitRemaining', 'Remaining requests'),
  'X-RateLimit-Reset': rateHeader('RateLimitReset', 'Unix time at which the limit resets'),
});

const deprecation = (id: string, description: string) => z.string().meta({ header: { id, description } });

/** On every answer of a route that ends. */
const DEPRECATED_HEADERS = COMMON_HEADERS.extend({
  Deprecation: deprecation('Deprecation', 'HTTP date at which this endpoint is removed'),
  Sunset: deprecation('Sunset', 'Deprecation date of this endpoint'),
  Link: deprecation('Link', 'Successor, as rel="successor-version"'),
});

const RETRY = COMMON_HEADERS.extend({ 'Retry-After': retryAfter });

/** The headers of an error answer. */
const ANSWER_HEADERS: Readonly<Record<ErrorKind, z.ZodObject>> = {
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
