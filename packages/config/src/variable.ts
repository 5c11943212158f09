import { Secret } from '@sheaf/contract';
import { z } from 'zod';

/** One setting, declared once. `default` is text like any other layer's value; undefined means: may stay unset. */
export interface Variable<T> {
  readonly section: string;
  readonly type: string;
  readonly default: string | undefined;
  readonly meaning: string;
  readonly schema: z.ZodType<T, string>;
}

type Optional<T, D> = D extends string ? T : T | undefined;
interface Fields<D extends string | undefined> {
  readonly default: D;
  readonly meaning: string;
}

const declare =
  <T>(type: string, schema: z.ZodType<T, string>) =>
  <D extends string | undefined>(section: string, { default: fallback, meaning }: Fields<D>): Variable<Optional<T, D>> => ({
    section,
    type,
    default: fallback,
    meaning,
    schema,
  });

export const text = declare('string', z.string().min(1));
export const secret = declare(
  'secret',
  z.string().transform((value) => new Secret(value)),
);
export const boolean = declare('boolean', z.stringbool({ error: 'must be true or false' }));
export const list = declare(
  'list',
  z.string().transform((value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ),
);

export const integer = (min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  declare(
    'integer',
    z
      .string()
      .regex(/^-?\d+$/, 'must be a whole number')
      .pipe(z.coerce.number<string>().int().min(min).max(max)),
  );

export const decimal = (min: number, max: number) =>
  declare(
    'number',
    z
      .string()
      .regex(/^-?\d+(\.\d+)?$/, 'must be a number')
      .pipe(z.coerce.number<string>().min(min).max(max)),
  );

/** `synonyms` are further spellings, each with the choice that is meant. */
export const choice = <const C extends readonly [string, ...string[]]>(choices: C, synonyms: Readonly<Record<string, C[number]>> = {}) =>
  declare<C[number]>(
    choices.join(' / '),
    z
      .string()
      .transform((value) => synonyms[value.toLowerCase()] ?? choices.find((one) => one.toLowerCase() === value.toLowerCase()) ?? value)
      .pipe(z.enum(choices)) as z.ZodType<C[number], string>,
  );

/** A value written as JSON, such as a map from names to names. */
export const json = <T>(schema: z.ZodType<T>) =>
  declare(
    'JSON',
    z
      .string()
      .transform((value, context): unknown => {
        try {
          return JSON.parse(value);
        } catch {
          context.addIssue({ code: 'custom', message: 'must be JSON, such as {"name": "value"}' });
          return z.NEVER;
        }
      })
      .pipe(schema),
  );
