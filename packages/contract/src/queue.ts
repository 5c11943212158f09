import { z } from 'zod';

/** The queue counts its items by the same four names a document has. */
export const JOB_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Higher is sooner. The number is what the database sorts by. */
export const JOB_PRIORITIES = { low: 0, normal: 10, high: 20, urgent: 30 } as const;
export type JobPriority = keyof typeof JOB_PRIORITIES;

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
