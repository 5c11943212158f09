import type { IngestDeps } from './incoming-file.ts';
import { recordRemoteArrival, recordRemoteRefusal } from './record-remote.ts';
import type { RemoteIncomingFile, RemoteResult } from './remote-file.ts';
import { takeIn } from './take-in.ts';

/**
 * Takes in a file of a source: bytes safe in storage first, then its document, ledger, job, events and what is remembered of the
 * file in one transaction. The bytes that changed contents replace are left to the sweep, which sets them aside for a month first:
 * nobody here decided that they are worth nothing. Throws as `ingest` does, but notes nothing then: whoever runs the source decides what comes of it.
 */
export const ingestRemote = (file: RemoteIncomingFile, deps: IngestDeps): Promise<RemoteResult> =>
  takeIn(file, deps, { arrival: recordRemoteArrival, refusal: recordRemoteRefusal });
