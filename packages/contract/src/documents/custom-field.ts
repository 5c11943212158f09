import {
  FIELD_OPERATORS,
  FIELD_TEXT_LIMITS,
  FIELD_TYPES,
  MAX_CHOICE_CHARACTERS,
  MAX_CHOICES,
  MAX_DOCUMENT_FIELDS,
  MAX_FIELD_FILTERS,
  MAX_FIELD_NAME_CHARACTERS,
} from '@sheaf/vocabulary/custom-fields';
import { CUSTOM_FIELD_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { rule, textLike } from '../issue.ts';
import { containedText, pageQuery, rowId } from '../page.ts';

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

/** Characters as PostgreSQL and people count them, not the halves that JavaScript sees. */
const characters = (text: string): number => Array.from(text).length;

/** One line of at most `maximum` characters. */
const line = (maximum: number) =>
  z
    .string()
    .trim()
    .normalize('NFC')
    .refine((text) => characters(text) >= 1 && characters(text) <= maximum, rule('length_between', { minimum: 1, maximum }))
    .refine((text) => !/\p{Cc}/u.test(text) && text.isWellFormed(), rule('control_characters'));

/** Values stand under the names of their fields, where JavaScript has a meaning of its own for this one. */
const fieldName = line(MAX_FIELD_NAME_CHARACTERS)
  .refine((name) => name.toLowerCase() !== '__proto__', rule('reserved_name'))
  .describe(`1 to ${MAX_FIELD_NAME_CHARACTERS} characters; unique, case-insensitive`);

const areDifferent = (texts: readonly string[]): boolean => new Set(texts.map((text) => text.toLowerCase())).size === texts.length;

const choices = z
  .array(line(MAX_CHOICE_CHARACTERS))
  .max(MAX_CHOICES)
  .refine(areDifferent, rule('choice_twice'))
  .describe('What can be chosen, in this order; for the type choice only');

const defaultCurrency = textLike(/^[A-Z]{3}$/, 'not_currency')
  .nullable()
  .describe('Currency (ISO 4217) that is offered first, such as EUR; for the type amount only');

const fieldType = z.enum(FIELD_TYPES);

const documentTypeId = rowId.nullable().describe('Offer the field for documents of this type only; null: for all');

const confirm = z.coerce.number().int().min(0);

export const createFieldRequest = z
  .strictObject({
    name: fieldName,
    type: fieldType,
    choices: choices.default([]),
    default_currency: defaultCurrency.default(null),
    document_type_id: documentTypeId.default(null),
  })
  .meta({ id: 'CreateField' });
export type CreateFieldRequest = z.infer<typeof createFieldRequest>;

/** Only what is given changes. */
export const updateFieldRequest = z
  .strictObject({
    name: fieldName.optional(),
    type: fieldType.optional().describe('Cannot be changed while documents have a value'),
    choices: choices.optional(),
    default_currency: defaultCurrency.optional(),
    document_type_id: documentTypeId.optional(),
    confirm: z.int().min(0).optional().describe('Number of documents that lose their value because their choice is removed'),
  })
  .meta({ id: 'UpdateField' });
export type UpdateFieldRequest = z.infer<typeof updateFieldRequest>;

export const mergeFieldRequest = z.strictObject({ into: rowId.describe('ID of the field that remains') }).meta({ id: 'MergeField' });

export const deleteFieldQuery = z.strictObject({
  confirm: confirm.optional().describe('Number of documents that have the field, with or without a value; required if there are any'),
});

export const fieldListQuery = pageQuery.extend({
  sort: z.enum(CUSTOM_FIELD_SORT_FIELDS).default('name'),
  order: z.enum(['asc', 'desc']).default('asc'),
  q: containedText(MAX_FIELD_NAME_CHARACTERS).optional().describe('Fields whose name contains this text, case-insensitive'),
});

export const customFieldBody = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    type: fieldType,
    choices: z.array(z.string()),
    default_currency: z.string().nullable(),
    document_type_id: z.uuid().nullable(),
    document_count: z.int().describe('Documents with the field that the caller can see'),
    empty_count: z.int().describe('Of these, documents where it has no value'),
    created_by: z.string().nullable().describe('User name; null if the user was deleted'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'CustomField' });
export type CustomFieldBody = z.infer<typeof customFieldBody>;
