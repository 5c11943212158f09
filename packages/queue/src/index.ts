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
export {
  countWaiting,
  type QueueDepth,
  type ReadingFigures,
  readQueueDepth,
  readQueueStandstill,
  readQueueStatus,
  readReadingFigures,
} from './queue-status.ts';
export { markCompleted, markFailed, markPending, queueReading, type ReadingOrder, recordPages } from './reading.ts';
