import type { core } from 'zod';
import type { ZodOpenApiOverride } from 'zod-openapi';

/** The patterns that zod adds to these formats say nothing that the format does not, in 300 characters each. */
const FORMATS = new Set(['date-time', 'date', 'uuid', 'email']);

/** A flag of a query string or a form: text that stands for true or false. */
const isFlag = ({ _zod: { def } }: core.$ZodTypes): boolean =>
  def.type === 'pipe' && def.in._zod.def.type === 'string' && def.out._zod.def.type === 'boolean';

/** What zod's own translation leaves out or says badly. */
export const improveSchema: ZodOpenApiOverride = ({ zodSchema, jsonSchema, io }) => {
  const { def } = zodSchema._zod;
  if (io === 'input' && isFlag(zodSchema)) jsonSchema.type = 'boolean';
  if (io === 'input' && def.type === 'default' && isFlag(def.innerType as core.$ZodTypes)) jsonSchema.default = def.defaultValue;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.format !== undefined && FORMATS.has(jsonSchema.format)) delete jsonSchema.pattern;
};
