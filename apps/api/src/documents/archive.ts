import type { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { AppError } from '@sheaf/contract';
import type { SelectedDocument } from '@sheaf/documents';
import { englishMessage } from '@sheaf/messages/english';
import { documentKey, fileDamaged, type Storage } from '@sheaf/storage';
import { makeZip } from 'client-zip';
import { ArchiveNames } from './archive-names.ts';

type ArchivedDocument = Pick<SelectedDocument, 'id' | 'filename' | 'sizeBytes' | 'sha256' | 'createdAt'>;

/** Of one document the file is gone or damaged. Anything else is wrong with the storage, so with all of them. */
const isOfOneFile = (error: unknown): boolean => error instanceof AppError && error.kind === 'NOT_FOUND';

const openWhole = async (storage: Storage, { sha256, sizeBytes }: ArchivedDocument): Promise<Readable> => {
  const key = documentKey(sha256);
  const opened = await storage.open(key);
  if (opened.sizeBytes === sizeBytes) return opened.stream;
  opened.stream.destroy();
  throw fileDamaged(key);
};

/** The bytes of a file, up to where they are found damaged, which `note` is told. */
async function* bytesOf(stream: Readable, signal: AbortSignal, note: () => void): AsyncGenerator<Uint8Array> {
  const stop = (): void => void stream.destroy();
  signal.addEventListener('abort', stop);
  try {
    if (signal.aborted) return;
    yield* stream as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (!isOfOneFile(error)) throw error;
    note();
  } finally {
    signal.removeEventListener('abort', stop);
    stream.destroy();
  }
}

const reportOn = (missing: readonly ArchivedDocument[]): string =>
  [englishMessage('archive.missing'), '', ...missing.map(({ id, filename }) => `${id}  ${filename.replaceAll(/\p{C}/gu, '')}`), ''].join(
    '\r\n',
  );

async function* entriesOf(documents: readonly ArchivedDocument[], storage: Storage, signal: AbortSignal) {
  const names = new ArchiveNames();
  const missing: ArchivedDocument[] = [];
  for (const document of documents) {
    if (signal.aborted) return;
    const stream = await openWhole(storage, document).catch((error: unknown) => {
      if (!isOfOneFile(error)) throw error;
    });
    if (stream === undefined) missing.push(document);
    else
      yield {
        name: names.add(document.filename),
        lastModified: document.createdAt,
        input: bytesOf(stream, signal, () => missing.push(document)),
      };
  }
  if (missing.length > 0) yield { name: names.add(`${englishMessage('archive.missingName')}.txt`), input: reportOn(missing) };
}

/**
 * A ZIP of the files, made while it is read: one file is open at a time, and nothing is compressed, as nearly all files are already.
 * Files that are missing or damaged are named in a text file at its end. Reading stops when `signal` aborts.
 */
export const makeArchive = (documents: readonly ArchivedDocument[], storage: Storage, signal: AbortSignal): ReadableStream<Uint8Array> =>
  makeZip(entriesOf(documents, storage, signal)) as ReadableStream<Uint8Array>;
