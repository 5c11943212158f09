import { AppError, storableText } from '@sheaf/contract';
import { ledgerReason, ledgerReasonOf } from '@sheaf/contract/imports';
import { type Db, isDatabaseUnavailable } from '@sheaf/db';
import { isWatchedRoute } from '@sheaf/vocabulary/documents';
import type { LedgerReason, LedgerReasonCode } from '@sheaf/vocabulary/ledger-reasons';
import type { IncomingFile } from './incoming-file.ts';
import { noteFile, toLedgerPath } from './note-file.ts';

/** What is known of a file that did not arrive whole, or could not be kept. */
export type FailedFile = Pick<
  IncomingFile,
  'route' | 'filename' | 'ledgerPath' | 'ownerId' | 'sourceId' | 'sizeBytes' | 'modifiedAt' | 'signal'
>;

/**
 * Notes that a file was not taken in because of `error`, which is the caller's to throw. A file of a watched folder is left as it
 * is: it is still there, and waits. Never throws: where the database is away there is nowhere to note anything.
 */
export const noteFailure = async (db: Db, file: FailedFile, error: unknown): Promise<void> => {
  if (isWatchedRoute(file.route)) return;
  const seen = { ...file, ledgerPath: toLedgerPath(file.ledgerPath) };
  try {
    await db.transaction((tx) => noteFile(tx, seen, { state: 'failed', reason: reasonOf(error, file) }));
  } catch {
    // `error` says more about what is wrong, to the sender as in the log, and this must not stand in its place
  }
};

/** In words for people, as the sender gets them; nothing of what nobody foresaw. */
const reasonOf = (error: unknown, { signal }: FailedFile): LedgerReason => {
  if (error instanceof AppError) return toFailureReason(error);
  if (signal?.aborted === true) return ledgerReason('broken_off');
  if (isDatabaseUnavailable(error)) return ledgerReason('database_away');
  return ledgerReason('server_error');
};

/** Errors whose code or reason says why, by that. */
const TELLING: Readonly<Record<string, LedgerReasonCode>> = {
  INCOMPLETE_FILE: 'incomplete',
  QUEUE_FULL: 'queue_was_full',
  too_large: 'too_large',
  too_many_files: 'too_many_files',
  unknown_labels: 'unknown_labels',
  duplicate_just_deleted: 'duplicate_just_deleted',
};

const codeOf = ({ kind, code, details: { reason } }: AppError): LedgerReasonCode =>
  TELLING[reason ?? code] ?? TELLING[code] ?? (kind === 'SERVICE_UNAVAILABLE' ? 'storage_away' : 'request_refused');

/** Why a file was not taken in, by the error that its sender got. */
export const toFailureReason = (error: AppError): LedgerReason => {
  const message = storableText(error.message);
  const limits = Object.entries(error.details).filter(([, value]) => typeof value === 'number');
  return ledgerReasonOf(codeOf(error), { ...Object.fromEntries(limits), error: message });
};
