import { z } from 'zod';

type Shape = Readonly<Record<string, z.ZodType>>;

const namesIn = (fields: readonly string[] | z.ZodObject): readonly string[] =>
  fields instanceof z.ZodObject ? Object.keys(fields.shape) : fields;

/**
 * The body of a request. `takes` are its fields, each of which is done or refused by its value. What `ignored` names has no effect: fields of the answer
 * of the same object, as programs send back what they got, and fields that docs/guides/paperless-apps.md lists. All others are refused by name, which
 * Django does not: what is accepted was done.
 */
export const requestBody = <T extends Shape>(takes: T, ...ignored: readonly (readonly string[] | z.ZodObject)[]) => {
  const withoutEffect = Object.fromEntries(ignored.flatMap(namesIn).map((name) => [name, z.unknown().optional()]));
  const shape: T = { ...withoutEffect, ...takes };
  return z.strictObject(shape);
};
