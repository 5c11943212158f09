import { DOCUMENT_STATUSES } from '@sheaf/vocabulary/documents';
import { HEALTH_STATUSES } from '@sheaf/vocabulary/health';
import { DEFAULT_DAYS, MAX_COUNTED_LABELS, MAX_COUNTED_TYPES, MAX_DAYS, TOP_CORRESPONDENTS, TOP_UPLOADERS } from '@sheaf/vocabulary/limits';
import { z } from 'zod';
import { queueStatusBody } from '../queue/queue.ts';

const day = z.iso
  .date()
  .refine((text) => text >= '1970-01-01', 'must be 1970-01-01 or later')
  .optional();

/** Of which days figures are asked: whole days in UTC. */
export const daysQuery = z.strictObject({
  days: z.coerce.number().int().min(1).max(MAX_DAYS).optional().describe(`Number of days up to \`to\`; default ${DEFAULT_DAYS}`),
  from: day.describe('First day, instead of `days`'),
  to: day.describe('Last day; default: today'),
});
export type DaysQuery = z.infer<typeof daysQuery>;

const count = z.int().nonnegative();
const bytes = z.int().nonnegative();
const percent = z.number().min(0).max(100);
const seconds = z.number().nonnegative();

export const systemMetricsBody = z
  .strictObject({
    cpu_usage: percent.describe('CPU usage of all cores over the last second, in percent'),
    memory_usage: percent.describe('Memory usage of the machine or container, whichever is closer to its limit, in percent'),
    disk_usage: percent.describe('Usage of the fullest disk with documents, temporary files or the database, in percent'),
    active_connections: count.describe('Open HTTP and event connections'),
    uptime_seconds: count.describe('Seconds since the api started'),
  })
  .meta({ id: 'SystemMetrics' });
export type SystemMetricsBody = z.infer<typeof systemMetricsBody>;

export const systemAnalyticsBody = systemMetricsBody
  .extend({
    processes: z.array(
      z.strictObject({
        name: z.string(),
        pid: z.int(),
        version: z.string(),
        probe_port: z.int().nullable(),
        started_at: z.iso.datetime(),
        seen_at: z.iso.datetime(),
        memory_bytes: bytes,
        status: z.enum(HEALTH_STATUSES).describe('Status reported by the process; also `warning` after 15 seconds without a heartbeat'),
      }),
    ),
  })
  .meta({ id: 'SystemAnalytics' });
export type SystemAnalyticsBody = z.infer<typeof systemAnalyticsBody>;

export const ocrAnalyticsBody = z
  .strictObject({
    total_processed: count.describe('Processing runs that ended in the period, completed or failed; the last one of each document'),
    success_rate: z.number().min(0).max(1).describe('Fraction that completed; 0 if none ended'),
    average_processing_time: seconds.describe('Average processing time in seconds, without pauses'),
    languages_used: z.record(z.string(), count).describe('Processed documents by language code; `eng+deu` counts for both'),
    daily_stats: z.array(
      z.strictObject({
        date: z.iso.date(),
        processed: count,
        failed: count.describe('Failed ones of `processed`'),
        average_processing_time: seconds,
        pages: count.describe('Pages of the processed documents'),
      }),
    ),
  })
  .meta({ id: 'OcrAnalytics' });
export type OcrAnalyticsBody = z.infer<typeof ocrAnalyticsBody>;

export const processingAnalyticsBody = ocrAnalyticsBody
  .extend({
    failures_by_reason: z.record(z.string(), count).describe('Failed processing runs in the period, by failure code'),
    queue: queueStatusBody.describe('Current state of the queue'),
  })
  .meta({ id: 'ProcessingAnalytics' });
export type ProcessingAnalyticsBody = z.infer<typeof processingAnalyticsBody>;

export const documentAnalyticsBody = z
  .strictObject({
    total: count,
    by_status: z.strictObject(
      Object.fromEntries(DOCUMENT_STATUSES.map((status) => [status, count])) as Record<(typeof DOCUMENT_STATUSES)[number], typeof count>,
    ),
    by_mime_type: z.record(z.string(), count),
    by_label: z.record(z.string(), count).describe(`By label name; the ${MAX_COUNTED_LABELS} labels with the most documents`),
    by_source: z.record(z.string(), count).describe('By origin: upload, watch, user_watch, webdav, s3, local_folder, import'),
    by_document_year: z.record(z.string(), count).describe('By year of the document date; documents without a date are not counted'),
    by_correspondent: z.record(z.string(), count).describe(`By name; the ${TOP_CORRESPONDENTS} correspondents with the most documents`),
    by_document_type: z.record(z.string(), count).describe(`By name; the ${MAX_COUNTED_TYPES} document types with the most documents`),
    storage_bytes: bytes.describe('Size of the original files in bytes'),
    uploads_per_day: z
      .array(z.strictObject({ date: z.iso.date(), count }))
      .describe('Documents created per day from any source, without deleted ones'),
  })
  .meta({ id: 'DocumentAnalytics' });
export type DocumentAnalyticsBody = z.infer<typeof documentAnalyticsBody>;

export const userAnalyticsBody = z
  .strictObject({
    total: count,
    active_day: count.describe('Users who signed in or used a session or key in the last 24 hours'),
    active_week: count.describe('The same in the last 7 days'),
    active_month: count.describe('The same in the last 30 days'),
    by_role: z.record(z.string(), count),
    top_uploaders: z
      .array(z.strictObject({ user_id: z.uuid(), username: z.string(), documents: count, bytes }))
      .describe(`The ${TOP_UPLOADERS} users with the most documents visible to the caller`),
  })
  .meta({ id: 'UserAnalytics' });
export type UserAnalyticsBody = z.infer<typeof userAnalyticsBody>;
