import {
  DOCUMENT_FIELDS,
  type DocumentField,
  type DocumentValues,
  type OwnField,
  UNIQUE_KEYS,
  type UniqueField,
  type ValueField,
} from '@sheaf/vocabulary/document-fields';
import { DOCUMENT_STATUSES, INGEST_ROUTES, PAGE_ORIGINS } from '@sheaf/vocabulary/documents';
import { z } from 'zod';
import { askedPagination } from '../page.ts';
import { emptyFields, fieldValues } from './field-values.ts';

/** A correspondent or a document type, as documents name it. */
const namedEntry = z.strictObject({ id: z.uuid(), name: z.string() });

/** The schemas of values by their kind. */
const KINDS = {
  boolean: z.boolean(),
  bytes: z.int(),
  day: z.iso.date(),
  integer: z.int(),
  moment: z.iso.datetime(),
  number_from_1: z.int(),
  share: z.number().min(0).max(1),
  route: z.enum(INGEST_ROUTES),
  status: z.enum(DOCUMENT_STATUSES),
  text: z.string(),
  uuid: z.uuid(),
  version: z.int().min(1),
} as const satisfies { readonly [Kind in keyof DocumentValues]: z.ZodType<DocumentValues[Kind]> };

/** The schemas of fields that are more than a column. */
const OWN = {
  content: z.string(),
  labels: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()),
  correspondent: namedEntry.nullable().describe('Who the document is from'),
  document_type: namedEntry.nullable(),
  fields: fieldValues,
  empty_fields: emptyFields,
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
} as const satisfies Readonly<Record<OwnField['key'], z.ZodType>>;

type SchemaOf<Field extends DocumentField> = Field extends OwnField
  ? (typeof OWN)[Field['key']]
  : Field extends ValueField
    ? Field extends { readonly isNullable: true }
      ? z.ZodNullable<(typeof KINDS)[Field['kind']]>
      : (typeof KINDS)[Field['kind']]
    : never;
type Shape = { [Field in DocumentField as Field['key']]: SchemaOf<Field> };

const schemaOf = (field: DocumentField): z.ZodType => {
  if (field.kind === 'own') return OWN[field.key];
  const schema: z.ZodType = 'isNullable' in field ? KINDS[field.kind].nullable() : KINDS[field.kind];
  return 'about' in field ? schema.describe(field.about) : schema;
};

// `Object.fromEntries` does not keep which key has which schema; `Shape` reads that from the same declaration.
const shape = Object.fromEntries(DOCUMENT_FIELDS.map((field) => [field.key, schemaOf(field)])) as Shape;

export const documentBody = z.strictObject(shape).meta({ id: 'Document' });
export type DocumentBody = z.infer<typeof documentBody>;

/** By field, the number after the highest one in use. */
export const nextNumbersBody = z.strictObject(
  Object.fromEntries(UNIQUE_KEYS.map((key) => [key, z.int()])) as Readonly<Record<UniqueField['key'], z.ZodInt>>,
);

export const documentPagesBody = z
  .strictObject({
    pages: z.array(
      z.strictObject({ page: z.int(), content: z.string(), confidence: z.number().min(0).max(1), origin: z.enum(PAGE_ORIGINS) }),
    ),
    /** Pages that there are in all; they grow in number while the document is read. */
    total: z.int(),
    pagination: askedPagination,
  })
  .meta({ id: 'DocumentPages' });
export type DocumentPagesBody = z.infer<typeof documentPagesBody>;

const fraction = z.number().min(0).max(1);

export const pageWordsBody = z
  .strictObject({
    page: z.int(),
    width: z.number().nullable().describe('Points (1/72 inch) of the page as it is shown; null where no positions are stored'),
    height: z.number().nullable(),
    origin: z.enum(PAGE_ORIGINS),
    words: z
      .array(
        z.strictObject({
          text: z.string(),
          /** Where it begins in the content of the page, in UTF-16 code units. */
          start: z.int(),
          x: fraction,
          y: fraction,
          width: fraction,
          height: fraction,
          confidence: fraction,
        }),
      )
      .describe('In reading order; positions are fractions of the page from its top left corner'),
  })
  .meta({ id: 'PageWords' });
export type PageWordsBody = z.infer<typeof pageWordsBody>;
