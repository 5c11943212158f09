import { z } from 'zod';
import { rowId } from '../row-id.ts';
import { documentBody } from './document.ts';

export const similarDocumentBody = z
  .strictObject({
    document: documentBody,
    similarity: z.number().min(0).max(1).describe('Share of the words and numbers of both documents that are in the other one too'),
  })
  .meta({ id: 'SimilarDocument' });

export const similarDocumentsBody = z.strictObject({ data: z.array(similarDocumentBody) }).meta({ id: 'SimilarDocuments' });
export type SimilarDocumentsBody = z.infer<typeof similarDocumentsBody>;

export const similarParams = z.strictObject({ id: rowId, other_id: rowId });
