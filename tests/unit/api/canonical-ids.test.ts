// An id has several spellings, and a comparison knows one: ids reach the handlers in lower case only.

import { describeRoutes, type Route } from '@sheaf/api/testing';
import { loadConfig } from '@sheaf/config';
import test from 'ava';
import { z } from 'zod';

const UPPER = '0190B0A0-ABCD-7000-8000-00000000CDEF';

const inputsOf = (route: Route): readonly (readonly [string, z.ZodType])[] =>
  Object.entries({ params: route.params, query: route.query, body: route.kind === 'json' ? route.body : route.content?.form }).flatMap(
    ([name, schema]) => (schema === undefined ? [] : [[name, schema] as const]),
  );

/** Every place of an id in `schema`, with whether it is made lower case there. */
const idsIn = (schema: z.ZodType): Map<string, boolean> => {
  const found = new Map<string, boolean>();
  z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    // a schema that changes its text comes after the one that it was made of, at the same place
    override: ({ zodSchema, jsonSchema, path }) => {
      if (jsonSchema.format !== 'uuid') return;
      const place = path.join('.');
      found.set(place, found.get(place) === true || z.parse(zodSchema, UPPER) === UPPER.toLowerCase());
    },
  });
  return found;
};

test('every id that a request can carry is made lower case where it is read', (t) => {
  const { config } = loadConfig({ environment: { API_KEY_ENABLED: 'true', FEATURE_API_V2: 'true' } });
  let seen = 0;
  for (const route of describeRoutes(config)) {
    for (const [where, input] of inputsOf(route)) {
      for (const [place, isLower] of idsIn(input)) {
        seen += 1;
        t.true(isLower, `${route.method} ${route.path}: ${where} ${place}`);
      }
    }
  }
  t.true(seen > 40, `only ${seen} ids were found`);
});

test('lists of ids in a query are made lower case as well', (t) => {
  const { config } = loadConfig({ environment: {} });
  const list = describeRoutes(config).find(({ method, path }) => method === 'get' && path === '/api/documents');
  t.deepEqual(list?.query?.parse({ label_ids: `${UPPER},${UPPER}` }), list?.query?.parse({ label_ids: `${UPPER},${UPPER}`.toLowerCase() }));
});
