import { SIGNATURE_SORT_FIELDS } from '@sheaf/vocabulary/part-sort-fields';
import { z } from 'zod';
import { askedPagination, partQuery } from '../page.ts';

export const downloadForm = z
  .enum(['original', 'searchable'])
  .describe('`searchable`: a PDF whose scanned pages have the recognized words as invisible text');

export const searchableProgressBody = z
  .strictObject({ progress: z.number().min(0).max(1).describe('Completed share of the work') })
  .meta({ id: 'SearchablePdfProgress' });

export const signatureListQuery = partQuery(SIGNATURE_SORT_FIELDS, { sort: 'position', order: 'asc' });

export const signaturesBody = z
  .strictObject({
    data: z.array(
      z.strictObject({
        signer: z.string().nullable().describe('Name in the certificate of the signature; null where it has none'),
        signed_at: z.iso.datetime().nullable().describe('As the signer states it'),
        is_valid: z.boolean().describe('Whether the signed part is unchanged; the certificate is not checked'),
        covers_whole_document: z.boolean().describe('False where the file was extended after the signature'),
        reason: z
          .enum(['document_changed', 'invalid', 'unreadable', 'not_verified'])
          .nullable()
          .describe('Why the signature is not valid; null where it is'),
      }),
    ),
    pagination: askedPagination,
  })
  .meta({ id: 'DocumentSignatures' });
