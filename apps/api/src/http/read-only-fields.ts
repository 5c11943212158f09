import { isDeepStrictEqual } from 'node:util';
import { withoutOptionalNulls } from '@sheaf/contract';
import { z } from 'zod';
import type { Route } from './route.ts';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fieldsOf = (schema: z.ZodType | undefined): Readonly<Record<string, unknown>> =>
  schema !== undefined && 'shape' in schema ? (schema.shape as Readonly<Record<string, unknown>>) : {};

const isValid = (schema: unknown, value: unknown): boolean => schema instanceof z.ZodType && schema.safeParse(value).success;

/** The fields that GET of the resource answers and a change does not take, by name. */
export const readOnlyFields = (route: Route): readonly string[] => {
  if (route.kind !== 'json' || route.present === undefined) return [];
  const changeable = fieldsOf(route.body);
  return Object.keys(fieldsOf(route.response)).filter((name) => !Object.hasOwn(changeable, name));
};

/**
 * The body of a change without the fields that are the service's own, whatever they hold: they may have changed since the client read
 * them. A field that the resource already has as it is given, and that no change could set, is left out too. `present` reads the resource.
 */
export const withoutReadOnly = async (body: unknown, route: Route, present: () => Promise<object>): Promise<unknown> => {
  if (!isObject(body) || route.body === undefined) return body;
  const given = withoutOptionalNulls(route.body, body) as Readonly<Record<string, unknown>>;
  const readOnly = readOnlyFields(route);
  const changeable = fieldsOf(route.body);
  const rest = Object.entries(given).filter(([name]) => !readOnly.includes(name));
  const doubtful = rest.filter(([name, value]) => Object.hasOwn(changeable, name) && !isValid(changeable[name], value));
  if (doubtful.length === 0) return Object.fromEntries(rest);
  // as JSON has it, which is what the client was given
  const current = JSON.parse(JSON.stringify(await present())) as Readonly<Record<string, unknown>>;
  const isAsBefore = (name: string): boolean => Object.hasOwn(current, name) && isDeepStrictEqual(current[name], given[name]);
  const left = doubtful.map(([name]) => name).filter(isAsBefore);
  return Object.fromEntries(rest.filter(([name]) => !left.includes(name)));
};
