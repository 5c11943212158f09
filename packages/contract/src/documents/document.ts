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
import { MAX_NOTE_CHARACTERS, MAX_PAGES_PER_ANSWER } from '@sheaf/vocabulary/limits';
import { NOTE_SORT_FIELDS, PAGE_SORT_FIELDS, SIMILAR_SORT_FIELDS } from '@sheaf/vocabulary/part-sort-fields';
import { DOCUMENT_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { rule } from '../issue.ts';
import { moment } from '../moment.ts';
import { askedPage, askedPagination, pageQuery, partQuery, rowId } from '../page.ts';
import { emptyFields, fieldFiltersQuery, fieldValues } from './custom-field.ts';
import { fieldFilterQuery } from './document-update.ts';
import { labelMatch } from './filing.ts';

/** What an upload may be; for clients, which need not send what would be refused. */
export const uploadLimitsBody = z
  .strictObject({ max_file_bytes: z.int(), extensions: z.array(z.string()).describe('Allowed file name extensions without the dot') })
  .meta({ id: 'UploadLimits' });

/** Characters as PostgreSQL and people count them, not the halves that JavaScript sees. */
const characters = (text: string): number => Array.from(text).length;

export const noteBody = z
  .strictObject({
    id: z.uuid(),
    text: z.string(),
    author: z.strictObject({ id: z.uuid(), username: z.string() }).nullable().describe('Null if the account was deleted'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Note' });
export type NoteBody = z.infer<typeof noteBody>;

export const noteParams = z.strictObject({ id: rowId, note_id: rowId });

export const noteListQuery = partQuery(NOTE_SORT_FIELDS, { sort: 'created_at', order: 'asc' });

export const notesBody = z.strictObject({ notes: z.array(noteBody), pagination: askedPagination }).meta({ id: 'Notes' });

export const createNoteRequest = z
  .strictObject({
    text: z
      .string()
      .refine((text) => !text.includes('\0') && text.isWellFormed(), rule('nul'))
      .normalize()
      .trim()
      .min(1)
      .refine((text) => characters(text) <= MAX_NOTE_CHARACTERS, rule('too_long', { maximum: MAX_NOTE_CHARACTERS }))
      .describe(`1 to ${MAX_NOTE_CHARACTERS} characters`),
  })
  .meta({ id: 'CreateNote' });

/** Items in one text, parted by commas, as query strings and forms have them. */
const items = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

/** At most `max` ids. */
export const idList = (max: number) => items.pipe(z.array(rowId).max(max));

/** At most `max` short texts. */
const textList = (max: number) => items.pipe(z.array(z.string().max(200)).max(max));

export const documentListQuery = pageQuery.extend({
  sort: z.enum(DOCUMENT_SORT_FIELDS).default('created_at'),
  order: z.enum(['asc', 'desc']).default('desc'),
  status: z.enum(DOCUMENT_STATUSES).optional(),
  source_id: rowId.optional(),
  language: z
    .string()
    .regex(/^[A-Za-z_]{3,20}$/)
    .optional()
    .describe('Detected language as a Tesseract code, such as deu'),
  owner_id: rowId.optional(),
  mime_types: textList(50).optional().describe('MIME types, comma-separated, at most 50'),
  label_ids: idList(50).optional().describe('Label IDs, comma-separated, at most 50'),
  label_match: labelMatch.default('any'),
  has_labels: z.stringbool().optional().describe('false: only documents without labels'),
  date_from: moment.optional().describe('Created at or after this time; a date is the start of the day in UTC'),
  date_to: moment.optional().describe('Created at or before this time; a date is the end of the day in UTC'),
  ...fieldFilterQuery,
  correspondent_ids: idList(50).optional().describe('Correspondent IDs, comma-separated, at most 50'),
  has_correspondent: z.stringbool().optional().describe('false: only documents without a correspondent'),
  document_type_ids: idList(50).optional().describe('Document type IDs, comma-separated, at most 50'),
  has_document_type: z.stringbool().optional().describe('false: only documents without a document type'),
  has_similar: z
    .stringbool()
    .optional()
    .describe('true: only documents with a near-duplicate that the caller may read; false: only the others'),
  imported_from: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('ID in the system from which the document was imported, such as paperless:123'),
  fields: fieldFiltersQuery.optional(),
});

const pageNumber = z.coerce.number().int().min(1).max(1_000_000);

/** A page of a document, starting at 1. */
export const pageParams = z.strictObject({ id: rowId, page: pageNumber });

const pageRange = z.strictObject({
  from: pageNumber.default(1).describe('First page, starting at 1'),
  to: pageNumber.optional().describe(`Last page; default: ${MAX_PAGES_PER_ANSWER} pages starting at \`from\``),
});

interface PageRange {
  readonly from: number;
  readonly to?: number | undefined;
}

const checkRange = ({ from, to = from }: PageRange, context: z.RefinementCtx, isCut: boolean): void => {
  const refuse = (message: string): void => context.addIssue({ code: 'custom', path: ['to'], message });
  if (to < from) refuse('must not be less than from');
  if (!isCut && to - from >= MAX_PAGES_PER_ANSWER) refuse(`is too large: a response contains at most ${MAX_PAGES_PER_ANSWER} pages`);
};

export const documentPagesQuery = pageRange.superRefine((range, context) => checkRange(range, context, false));

const asked = partQuery(PAGE_SORT_FIELDS, { sort: 'page', order: 'asc' }).shape;

export const documentPageListQuery = pageRange
  .extend({
    ...asked,
    page: asked.page.describe(
      'Page of the list, starting at 1. With `page` or `per_page` the list has all pages of the document from `from` to `to`',
    ),
  })
  .superRefine((query, context) => checkRange(query, context, askedPage(query) !== undefined));

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

export const similarListQuery = partQuery(SIMILAR_SORT_FIELDS, { sort: 'similarity', order: 'desc' });

export const similarDocumentBody = z
  .strictObject({
    document: documentBody,
    similarity: z.number().min(0).max(1).describe('Share of the words and numbers of both documents that are in the other one too'),
  })
  .meta({ id: 'SimilarDocument' });

export const similarDocumentsBody = z
  .strictObject({ data: z.array(similarDocumentBody), pagination: askedPagination })
  .meta({ id: 'SimilarDocuments' });
export type SimilarDocumentsBody = z.infer<typeof similarDocumentsBody>;

export const similarParams = z.strictObject({ id: rowId, other_id: rowId });
