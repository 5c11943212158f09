import { FACT_KINDS } from '@sheaf/vocabulary/facts';
import { FACT_SORT_FIELDS } from '@sheaf/vocabulary/part-sort-fields';
import { z } from 'zod';
import { askedPagination, partQuery, rowId } from '../page.ts';

const fraction = z.number().describe('Fraction of the width or height of the page');

export const factBody = z
  .strictObject({
    id: z.uuid(),
    kind: z.enum(FACT_KINDS),
    value: z.string().describe('Dates as YYYY-MM-DD, amounts with two decimals, currencies as ISO 4217 codes; everything else as written'),
    page: z.int().nullable(),
    box: z
      .strictObject({ x: fraction, y: fraction, width: fraction, height: fraction })
      .nullable()
      .describe('From the top left corner of the page; null if the position is unknown'),
    confidence: z.number().min(0).max(1),
    rule: z.string().describe('Name of the rule that found the fact'),
    is_ambiguous: z.boolean().describe('Whether the same characters can also mean another date'),
    is_chosen: z.boolean().describe('Whether it is the one of its kind that counts for the document'),
    is_confirmed: z.boolean().describe('Whether a person has chosen it, so that automatic extraction does not change it'),
  })
  .meta({ id: 'Fact' });
export type FactBody = z.infer<typeof factBody>;

export const factsBody = z.strictObject({ facts: z.array(factBody) }).meta({ id: 'Facts' });
export type FactsBody = z.infer<typeof factsBody>;

export const factListQuery = partQuery(FACT_SORT_FIELDS, { sort: 'position', order: 'asc' });

export const factListBody = factsBody.extend({ pagination: askedPagination }).meta({ id: 'FactList' });

export const factParams = z.strictObject({ id: rowId, fact_id: rowId });
