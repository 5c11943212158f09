import { EXACT_TOTAL_LIMIT, MAX_CONNECTIONS_PER_USER, MAX_PER_PAGE, MAX_SEARCH_RESULTS, searchFilters } from '@sheaf/contract';
import { VERSION } from '@sheaf/program';
import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi';
import { JSON_BODY_LIMIT_BYTES } from '../http/mount.ts';
import type { Route } from '../http/route.ts';
import { addressOf } from '../http/versions.ts';
import { toOperation } from './operation.ts';
import { improveSchema } from './schema-text.ts';
import { SECURITY_SCHEMES } from './security.ts';

const DESCRIPTION = `What holds everywhere:

- Bodies are JSON in UTF-8 unless stated, of at most ${JSON_BODY_LIMIT_BYTES} bytes. Names that an operation does not know are refused with 400, in bodies and in queries.
- Ids are UUIDs. Times are ISO 8601 in UTC with milliseconds. Sizes are bytes. Confidences are 0 to 1.
- Lists answer \`{data, pagination}\`; \`page\` counts from 1, \`per_page\` is at most ${MAX_PER_PAGE}. Under /api/v2, where it is switched on (FEATURE_API_V2), they answer \`{data, next_cursor}\`: pass \`next_cursor\` as \`cursor\` with the same question for what follows, \`limit\` is at most ${MAX_PER_PAGE}; rows that come meanwhile move nothing. Lists of version 1 carry Deprecation, Sunset and Link then.
- A search reaches its first ${MAX_SEARCH_RESULTS} results: pages beyond are 400. Its \`total\` is exact up to ${EXACT_TOTAL_LIMIT}; beyond, \`total_is_lower_bound\` is true.
- A row that the caller may not read answers 404; an action that he may not do on a row that he may read answers 403.
- What happens is told over a WebSocket at \`/ws\`, and to clients of socket.io under its usual path. Send \`{"type": "auth", "token": "..."}\` first, then \`{"type": "subscribe", "events": [...], "last_seq": 0}\`: without names everything comes, and with \`last_seq\` what was missed in the last 24 hours comes first. Each event is \`{type, seq, timestamp, data, ...data}\`, in the order of \`seq\`. Close codes: 4401 not signed in (any more), 4403 not allowed, 4408 too slow, 4429 too many connections (a user may have ${MAX_CONNECTIONS_PER_USER}).
- Every error has the same envelope. \`error.code\` is for programs, \`error.message\` for people; \`error.request_id\` finds it in the log.
`;

export type OpenApiDocument = ReturnType<typeof createDocument>;

const pathsOf = (routes: readonly Route[]): ZodOpenApiPathsObject => {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const address = addressOf(route);
    paths[address] = { ...paths[address], [route.method]: toOperation(route) };
  }
  return paths;
};

/** The text of the interface: every route of `routes` and nothing else, from the schemas that validate its requests and answers. */
export const makeOpenApiDocument = (routes: readonly Route[]): OpenApiDocument =>
  createDocument(
    {
      openapi: '3.1.0',
      info: { title: 'Sheaf', version: VERSION, summary: 'Documents in, read, and found again', description: DESCRIPTION },
      servers: [{ url: '/' }],
      paths: pathsOf(routes),
      // the filters travel as JSON in a query string, where no schema shows what may stand in them
      components: { schemas: { SearchFilters: searchFilters }, securitySchemes: SECURITY_SCHEMES },
    },
    { override: improveSchema },
  );
