// What a program sends to the Paperless-compatible API was done once it is accepted: a field that is not known is refused by its name.

import { describePaperlessRoutes, parseInput, type Route, toPaperlessError } from '@sheaf/api/testing';
import { loadConfig } from '@sheaf/config';
import { AppError } from '@sheaf/contract';
import test from 'ava';
import { z } from 'zod';

const { config } = loadConfig({ environment: { FEATURE_PAPERLESS_API: 'true' } });
const routes = describePaperlessRoutes(config);
const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

/** The schema of the body, be it JSON or a form. */
const bodyOf = (route: Route): z.ZodType | undefined => route.body ?? (route.kind === 'stream' ? route.content?.form : undefined);

const refusedFields = (schema: z.ZodType, body: object): readonly string[] => {
  try {
    parseInput(schema, body, 'body');
  } catch (error) {
    if (error instanceof AppError) return Object.keys(toPaperlessError(error).body);
    throw error;
  }
  return [];
};

/** Nothing of a body is done there: they answer 403, whatever is sent. */
const ALWAYS_REFUSED = ['storage_paths', 'groups', 'mail_accounts', 'mail_rules', 'workflows', 'workflow_triggers', 'workflow_actions'].map(
  (name) => `post /paperless/api/${name}`,
);

test('every route names a field that it does not know, but those that refuse every request', (t) => {
  const withBody = routes.filter((route) => bodyOf(route) !== undefined);
  const silent = routes.filter((route) => {
    const schema = bodyOf(route);
    return schema !== undefined && !refusedFields(schema, { no_such_field: 1 }).includes('no_such_field');
  });
  t.deepEqual(silent.map(nameOf).toSorted(), ALWAYS_REFUSED.toSorted());
  t.true(withBody.length > 25);
  const changing = routes.filter(({ method }) => method === 'post' || method === 'put' || method === 'patch');
  t.deepEqual(changing.filter((route) => bodyOf(route) === undefined).map(nameOf), [], 'each declares its body');
});

const unknownOf = (schema: z.ZodType, body: object): readonly string[] =>
  (schema.safeParse(body).error?.issues ?? []).flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));

test('what a route answers of an object can be sent back whole', (t) => {
  const readings = new Map(routes.filter(({ method }) => method === 'get').map((route) => [route.path, route]));
  const written = routes.filter(({ method, path }) => (method === 'put' || method === 'patch') && path.endsWith('/{id}'));
  t.true(written.length >= 12);
  for (const route of written) {
    const reading = readings.get(route.path);
    const answer = reading?.kind === 'json' ? reading.response : undefined;
    if (!(answer instanceof z.ZodObject) || route.body === undefined) return t.fail(nameOf(route));
    const whole = Object.fromEntries(Object.keys(answer.shape).map((name) => [name, null]));
    t.deepEqual(unknownOf(route.body, whole), [], nameOf(route));
  }
});
