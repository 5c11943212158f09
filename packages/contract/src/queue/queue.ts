import { JOB_PRIORITIES, JOB_STATUSES, type JobPriority } from '@sheaf/vocabulary/jobs';
import { QUEUE_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { rule, textLike } from '../issue.ts';
import { pageQuery, sortQuery } from '../page.ts';

/** Found out for each page, from all installed languages or, with `auto:deu,fra`, from some. */
export const AUTO_LANGUAGE = 'auto';
const CODE = '[A-Za-z_]{3,20}';
const PARTS = /[+,]/;

export interface OcrLanguageChoice {
  readonly isAuto: boolean;
  /** Codes of tesseract: those that a page is read with together, or of `auto` those that it may be; none: all that are installed. */
  readonly codes: readonly string[];
}

/** What a setting or a document says of its OCR language. */
export const parseOcrLanguage = (text: string): OcrLanguageChoice => {
  const [first = '', list] = text.split(':');
  if (first !== AUTO_LANGUAGE) return { isAuto: false, codes: text.split('+') };
  return { isAuto: true, codes: list === undefined ? [] : list.split(',') };
};

const hasEachOnce = (text: string): boolean => {
  const codes = parseOcrLanguage(text).codes.flatMap((code) => code.split(PARTS));
  return new Set(codes).size === codes.length;
};

const hasAutoAlone = (text: string): boolean => !parseOcrLanguage(text).codes.includes(AUTO_LANGUAGE);

/** Language codes of tesseract, joined by +, each once; `auto`; or `auto:` and codes joined by commas. */
export const ocrLanguage = textLike(
  new RegExp(`^(?:auto(?::${CODE}(?:,${CODE}){0,9})?|${CODE}(?:\\+${CODE}){0,9})$`),
  'not_language',
  z.string().refine(hasEachOnce, rule('language_twice')).refine(hasAutoAlone, rule('not_language')),
);

export const queueStatusBody = z
  .strictObject({
    pending: z.int(),
    processing: z.int(),
    completed_today: z.int(),
    failed: z.int(),
    /** Seconds from claim to completion, mean of the last 100 completed jobs. */
    average_processing_time: z.number(),
    estimated_completion: z.iso.datetime().nullable(),
  })
  .meta({ id: 'OcrQueueStatus' });
export type QueueStatusBody = z.infer<typeof queueStatusBody>;

export const jobPriority = z.enum(['low', 'normal', 'high', 'urgent']);

export const queueListQuery = pageQuery.extend({
  status: z.enum(JOB_STATUSES).optional(),
  priority: jobPriority.optional(),
  ...sortQuery(QUEUE_SORT_FIELDS, { sort: 'position', order: 'asc' }),
});

/** The name of a priority as the database has it. */
export const toPriorityName = (value: number): JobPriority => {
  const found = Object.entries(JOB_PRIORITIES).find(([, number]) => number === value);
  return jobPriority.parse(found?.[0]);
};

export const queueItemBody = z
  .strictObject({
    id: z.uuid(),
    document_id: z.uuid(),
    filename: z.string(),
    status: z.enum(JOB_STATUSES),
    priority: jobPriority,
    attempts: z.int(),
    max_attempts: z.int(),
    pages_done: z.int(),
    pages_total: z.int().nullable(),
    created_at: z.iso.datetime(),
    started_at: z.iso.datetime().nullable(),
    completed_at: z.iso.datetime().nullable(),
    next_attempt_at: z.iso.datetime().nullable(),
    error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
    /** 1 is next, among the waiting items that the caller may see. */
    position: z.int().nullable(),
    estimated_start: z.iso.datetime().nullable(),
  })
  .meta({ id: 'QueueItem' });
export type QueueItemBody = z.infer<typeof queueItemBody>;

export const ocrLanguagesBody = z
  .strictObject({
    languages: z.array(z.string()).nullable().describe('Installed OCR languages; null if no ocr-worker is running'),
    several: z.boolean().describe('Whether a document can have several OCR languages, such as eng+deu'),
  })
  .meta({ id: 'OcrLanguages' });

export const retryRequest = z
  .strictObject({
    language: ocrLanguage.optional(),
    priority: jobPriority.optional(),
    replace_edited: z.boolean().optional().describe('Also replaces text that was edited, which is kept otherwise'),
  })
  .meta({ id: 'RetryRequest' });
