import { extensionOf, type FileKind, findKindByExtension } from '@sheaf/contract';
import { documentKey } from '@sheaf/storage';
import { cleanFilename, titleFor } from './filename.ts';
import type { IncomingFile, IngestDeps, IngestResult } from './incoming-file.ts';
import { noteFailure } from './note-failure.ts';
import { toLedgerPath } from './note-file.ts';
import { type ReceivedFile, receive } from './receive.ts';
import { type Arrival, BytesVanished, recordArrival, recordRefusal } from './record.ts';
import { emptyFile, type Refusal, tooLarge, typeMismatch, typeNotAllowed, unknownType } from './refusal.ts';
import { matchKind } from './types/match-kind.ts';

/** The file changed while it was read: what was read is worth nothing, and nothing was recorded. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged';
}

/** How often the bytes are stored anew because someone removed the object of a deleted document at that very moment. */
const MAX_STORE_ATTEMPTS = 3;

/**
 * Takes a file in, by whatever route it came: bytes safe in storage first, then document, ledger, job and events in one
 * transaction. Killed anywhere in between it leaves at most a file that the sweeper removes. Memory does not grow with the file.
 * Throws INCOMPLETE_FILE when the body breaks, FileChanged when `confirm` says no, VALIDATION_ERROR for labels that do not
 * exist, SERVICE_UNAVAILABLE when the storage does not work; then nothing is left behind but, where the file is not in a watched
 * folder, a line of the ledger. After a refusal the rest of `body` is unread: the caller drains or destroys it.
 */
export const ingest = async (file: IncomingFile, deps: IngestDeps): Promise<IngestResult> => {
  try {
    return await judge(file, deps);
  } catch (error) {
    if (!(error instanceof FileChanged)) await noteFailure(deps.db, file, error);
    throw error;
  }
};

const judge = async (file: IncomingFile, deps: IngestDeps): Promise<IngestResult> => {
  const filename = cleanFilename(file.filename);
  const kind = findKindByExtension(extensionOf(filename));
  const refusal = refuseName(file, filename, kind);
  if (kind === undefined || refusal !== undefined) return refuse(file, deps, refusal ?? unknownType(filename, '', file.allowedExtensions));

  await using temp = await deps.temp.makeFile();
  return await takeIn(file, filename, kind, temp.path, deps); // awaited here, or the temporary file would go too early
};

const takeIn = async (file: IncomingFile, filename: string, kind: FileKind, path: string, deps: IngestDeps): Promise<IngestResult> => {
  const received = await receive(file.body, path, file);
  if (file.confirm !== undefined && !(await file.confirm())) throw new FileChanged(`${file.ledgerPath} changed while it was read`);
  if (received === undefined) return refuse(file, deps, tooLarge(filename, file.maxBytes));
  const problem = await refuseContents(received, filename, kind);
  if (problem !== undefined) return refuse(file, deps, problem, received);

  const wishes = { ...file, ...(await file.lateWishes?.()) };
  return store(deps, {
    ...wishes,
    ledgerPath: toLedgerPath(file.ledgerPath),
    title: titleFor(wishes.title, filename),
    filename,
    mimeType: kind.mimeType,
    received,
  });
};

const refuseName = ({ allowedExtensions }: IncomingFile, filename: string, kind: FileKind | undefined): Refusal | undefined => {
  const extension = extensionOf(filename);
  if (kind === undefined) return unknownType(filename, extension, allowedExtensions);
  return allowedExtensions.includes(extension) ? undefined : typeNotAllowed(filename, extension, allowedExtensions);
};

const refuseContents = async ({ path, sizeBytes }: ReceivedFile, filename: string, kind: FileKind): Promise<Refusal | undefined> => {
  if (sizeBytes === 0) return emptyFile(filename);
  const match = await matchKind(path, kind);
  return match.isMatch ? undefined : typeMismatch(filename, extensionOf(filename), match.found);
};

const refuse = async (file: IncomingFile, { db }: IngestDeps, refusal: Refusal, received?: ReceivedFile): Promise<IngestResult> => {
  await recordRefusal(db, { ...file, ledgerPath: toLedgerPath(file.ledgerPath) }, refusal, received);
  return { outcome: 'refused', ...refusal };
};

const store = async (deps: IngestDeps, arrival: Arrival): Promise<IngestResult> => {
  const key = documentKey(arrival.received.sha256);
  for (let attempt = 1; ; attempt += 1) {
    arrival.signal?.throwIfAborted();
    const { path } = await deps.storage.put(key, arrival.received.path);
    try {
      return await recordArrival(deps, arrival, path, key);
    } catch (error) {
      if (!(error instanceof BytesVanished) || attempt === MAX_STORE_ATTEMPTS) throw error;
    }
  }
};
