import type { IncomingFile, IngestDeps, IngestResult } from './incoming-file.ts';
import { noteFailure } from './note-failure.ts';
import { recordArrival, recordRefusal } from './record.ts';
import { FileChanged, takeIn } from './take-in.ts';

/**
 * Takes a file in that was uploaded or lies in a watched folder: bytes safe in storage first, then document, ledger, job and
 * events in one transaction. Killed anywhere in between it leaves at most a file that the sweeper removes. Memory does not grow
 * with the file. Throws INCOMPLETE_FILE when the body breaks, FileChanged when `confirm` says no, VALIDATION_ERROR for labels that
 * do not exist, QUEUE_FULL before any of `body` is read, SERVICE_UNAVAILABLE when the storage does not work; then nothing is left behind but, where the file is not in a
 * watched folder, a line of the ledger. After a refusal the rest of `body` is unread: the caller drains or destroys it.
 */
export const ingest = async (file: IncomingFile, deps: IngestDeps): Promise<IngestResult> => {
  try {
    return await takeIn(file, deps, { arrival: recordArrival, refusal: recordRefusal });
  } catch (error) {
    if (!(error instanceof FileChanged)) await noteFailure(deps.db, file, error);
    throw error;
  }
};
