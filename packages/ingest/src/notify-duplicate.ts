import type { Db } from '@sheaf/db';
import { createNotification } from '@sheaf/events/notifications';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import type { NotificationPolicy } from '@sheaf/vocabulary/notifications';
import { cleanFilename } from './filename.ts';
import type { SeenFile } from './note-file.ts';

/**
 * Tells the owner that a file was not taken in because he has it already. Whoever uploads is answered, so this is for the other
 * routes; call it where the ledger's row becomes that of a duplicate, and so once for each such file.
 */
export const notifyDuplicate = async (
  tx: Db,
  policy: NotificationPolicy,
  { route, filename, ownerId }: SeenFile,
  documentId: string | undefined,
  { code, message, details }: LedgerReason,
): Promise<void> => {
  if (route === 'upload' || ownerId === undefined) return;
  await createNotification(tx, policy, {
    userId: ownerId,
    type: 'duplicate_skipped',
    title: 'Duplicate file skipped',
    message: `${cleanFilename(filename)}: ${message}`,
    data: {
      ...details,
      filename: cleanFilename(filename),
      route,
      reason: code,
      ...(documentId === undefined ? {} : { document_id: documentId }),
    },
    folded: (count) => `${count} duplicate files skipped`,
  });
};
