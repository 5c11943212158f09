import { isDeepStrictEqual } from 'node:util';
import { makeIssue, validationError } from '@sheaf/contract';
import { z } from 'zod';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fieldsOf = (schema: z.ZodType): Readonly<Record<string, unknown>> =>
  'shape' in schema ? (schema.shape as Readonly<Record<string, unknown>>) : {};

const isValid = (schema: unknown, value: unknown): boolean => schema instanceof z.ZodType && schema.safeParse(value).success;

/**
 * A body without the fields that `schema` does not know and that the resource has as they are given: who sends back what he was
 * given changes nothing. `present` is what he would be given now. Throws VALIDATION_ERROR for a field that cannot be changed and is
 * given otherwise; fields that the resource does not have remain, for `schema` to refuse.
 */
export const withoutUnchanged = async (given: unknown, schema: z.ZodType, present: () => Promise<object>): Promise<unknown> => {
  if (!isObject(given)) return given;
  const changeable = fieldsOf(schema);
  const others = Object.keys(given).filter((key) => !Object.hasOwn(changeable, key));
  if (others.length === 0) return given;
  // as JSON has it, which is what he was given
  const current = JSON.parse(JSON.stringify(await present())) as Readonly<Record<string, unknown>>;
  const readOnly = others.filter((key) => Object.hasOwn(current, key));
  const changed = readOnly.filter((key) => !isDeepStrictEqual(current[key], given[key]));
  if (changed.length > 0) {
    const issues = changed.map((key) => makeIssue(key, 'read_only'));
    throw validationError(`Invalid body: ${changed[0]}: ${issues[0]?.message}`, { issues });
  }
  // also what a change could not be made to, such as null, or the address of a source that is made of its settings
  const isLeft = (key: string): boolean =>
    Object.hasOwn(current, key) && isDeepStrictEqual(current[key], given[key]) && !isValid(changeable[key], given[key]);
  return Object.fromEntries(Object.entries(given).filter(([key]) => !readOnly.includes(key) && !isLeft(key)));
};
