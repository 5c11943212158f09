import type { z } from 'zod';

type Schema = z.core.$ZodType;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const accepts = (schema: Schema, value: unknown): boolean => {
  const payload = { value, issues: [] };
  const result = schema._zod.run(payload, { async: false });
  return !(result instanceof Promise) && result.issues.length === 0;
};

const known = new WeakMap<Schema, boolean>();

/** Whether a field may be absent and null is nothing of its own. */
const isOptional = (schema: Schema): boolean => {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const is = accepts(schema, undefined) && !accepts(schema, null);
  known.set(schema, is);
  return is;
};

const ofFields = (shape: Readonly<Record<string, Schema>>, value: unknown): unknown => {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, given]) => {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field === undefined) return [[name, given] as const];
    return given === null && isOptional(field) ? [] : [[name, withoutOptionalNulls(field, given)] as const];
  });
  // no assignment to `__proto__`, which would not be a field
  return Object.fromEntries(entries);
};

/** Of a union the first option that the value is one of, once the nulls are gone. */
const ofOptions = (options: readonly Schema[], value: unknown): unknown => {
  for (const option of options) {
    const given = withoutOptionalNulls(option, value);
    if (accepts(option, given)) return given;
  }
  return options.reduce((given, option) => withoutOptionalNulls(option, given), value);
};

/**
 * `value` without the fields that are null where `schema` has an optional field that cannot be null: clients of typed languages send null for
 * what they leave out. Where null means something, such as removing a value, it stays.
 */
export const withoutOptionalNulls = (schema: Schema, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return ofFields(def.shape, value);
    case 'array':
      return Array.isArray(value) ? value.map((one) => withoutOptionalNulls(def.element, one)) : value;
    case 'record':
      return isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutOptionalNulls(def.valueType, one)]))
        : value;
    case 'union':
      return ofOptions(def.options, value);
    case 'intersection':
      return withoutOptionalNulls(def.right, withoutOptionalNulls(def.left, value));
    case 'pipe':
      return withoutOptionalNulls((def.in as z.core.$ZodTypes)._zod.def.type === 'transform' ? def.out : def.in, value);
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return withoutOptionalNulls(def.innerType, value);
    default:
      return value;
  }
};
