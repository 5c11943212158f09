import { DOCUMENT_STATUSES, INGEST_ROUTES, PAGE_ORIGINS } from '@sheaf/vocabulary/documents';
import { z } from 'zod';
import { askedPagination } from '../page.ts';
import { emptyFields, fieldValues } from './field-values.ts';

/** A correspondent or a document type, as documents name it. */
const namedEntry = z.strictObject({ id: z.uuid(), name: z.string() });

export const documentBody = z
  .strictObject({
    id: z.uuid(),
    title: z.string(),
    filename: z.string(),
    content: z.string(),
    status: z.enum(DOCUMENT_STATUSES),
    mime_type: z.string(),
    size: z.int(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    ocr_confidence: z.number().min(0).max(1).nullable(),
    labels: z.array(z.string()),
    metadata: z.record(z.string(), z.unknown()),
    owner_id: z.uuid(),
    sha256: z.string(),
    version: z.int().min(1).describe('Counts the files of the document; earlier ones are its earlier versions'),
    page_count: z.int().nullable(),
    notes_count: z.int(),
    has_einvoice: z.boolean().describe('Whether the document is an e-invoice or holds one'),
    is_signed: z.boolean().describe('Whether the file is a PDF with digital signatures, valid or not'),
    document_date: z.iso.date().nullable().describe('The day that the document bears'),
    archive_number: z.int().nullable().describe('Number under which the paper is filed'),
    correspondent: namedEntry.nullable().describe('Who the document is from'),
    document_type: namedEntry.nullable(),
    fields: fieldValues,
    empty_fields: emptyFields,
    source: z.enum(INGEST_ROUTES),
    source_id: z.uuid().nullable(),
    imported_from: z.string().nullable().describe('ID in the system from which the document was imported, such as paperless:123'),
    source_removed_at: z.iso.datetime().nullable().describe('When the file was removed at its source'),
    ocr_language: z.string(),
    language: z.string().nullable().describe('Detected language as a Tesseract code, such as deu; null if it is not certain'),
    missing_language: z.string().nullable().describe('Language of scanned pages that no OCR worker has the data for'),
    needs_attention: z.boolean(),
    error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  })
  .meta({ id: 'Document' });
export type DocumentBody = z.infer<typeof documentBody>;

/** The number after the highest archive number in use. */
export const archiveNumberBody = z.strictObject({ archive_number: z.int() });

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
