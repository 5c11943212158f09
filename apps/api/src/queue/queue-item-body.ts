import { type QueueItemBody, type QueueStatusBody, toPriorityName } from '@sheaf/contract/queue';
import type { QueueItem } from '@sheaf/queue';

/** When a waiting item will be begun, if those before it take as long as the last hundred did; never before it is due. */
const estimatedStart = (item: QueueItem, averageSeconds: number, now: Date): string | null => {
  if (item.position === null || item.nextAttemptAt === null) return null;
  const turn = now.getTime() + (item.position - 1) * averageSeconds * 1_000;
  return new Date(Math.max(turn, item.nextAttemptAt.getTime())).toISOString();
};

export const toQueueItemBody = (item: QueueItem, { average_processing_time }: QueueStatusBody, now: Date): QueueItemBody => ({
  id: item.id,
  document_id: item.documentId,
  filename: item.filename,
  status: item.status,
  priority: toPriorityName(item.priority),
  attempts: item.attempts,
  max_attempts: item.maxAttempts,
  pages_done: item.pagesDone,
  pages_total: item.pagesTotal,
  created_at: item.createdAt.toISOString(),
  started_at: item.startedAt?.toISOString() ?? null,
  completed_at: item.completedAt?.toISOString() ?? null,
  next_attempt_at: item.nextAttemptAt?.toISOString() ?? null,
  error: item.errorCode === null ? null : { code: item.errorCode, message: item.errorMessage ?? '' },
  position: item.position,
  estimated_start: estimatedStart(item, average_processing_time, now),
});
