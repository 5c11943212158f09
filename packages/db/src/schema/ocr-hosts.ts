import { pgTable, text } from '../drizzle.ts';
import { timestamptz } from './columns.ts';

/** The hosts of OCR workers and the languages that they recognise. */
export const ocrHosts = pgTable('ocr_hosts', {
  host: text('host').primaryKey(),
  languages: text('languages').array().notNull(),
  seenAt: timestamptz('seen_at').notNull().defaultNow(),
});
