import { describeSpan, inSpan } from '@sheaf/process/tracing';
import { documentKey } from '@sheaf/storage';
import { extensionOf, type FileKind, findKindByExtension } from '@sheaf/vocabulary/file-kinds';
import { Destination } from './destination.ts';
import { cleanFilename, titleFor } from './filename.ts';
import type { IncomingFile, IngestDeps } from './incoming-file.ts';
import { toLedgerPath } from './note-file.ts';
import { type ReceivedFile, receive } from './receive.ts';
import { emptyFile, notEinvoice, type Refusal, tooLarge, typeCheckFailed, typeMismatch, typeNotAllowed, unknownType } from './refusal.ts';

/** The file changed while it was read: what was read is worth nothing, and nothing was recorded. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged';
}

/** Someone removed the object, to which no row referred yet, between `put` and the transaction that records it. */
export class BytesVanished extends Error {
  override readonly name = 'BytesVanished';
}

/** A file whose bytes passed every check. */
export type Arrival<F extends IncomingFile = IncomingFile> = F & {
  readonly title: string;
  readonly mimeType: string;
  readonly received: ReceivedFile;
};

/** Where the bytes of an arrival were put. */
export interface StoredAt {
  readonly filePath: string;
  readonly key: string;
}

/** Writes down what became of a file, on one kind of route. */
export interface Recorder<F extends IncomingFile, R> {
  /** Only says what would become of the file: its bytes are not stored. */
  readonly isPreview?: true;
  /** Makes everything that is true from now on true at once. Throws BytesVanished. */
  arrival(deps: IngestDeps, arrival: Arrival<F>, stored: StoredAt): Promise<R>;
  refusal(deps: IngestDeps, file: F, refusal: Refusal, received: ReceivedFile | undefined): Promise<R>;
}

/** How often the bytes are stored anew because someone removed the object of a deleted document at that very moment. */
const MAX_STORE_ATTEMPTS = 3;

/** The way of every file: judged, received, judged by its contents, stored, recorded. Throws as `ingest` does. */
export const takeIn = <F extends IncomingFile, R>(file: F, deps: IngestDeps, recorder: Recorder<F, R>): Promise<R> =>
  inSpan('ingest', { 'sheaf.route': file.route }, () => judgeAndStore(file, deps, recorder));

const judgeAndStore = async <F extends IncomingFile, R>(file: F, deps: IngestDeps, recorder: Recorder<F, R>): Promise<R> => {
  const filename = cleanFilename(file.filename);
  const kind = findKindByExtension(extensionOf(filename));
  const refusal = refuseName(file, filename, kind);
  const refuse = (why: Refusal, received?: ReceivedFile): Promise<R> =>
    recorder.refusal(deps, { ...file, ledgerPath: toLedgerPath(file.ledgerPath) }, why, received);
  if (kind === undefined || refusal !== undefined) return refuse(refusal ?? unknownType(filename, '', file.allowedExtensions));

  await deps.queue?.enter();
  await using destination = new Destination(deps.temp);
  const received = await inSpan('receive', {}, () => receive(file.body, destination, file));
  if (file.confirm !== undefined && !(await file.confirm())) throw new FileChanged(`${file.ledgerPath} changed while being read`);
  if (received === undefined) return await refuse(tooLarge(filename, file.maxBytes));
  const problem = await refuseContents(received, filename, kind, file, deps);
  if (problem !== undefined) return await refuse(problem, received);
  return await store(deps, await toArrival(file, filename, kind, received), recorder); // awaited here, or a temporary file would go too early
};

const toArrival = async <F extends IncomingFile>(
  file: F,
  filename: string,
  kind: FileKind,
  received: ReceivedFile,
): Promise<Arrival<F>> => {
  const wishes = { ...file, ...(await file.lateWishes?.()) };
  const title = titleFor(wishes.title, filename);
  return { ...wishes, ledgerPath: toLedgerPath(file.ledgerPath), title, filename, mimeType: kind.mimeType, received };
};

const refuseName = ({ allowedExtensions }: IncomingFile, filename: string, kind: FileKind | undefined): Refusal | undefined => {
  const extension = extensionOf(filename);
  if (kind === undefined) return unknownType(filename, extension, allowedExtensions);
  return allowedExtensions.includes(extension) ? undefined : typeNotAllowed(filename, extension, allowedExtensions);
};

const refuseContents = async (
  { content, sizeBytes }: ReceivedFile,
  filename: string,
  kind: FileKind,
  { signal }: IncomingFile,
  { typeCheck }: IngestDeps,
): Promise<Refusal | undefined> => {
  if (sizeBytes === 0) return emptyFile(filename);
  const match = await typeCheck.match(content, kind, signal);
  if (match.isMatch) return undefined;
  if (match.notEinvoice === true) return notEinvoice(filename);
  return match.unknown === true
    ? typeCheckFailed(filename, extensionOf(filename))
    : typeMismatch(filename, extensionOf(filename), match.found);
};

const store = async <F extends IncomingFile, R>(deps: IngestDeps, arrival: Arrival<F>, recorder: Recorder<F, R>): Promise<R> => {
  const { content, sizeBytes, sha256 } = arrival.received;
  const key = documentKey(sha256);
  describeSpan({ 'sheaf.document.mime_type': arrival.mimeType, 'sheaf.document.bytes': sizeBytes });
  if (recorder.isPreview) return recorder.arrival(deps, arrival, { filePath: deps.storage.pathOf(key), key });
  for (let attempt = 1; ; attempt += 1) {
    arrival.signal?.throwIfAborted();
    const { path: filePath } = await inSpan('store', { 'sheaf.document.bytes': sizeBytes }, () => deps.storage.put(key, content));
    try {
      return await inSpan('record', {}, () => recorder.arrival(deps, arrival, { filePath, key }));
    } catch (error) {
      if (!(error instanceof BytesVanished) || attempt === MAX_STORE_ATTEMPTS) throw error;
    }
  }
};
