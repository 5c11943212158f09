import { EDITABLE_FIELDS, type EditableField, FIELD_FILTERS, type FilterField, type FilterNameOf } from '@sheaf/vocabulary/document-fields';
import { SERVICE_METADATA_KEYS } from '@sheaf/vocabulary/documents';
import { MAX_ARCHIVE_NUMBER, MAX_LABELS, MAX_TITLE_CHARACTERS, METADATA_LIMITS } from '@sheaf/vocabulary/limits';
import { z } from 'zod';
import { rule } from '../issue.ts';
import { rowId } from '../page.ts';
import { emptyFieldChanges, fieldChanges } from './custom-field.ts';

/** Text that a database can keep: no NUL and no halves of characters. */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Labels by id or by name; the case of names does not matter. */
export const labelReferences = z
  .array(z.string().trim().min(1).max(100).refine(isStorable, rule('nul')))
  .max(MAX_LABELS)
  .describe('Labels by ID or name; names are case-insensitive');

interface Measure {
  depth: number;
  keys: number;
  isStorable: boolean;
}

/** Measures without recursion: the value may be nested as deep as a request body allows. */
const measure = (value: unknown): Measure => {
  const result: Measure = { depth: 0, keys: 0, isStorable: true };
  const open: { value: unknown; depth: number }[] = [{ value, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value === 'string') result.isStorable &&= isStorable(next.value);
    if (typeof next.value === 'number') result.isStorable &&= Number.isFinite(next.value);
    if (typeof next.value !== 'object' || next.value === null) continue;
    const { depth } = next;
    result.depth = Math.max(result.depth, depth);
    if (!Array.isArray(next.value)) {
      const keys = Object.keys(next.value);
      result.keys += keys.length;
      result.isStorable &&= keys.every(isStorable);
    }
    for (const inner of Object.values(next.value)) open.push({ value: inner, depth: depth + 1 });
  }
  return result;
};

const problemOf = (given: Readonly<Record<string, unknown>>): string | undefined => {
  const metadata = Object.fromEntries(Object.entries(given).filter(([key]) => !SERVICE_METADATA_KEYS.includes(key)));
  const { depth, keys, isStorable: isGood } = measure(metadata);
  if (depth > METADATA_LIMITS.depth) return `must not be nested deeper than ${METADATA_LIMITS.depth}`;
  if (keys > METADATA_LIMITS.keys) return `must not have more than ${METADATA_LIMITS.keys} keys in total`;
  if (!isGood) return 'must not contain NUL, unpaired surrogates, NaN or infinite numbers';
  const isTooLong = new TextEncoder().encode(JSON.stringify(metadata)).length > METADATA_LIMITS.bytes;
  return isTooLong ? `must not be longer than ${METADATA_LIMITS.bytes} bytes` : undefined;
};

export const documentMetadata = z
  .record(z.string(), z.unknown())
  .superRefine((metadata, context) => {
    const problem = problemOf(metadata);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  })
  .describe(
    `Arbitrary keys. At most ${METADATA_LIMITS.bytes} bytes as JSON, ${METADATA_LIMITS.keys} keys in total, ${METADATA_LIMITS.depth} levels deep. \`split_from\` and \`split_into\` are written by the service and stay as they are.`,
  );

/** A day of the years that papers bear. */
export const documentDay = z.iso.date().refine((day) => day >= '1000-01-01', rule('not_date'));

/** Below the largest integer of the database. */
const numberFrom1 = z.int().min(1).max(MAX_ARCHIVE_NUMBER);

/** The schemas of values that people give, by their kind. */
const GIVEN_KINDS = { day: documentDay, number_from_1: numberFrom1 } as const satisfies Readonly<Record<EditableField['kind'], z.ZodType>>;

type GivenShape = { [Field in EditableField as Field['key']]: z.ZodOptional<z.ZodNullable<(typeof GIVEN_KINDS)[Field['kind']]>> };

// `Object.fromEntries` does not keep which key has which schema; `GivenShape` reads that from the same declaration.
const givenShape = Object.fromEntries(
  EDITABLE_FIELDS.map(({ key, kind, edit }) => [key, GIVEN_KINDS[kind].nullable().optional().describe(edit)]),
) as GivenShape;

type FilterShape = { [Field in FilterField as FilterNameOf<Field>]: (typeof GIVEN_KINDS)[Field['kind']] };

/** The schemas of filters by fields in JSON. */
export const fieldFilterShape = Object.fromEntries(FIELD_FILTERS.map(({ name, field }) => [name, GIVEN_KINDS[field.kind]])) as FilterShape;

/** The same with their descriptions. */
export const describedFilterShape = Object.fromEntries(
  FIELD_FILTERS.map(({ name, field, about }) => {
    const schema = GIVEN_KINDS[field.kind];
    return [name, about === undefined ? schema : schema.describe(about)];
  }),
) as FilterShape;

/** The same schemas for query strings, which have text alone. */
const TEXT_KINDS = { day: documentDay, number_from_1: z.coerce.number().pipe(numberFrom1) } as const satisfies Readonly<
  Record<FilterField['kind'], z.ZodType>
>;
type FilterQueryShape = { [Field in FilterField as FilterNameOf<Field>]: z.ZodOptional<(typeof TEXT_KINDS)[Field['kind']]> };

export const fieldFilterQuery = Object.fromEntries(
  FIELD_FILTERS.map(({ name, field, about }) => {
    const schema = TEXT_KINDS[field.kind].optional();
    return [name, about === undefined ? schema : schema.describe(about)];
  }),
) as FilterQueryShape;

const updateShape = {
  title: z.string().refine(isStorable, rule('nul')).normalize().trim().min(1).max(MAX_TITLE_CHARACTERS).optional(),
  content: z.string().refine(isStorable, rule('nul')).optional().describe('The whole text, its pages separated by form feeds'),
  labels: labelReferences.optional(),
  metadata: documentMetadata.optional(),
  ...givenShape,
  correspondent_id: rowId.nullable().optional().describe('ID of a correspondent visible to the caller; null removes it'),
  document_type_id: rowId.nullable().optional().describe('ID of a document type visible to the caller; null removes it'),
  fields: fieldChanges.optional(),
  empty_fields: emptyFieldChanges.optional(),
};

export const documentUpdate = z
  .strictObject(updateShape)
  .refine(
    (update) => Object.values(update).some((value) => value !== undefined),
    `must contain ${Object.keys(updateShape)
      .join(', ')
      .replace(/, (?=\w+$)/, ' or ')}`,
  )
  .meta({ id: 'DocumentUpdate' });
export type DocumentUpdate = z.infer<typeof documentUpdate>;
