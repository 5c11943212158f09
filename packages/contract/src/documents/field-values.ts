import { FIELD_OPERATORS, FIELD_TEXT_LIMITS, MAX_DOCUMENT_FIELDS, MAX_FIELD_FILTERS } from '@sheaf/vocabulary/custom-fields';
import { z } from 'zod';
import { rule } from '../issue.ts';

/** Text that a database can keep: no NUL and no halves of characters. */
const storable = z
  .string()
  // in the halves of characters that JavaScript counts; how many of them a type may have is told by the rules of the type
  .max(2 * FIELD_TEXT_LIMITS.long_text)
  .refine((text) => !text.includes('\0') && text.isWellFormed(), rule('nul'));

const amount = z.strictObject({ amount: storable, currency: storable }).describe('Such as {"amount": "12.50", "currency": "EUR"}');

/** The value of a custom field as the type of the field has it. */
export const fieldValue = z.union([storable, z.number(), z.boolean(), amount]);
export type FieldValue = z.infer<typeof fieldValue>;

/** The values of a document by the names of their fields. */
export const fieldValues = z
  .record(z.string(), fieldValue)
  .describe('Values of custom fields by name. A link to a document is its ID, and missing where the caller cannot see that document');

/** Names of custom fields that a document has without a value. */
export const emptyFields = z.array(z.string()).describe('Names of custom fields that the document has without a value');

/** A record drops this name without a word. */
const withoutPrototype = (value: unknown, context: z.RefinementCtx): unknown => {
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__'))
    context.addIssue({ code: 'custom', path: ['__proto__'], ...rule('unknown_field') });
  return value;
};

const atMost = (maximum: number) => (record: Readonly<Record<string, unknown>>, context: z.RefinementCtx) => {
  if (Object.keys(record).length > maximum) context.addIssue({ code: 'custom', ...rule('too_many', { maximum }) });
};

export const fieldChanges = z
  .preprocess(withoutPrototype, z.record(z.string(), fieldValue.nullable()).superRefine(atMost(MAX_DOCUMENT_FIELDS)))
  .describe(
    'Values of custom fields by name, case-insensitive; null removes the field with its value, or the value alone if `empty_fields` names the field; other fields remain',
  );
export type FieldChanges = z.infer<typeof fieldChanges>;

export const emptyFieldChanges = z
  .array(storable)
  .max(MAX_DOCUMENT_FIELDS)
  .describe(
    'Names of custom fields, case-insensitive, that the document is to have even without a value. It keeps the values that it has, and other fields remain',
  );

const comparison = z
  .partialRecord(z.enum(FIELD_OPERATORS), fieldValue)
  .refine((operators) => Object.keys(operators).length > 0, rule('too_few', { minimum: 1 }));

const COMPARISONS =
  'Conditions on custom fields by name, that must all hold: eq, gt, gte, lt, lte for numbers, amounts and dates; eq and contains for texts, case-insensitive; eq for other types. An amount without a currency compares the number alone';

/** Conditions on custom fields. */
export const fieldFilters = z
  .preprocess(withoutPrototype, z.record(z.string(), comparison).superRefine(atMost(MAX_FIELD_FILTERS)))
  .describe(COMPARISONS);
export type FieldFilters = z.infer<typeof fieldFilters>;

const MAX_QUERY_CHARACTERS = 8_000;

const parseJson = (text: string, context: z.RefinementCtx): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', ...rule('not_json') });
    return z.NEVER;
  }
};

/** The same as JSON in a query string. */
export const fieldFiltersQuery = z
  .string()
  .max(MAX_QUERY_CHARACTERS)
  .transform(parseJson)
  .pipe(fieldFilters)
  .describe(`${COMPARISONS}. As JSON, such as {"Price": {"gt": 100}}`);
