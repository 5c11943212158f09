import { searchFilters } from '@sheaf/contract/search';
import { VERSION } from '@sheaf/program';
import { EXACT_TOTAL_LIMIT, MAX_CONNECTIONS_PER_USER, MAX_PER_PAGE, MAX_SEARCH_RESULTS } from '@sheaf/vocabulary/limits';
import type { core } from 'zod';
import { createDocument, type ZodOpenApiOverride, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { Route } from '../http/route.ts';
import { addressOf } from '../http/versions.ts';
import { toOperation } from './operation.ts';
import { SECURITY_SCHEMES } from './security.ts';

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
