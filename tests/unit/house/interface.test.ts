import { describeRoutes } from '@sheaf/api/testing';
import { INTERFACE } from '@sheaf/contract/interface';
import test from 'ava';
import { z } from 'zod';
import { openConfiguration } from '../../support/configuration.ts';

const { load } = openConfiguration();
const routes = new Map(
  describeRoutes(load({ MFA_ENABLED: 'true', ENABLE_PER_USER_WATCH: 'true' })).map((route) => [`${route.method} ${route.path}`, route]),
);

interface Schemas {
  readonly query?: unknown;
  readonly body?: unknown;
  readonly response?: unknown;
  /** Of a route that writes its answer by itself. */
  readonly content?: { readonly answers: readonly { readonly schema?: unknown }[] };
}

const responseOf = ({ response, content }: Schemas): unknown => response ?? content?.answers[0]?.schema;

/** The system settings are told by the configuration; the client reads of them in the text of the interface. */
const KNOWN_BY_CONFIGURATION: ReadonlySet<string> = new Set(['system', 'stored', 'restart_required']);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A schema as data, in which neither the order of fields counts nor their definitions apart. */
const normal = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(normal);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, name === 'required' ? (part as string[]).toSorted() : normal(part)]),
  );
};

const toText = (schema: unknown, io: 'input' | 'output'): unknown =>
  schema instanceof z.ZodType ? normal(z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' })) : undefined;

const userSettingsOf = (text: unknown): unknown => {
  if (!isObject(text)) return text;
  const { $ref: reference, $defs: definitions } = text;
  if (typeof reference === 'string' && isObject(definitions)) return userSettingsOf(definitions[reference.replace('#/$defs/', '')]);
  if (!isObject(text['properties'])) return text;
  const own = Object.entries(text['properties']).filter(([name]) => !KNOWN_BY_CONFIGURATION.has(name));
  return Object.fromEntries(own);
};

for (const [operation, declared] of Object.entries(INTERFACE) as [string, Schemas][])
  test(`what the web client knows of "${operation}" is what the route takes and answers`, (t) => {
    const route = routes.get(operation) as Schemas | undefined;
    t.truthy(route, 'no such route');
    if (operation.endsWith(' /api/settings')) {
      t.deepEqual(userSettingsOf(toText(declared.response, 'output')), userSettingsOf(toText(route?.response, 'output')));
      return;
    }
    t.deepEqual(toText(declared.query, 'input'), toText(route?.query, 'input'), 'query');
    t.deepEqual(toText(declared.body, 'input'), toText(route?.body, 'input'), 'body');
    t.deepEqual(toText(declared.response, 'output'), toText(route && responseOf(route), 'output'), 'response');
  });
