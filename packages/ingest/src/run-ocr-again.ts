import { type AppError, codedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { recordEvents } from '@sheaf/events';
import { queueReading, type ReadingOrder } from '@sheaf/queue';

const areBeingRead = (ids: readonly string[]): AppError =>
  codedError('DUPLICATE_RESOURCE', 'DOCUMENT_IS_PROCESSING', {
    ...(ids.length === 1 ? { document_id: ids[0] } : {}),
    document_ids: ids.slice(0, 100),
  });

interface ProcessingOrder extends Omit<ReadingOrder, 'keepsEdited'> {
  /** Text that was edited is replaced too. */
  readonly replacesEdited?: boolean | undefined;
}

/** Queues documents to be read again, and says so. Throws DOCUMENT_IS_PROCESSING. Lock the documents and their jobs first. */
export const runOcrAgain = async (
  tx: Db,
  documents: readonly Pick<Document, 'id' | 'ownerId' | 'status'>[],
  { replacesEdited = false, ...order }: ProcessingOrder,
): Promise<void> => {
  const busy = documents.filter(({ status }) => status === 'processing').map(({ id }) => id);
  if (busy.length > 0) throw areBeingRead(busy);
  await queueReading(
    tx,
    documents.map(({ id }) => id),
    { ...order, keepsEdited: !replacesEdited },
  );
  await recordEvents(
    tx,
    documents.map(({ id, ownerId }) => ({
      event: { type: 'document_updated', document_id: id, changes: { status: 'pending' } },
      ownerId,
    })),
  );
};
