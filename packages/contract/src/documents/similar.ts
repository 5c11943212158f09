import { SIMILAR_SORT_FIELDS } from '@sheaf/vocabulary/part-sort-fields';
import { z } from 'zod';
import { askedPagination, partQuery } from '../page.ts';
import { rowId } from '../row-id.ts';
import { documentBody } from './document.ts';

export const similarDocumentBody = z
  .strictObject({
    document: documentBody,
    similarity: z.number().min(0).max(1).describe('Share of the words and numbers of both documents that are in the other one too'),
  })
  .meta({ id: 'SimilarDocument' });

export const similarListQuery = partQuery(SIMILAR_SORT_FIELDS, { sort: 'similarity', order: 'desc' });

export const similarDocumentsBody = z
  .strictObject({ data: z.array(similarDocumentBody), pagination: askedPagination })
  .meta({ id: 'SimilarDocuments' });
export type SimilarDocumentsBody = z.infer<typeof similarDocumentsBody>;

export const similarParams = z.strictObject({ id: rowId, other_id: rowId });
