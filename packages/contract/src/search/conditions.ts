import { FIELD_OPERATORS } from '@sheaf/vocabulary/custom-fields';
import { MAX_CLAUSE_CHARACTERS } from '@sheaf/vocabulary/limits';
import { z } from 'zod';
import { fieldValue } from '../documents/field-values.ts';
import { rule } from '../issue.ts';
import { moment } from '../moment.ts';
import { rowId } from '../row-id.ts';

const MAX_CONDITIONS = 200;
const MAX_IDS = 1_000;
/** Of JSON: ten levels of an expression on custom fields are twenty of JSON. */
const MAX_DEPTH = 32;

/** How texts are compared; case is ignored. */
export const TEXT_COMPARISONS = ['icontains', 'istartswith', 'iendswith', 'iexact'] as const;
export type TextComparison = (typeof TEXT_COMPARISONS)[number];

const comparison = z.enum(['gt', 'gte', 'lt', 'lte', 'equal']);
const dateField = z.enum(['created', 'added', 'modified']);
const referenceField = z.enum(['document', 'tag', 'correspondent', 'document_type', 'owner', 'custom_field']);
const ids = z.array(rowId).max(MAX_IDS);
const text = z.string().max(MAX_CLAUSE_CHARACTERS);

/** What is asked of the values of custom fields. */
export type FieldQuery =
  | { readonly kind: 'and' | 'or'; readonly of: readonly FieldQuery[] }
  | { readonly kind: 'not'; readonly of: FieldQuery }
  /** The document has the field, with or without a value; or not. */
  | { readonly kind: 'given'; readonly field_id: string; readonly is_given: boolean }
  /** The document has the field with a value; or without one. */
  | { readonly kind: 'valued'; readonly field_id: string; readonly is_given: boolean }
  | { readonly kind: 'text'; readonly field_id: string; readonly compare: TextComparison; readonly text: string }
  | {
      readonly kind: 'compared';
      readonly field_id: string;
      readonly operator: (typeof FIELD_OPERATORS)[number];
      readonly value: z.infer<typeof fieldValue>;
    };

const fieldQuery: z.ZodType<FieldQuery> = z
  .lazy(() =>
    z.union([
      z.strictObject({ kind: z.enum(['and', 'or']), of: z.array(fieldQuery).max(MAX_CONDITIONS) }),
      z.strictObject({ kind: z.literal('not'), of: fieldQuery }),
      z.strictObject({ kind: z.enum(['given', 'valued']), field_id: rowId, is_given: z.boolean() }),
      z.strictObject({ kind: z.literal('text'), field_id: rowId, compare: z.enum(TEXT_COMPARISONS), text }),
      z.strictObject({ kind: z.literal('compared'), field_id: rowId, operator: z.enum(FIELD_OPERATORS), value: fieldValue }),
    ]),
  )
  .meta({ id: 'FieldQuery' });

const documentCondition = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('never') }),
    z.strictObject({ kind: z.literal('reference'), field: referenceField, match: z.enum(['all', 'any', 'none']), ids }),
    z.strictObject({ kind: z.literal('given'), field: z.enum([...referenceField.options, 'archive_number']), is_given: z.boolean() }),
    z.strictObject({
      kind: z.literal('text'),
      field: z.enum(['title', 'original_filename', 'checksum', 'mime_type', 'correspondent', 'document_type', 'tag', 'custom_fields']),
      compare: z.enum(TEXT_COMPARISONS),
      text,
    }),
    z.strictObject({ kind: z.literal('day'), field: dateField, compare: comparison, day: z.iso.date() }),
    z.strictObject({ kind: z.literal('moment'), field: dateField, compare: comparison, moment }),
    z.strictObject({ kind: z.literal('part'), field: dateField, part: z.enum(['year', 'month', 'day']), value: z.int() }),
    z.strictObject({ kind: z.literal('archive_number'), compare: comparison, value: z.int() }),
    z.strictObject({ kind: z.literal('fields'), query: fieldQuery }),
    z.strictObject({
      kind: z.literal('words'),
      fields: z
        .array(z.enum(['title', 'content']))
        .min(1)
        .max(2),
      text: text.min(1),
    }),
    z.strictObject({ kind: z.literal('like'), id: rowId }),
  ])
  .meta({ id: 'DocumentCondition' });
export type DocumentCondition = z.infer<typeof documentCondition>;

const isDeeper = (value: unknown, depth: number): boolean =>
  typeof value === 'object' && value !== null && (depth === 0 || Object.values(value).some((each) => isDeeper(each, depth - 1)));

/** Refused before the parts are read, as these are read recursively. */
const notTooDeep = (value: unknown, context: z.RefinementCtx): unknown => {
  if (!isDeeper(value, MAX_DEPTH)) return value;
  context.addIssue({ code: 'custom', ...rule('too_many', { maximum: MAX_DEPTH }) });
  return z.NEVER;
};

export const documentConditions = z
  .preprocess(notTooDeep, z.array(documentCondition).max(MAX_CONDITIONS))
  .describe('Conditions that must all hold, for what no other filter says; saved views of apps for Paperless-ngx have them');
