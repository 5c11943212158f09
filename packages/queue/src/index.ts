export { type Recovery, recoverJobs } from './crashed-jobs.ts';
export { countJobsOfHosts, listDrainedHosts, listLanguagesWithoutHost, recordOcrHost, setHostDrained } from './job-languages.ts';
export {
  beginAlone,
  type ClaimedJob,
  type ClaimFilter,
  claimJob,
  completeJob,
  enqueueJobs,
  failJob,
  getJobDocument,
  isQueuePaused,
  isReading,
  type JobFailure,
  LeaseLost,
  type ReleasePlace,
  recordProgress,
  releaseJob,
  renewLease,
  retryJob,
  setQueuePaused,
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
export { countWaiting } from './queue-size.ts';
export { readQueueStandstill } from './queue-standstill.ts';
export { readQueueStatus } from './queue-status.ts';
export { markCompleted, markFailed, markPending, queueReading, type ReadingOrder, recordPages } from './reading.ts';
export { type ReadingFigures, readReadingFigures } from './reading-figures.ts';
