import { pgTable, text, timestamp } from '../drizzle.ts';

/** The hosts of OCR workers and the languages that they recognise. */
export const ocrHosts = pgTable('ocr_hosts', {
  host: text('host').primaryKey(),
  languages: text('languages').array().notNull(),
  seenAt: timestamp('seen_at', { withTimezone: true }).notNull().defaultNow(),
});
