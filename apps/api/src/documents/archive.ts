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

/** What of a document goes into the archive. */
export interface ArchivedFile {
  readonly key: string;
  readonly sizeBytes: number;
  readonly filename: string;
}

export const originalFile = ({ sha256, sizeBytes, filename }: ArchivedDocument): ArchivedFile => ({
  key: documentKey(sha256),
  sizeBytes,
  filename,
});

const openWhole = async (storage: Storage, { key, sizeBytes }: ArchivedFile): Promise<Readable> => {
  const opened = await storage.open(key);
  if (opened.sizeBytes === sizeBytes) return opened.stream;
  opened.stream.destroy();
  throw fileDamaged(key);
};

const openFile = async (
  storage: Storage,
  find: () => ArchivedFile | Promise<ArchivedFile>,
): Promise<{ readonly filename: string; readonly stream: Readable }> => {
  const file = await find();
  return { filename: file.filename, stream: await openWhole(storage, file) };
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

async function* entriesOf<Archived extends ArchivedDocument>(
  documents: readonly Archived[],
  storage: Storage,
  fileOf: (document: Archived) => ArchivedFile | Promise<ArchivedFile>,
  signal: AbortSignal,
) {
  const names = new ArchiveNames();
  const missing: ArchivedDocument[] = [];
  for (const document of documents) {
    if (signal.aborted) return;
    const opened = await openFile(storage, () => fileOf(document)).catch((error: unknown) => {
      if (!isOfOneFile(error)) throw error;
    });
    if (opened === undefined) missing.push(document);
    else
      yield {
        name: names.add(opened.filename),
        lastModified: document.createdAt,
        input: bytesOf(opened.stream, signal, () => missing.push(document)),
      };
  }
  if (missing.length > 0) yield { name: names.add(`${englishMessage('archive.missingName')}.txt`), input: reportOn(missing) };
}

/**
 * A ZIP of the files, made while it is read: one file is open at a time, and nothing is compressed, as nearly all files are already.
 * Files that are missing or damaged are named in a text file at its end. Reading stops when `signal` aborts. `fileOf` says which file of a
 * document it is.
 */
export const makeArchive = <Archived extends ArchivedDocument>(
  documents: readonly Archived[],
  storage: Storage,
  fileOf: (document: Archived) => ArchivedFile | Promise<ArchivedFile>,
  signal: AbortSignal,
): ReadableStream<Uint8Array> => makeZip(entriesOf(documents, storage, fileOf, signal)) as ReadableStream<Uint8Array>;
