import { FIELD_TYPES, MAX_CHOICE_CHARACTERS, MAX_CHOICES, MAX_FIELD_NAME_CHARACTERS } from '@sheaf/vocabulary/custom-fields';
import { CUSTOM_FIELD_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { rule, textLike } from '../issue.ts';
import { containedText, pageQuery } from '../page.ts';
import { rowId } from '../row-id.ts';

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
