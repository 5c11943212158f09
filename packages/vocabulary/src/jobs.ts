/** The queue counts its items by the same four names a document has. */
export const JOB_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Higher is sooner. The number is what the database sorts by. */
export const JOB_PRIORITIES = { low: 0, normal: 10, high: 20, urgent: 30 } as const;
export type JobPriority = keyof typeof JOB_PRIORITIES;
