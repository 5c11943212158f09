import type { IngestDeps } from './incoming-file.ts';
import { recordRemoteArrival, recordRemoteRefusal } from './record-remote.ts';
import type { RemoteIncomingFile, RemoteResult } from './remote-file.ts';
import { takeIn } from './take-in.ts';

/**
 * Takes in a file of a source: bytes safe in storage first, then its document, ledger, job, events and what is remembered of the
 * file in one transaction. Changed contents are the newest version of their document. Throws as `ingest` does, but notes nothing then: whoever runs the source decides what comes of it.
 */
export const ingestRemote = (file: RemoteIncomingFile, deps: IngestDeps): Promise<RemoteResult> =>
  takeIn(file, deps, { arrival: recordRemoteArrival, refusal: recordRemoteRefusal });
