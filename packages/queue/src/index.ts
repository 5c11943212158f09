export { type ClaimFilter } from './claim-filter.ts';
export { type Recovery, recoverJobs } from './crashed-jobs.ts';
export { countJobsOfHosts, listDrainedHosts, setHostDrained } from './drained-hosts.ts';
export { listLanguagesWithoutHost, recordOcrHost } from './job-languages.ts';
export {
  beginAlone,
  type ClaimedJob,
  claimJob,
  completeJob,
  enqueueJobs,
  failJob,
  getJobDocument,
  isReading,
  type JobFailure,
  LeaseLost,
  type ReleasePlace,
  recordProgress,
  releaseJob,
  renewLease,
  retryJob,
  wasReading,
} from './ocr-jobs.ts';
export {
  cancelJob,
  getQueueItem,
  getQueueItemOfDocument,
  hasMoreUrgent,
  hasRival,
  listQueueItems,
  listQueueItemsAfter,
  mayChangeJob,
  type QueueItem,
  setJobPriority,
} from './queue.ts';
export { type QueueDepth, readQueueDepth } from './queue-depth.ts';
export { isQueuePaused, setQueuePaused } from './queue-pause.ts';
export { countWaiting } from './queue-size.ts';
export { readQueueStandstill } from './queue-standstill.ts';
export { readQueueStatus } from './queue-status.ts';
export { markCompleted, markFailed, markPending, queueReading, type ReadingOrder } from './reading.ts';
export { type ReadingFigures, readReadingFigures } from './reading-figures.ts';
export { recordPages } from './record-pages.ts';
