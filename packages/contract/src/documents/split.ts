import { z } from 'zod';
import { rowId } from '../row-id.ts';

const pages = z.array(z.int().min(1)).describe('From 1, of the whole document');

/** `metadata.split_from` of a document whose pages were part of another one. */
export const splitFrom = z.object({ document_id: rowId, pages }).meta({ id: 'SplitFrom' });
export type SplitFrom = z.infer<typeof splitFrom>;

/** `metadata.split_into` of a document that was split: which of its versions is the whole, and where the pages are; it is the first itself. */
export const splitInto = z.object({ version: z.int().min(1), parts: z.array(splitFrom) }).meta({ id: 'SplitInto' });
export type SplitInto = z.infer<typeof splitInto>;
