import { DEFAULT_DAYS, DOCUMENT_STATUSES, HEALTH_STATUSES, MAX_COUNTED_LABELS, MAX_DAYS, TOP_UPLOADERS } from '@sheaf/vocabulary';
import { z } from 'zod';
import { queueStatusBody } from './queue.ts';

const day = z.iso
  .date()
  .refine((text) => text >= '1970-01-01', 'must be 1970-01-01 or later')
  .optional();

/** Of which days figures are asked: whole days in UTC. */
export const daysQuery = z.strictObject({
  days: z.coerce.number().int().min(1).max(MAX_DAYS).optional().describe(`The last so many days up to \`to\`; ${DEFAULT_DAYS} without it`),
  from: day.describe('The first day, in place of `days`'),
  to: day.describe('The last day; today without it'),
});
export type DaysQuery = z.infer<typeof daysQuery>;

const count = z.int().nonnegative();
const bytes = z.int().nonnegative();
const percent = z.number().min(0).max(100);
const seconds = z.number().nonnegative();

export const systemMetricsBody = z
  .strictObject({
    cpu_usage: percent.describe('Of all cores of the machine, over the last second; percent'),
    memory_usage: percent.describe('Of the machine, or of the container where that is nearer to its limit; percent'),
    disk_usage: percent.describe('Of the fullest disk that documents, temporary files or the database lie on; percent'),
    active_connections: count.describe('To this service: HTTP and events'),
    uptime_seconds: count.describe('Since the api started'),
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
        status: z.enum(HEALTH_STATUSES).describe('As the process says of itself; `warning` also where it was silent for 15 seconds'),
      }),
    ),
  })
  .meta({ id: 'SystemAnalytics' });
export type SystemAnalyticsBody = z.infer<typeof systemAnalyticsBody>;

export const ocrAnalyticsBody = z
  .strictObject({
    total_processed: count.describe('Readings that ended in these days, well or not; of each document the last one'),
    success_rate: z.number().min(0).max(1).describe('The share that went well; 0 where none ended'),
    average_processing_time: seconds.describe('Seconds that one took, pauses left out'),
    languages_used: z.record(z.string(), count).describe('Documents that were read, by language code; one in `eng+deu` counts for both'),
    daily_stats: z.array(
      z.strictObject({
        date: z.iso.date(),
        processed: count,
        failed: count.describe('Of the processed ones'),
        average_processing_time: seconds,
        pages: count.describe('Of the documents that were read'),
      }),
    ),
  })
  .meta({ id: 'OcrAnalytics' });
export type OcrAnalyticsBody = z.infer<typeof ocrAnalyticsBody>;

export const processingAnalyticsBody = ocrAnalyticsBody
  .extend({
    failures_by_reason: z.record(z.string(), count).describe('Readings that failed in these days, by the code of the reason'),
    queue: queueStatusBody.describe('The queue at this moment'),
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
    by_label: z.record(z.string(), count).describe(`By the name of the label; the ${MAX_COUNTED_LABELS} labels with the most documents`),
    by_source: z.record(z.string(), count).describe('By the way they came in: upload, watch, user_watch, webdav, s3, local_folder'),
    storage_bytes: bytes.describe('Of the originals, as they were sent'),
    uploads_per_day: z
      .array(z.strictObject({ date: z.iso.date(), count }))
      .describe('Documents that came in on each of the days, by any way; those that were deleted since do not count'),
  })
  .meta({ id: 'DocumentAnalytics' });
export type DocumentAnalyticsBody = z.infer<typeof documentAnalyticsBody>;

export const userAnalyticsBody = z
  .strictObject({
    total: count,
    active_day: count.describe('Users who signed in, used a session or a key in the last 24 hours'),
    active_week: count.describe('The same in 7 days'),
    active_month: count.describe('The same in 30 days'),
    by_role: z.record(z.string(), count),
    top_uploaders: z
      .array(z.strictObject({ user_id: z.uuid(), username: z.string(), documents: count, bytes }))
      .describe(`The ${TOP_UPLOADERS} users who have the most documents that the caller may read`),
  })
  .meta({ id: 'UserAnalytics' });
export type UserAnalyticsBody = z.infer<typeof userAnalyticsBody>;
