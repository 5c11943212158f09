import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { createNotification, type NewNotification } from '@sheaf/events/notifications';
import type { SheafEvent } from '@sheaf/vocabulary/events';
import type { FailureReason } from '@sheaf/vocabulary/extraction-failures';
import type { NotificationPolicy } from '@sheaf/vocabulary/notifications';

interface Reading {
  readonly confidence: number | null;
  readonly needsAttention: boolean;
}

interface Unread {
  readonly reason: FailureReason;
  readonly message: string;
}

const doubts = ({ confidence, needsAttention }: Reading): string => {
  if (!needsAttention) return '';
  const share = confidence === null ? '' : ` (confidence ${Math.round(confidence * 100)} %)`;
  return ` Low OCR quality${share}. Check the text, or run OCR again with another language.`;
};

/** Tells the owner that his document can be searched now, in the transaction that makes it so, with `events`. */
export const notifyProcessed = (
  tx: Db,
  policy: NotificationPolicy,
  { id, ownerId, title }: Document,
  reading: Reading,
  events: readonly SheafEvent[],
): Promise<void> => {
  const told: NewNotification = {
    userId: ownerId,
    type: 'ocr_completed',
    title: 'Document processed',
    message: `${title} is searchable.${doubts(reading)}`,
    data: { document_id: id, title, needs_attention: reading.needsAttention, confidence: reading.confidence },
    // one that needs a look is not to go under among the others
    ...(reading.needsAttention ? {} : { folded: (count: number) => `${count} documents processed` }),
  };
  return createNotification(
    tx,
    policy,
    told,
    events.map((event) => ({ event, ownerId })),
  );
};

/** Tells the owner that his document cannot be read, and why. */
export const notifyFailed = (
  tx: Db,
  policy: NotificationPolicy,
  { id, ownerId, title }: Document,
  { reason, message }: Unread,
): Promise<void> =>
  createNotification(tx, policy, {
    userId: ownerId,
    type: 'ocr_failed',
    title: 'Document processing failed',
    message: `${title}: ${message}`,
    data: { document_id: id, title, reason, error: message },
    folded: (count) => `Processing failed for ${count} documents`,
  });
