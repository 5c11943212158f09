import { type FileHandle, open, rm, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { codedError, invalidInput, makeIssue, reasonedError } from '@sheaf/contract';
import { type ImportFolder, importFolder } from '@sheaf/imports/runs';
import { makeFolder } from '@sheaf/process/machine';
import { withStorageErrors } from '@sheaf/storage';

/** How ZIP files begin; empty ones begin with their end. */
const SIGNATURE = Buffer.from('504b', 'hex');
const MODE = 0o600;

const notZip = () => {
  const issue = makeIssue('file', 'zip_file_needed');
  return invalidInput('body', [issue]);
};

/** Writes `body`, which stays open when it is refused: the parser of the form goes on with what is behind it. */
const writeBody = async (body: Readable, handle: FileHandle, maxBytes: number, signal: AbortSignal): Promise<void> => {
  let bytes = 0;
  try {
    for await (const piece of body.iterator({ destroyOnReturn: false })) {
      signal.throwIfAborted();
      const chunk = piece as Buffer;
      if (bytes === 0 && !chunk.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw notZip();
      bytes += chunk.length;
      if (bytes > maxBytes) throw reasonedError('VALIDATION_ERROR', 'too_large', { max_bytes: maxBytes });
      await handle.writeFile(chunk);
    }
  } catch (error) {
    throw body.errored === null || body.errored === undefined ? error : codedError('VALIDATION_ERROR', 'INCOMPLETE_FILE', {}, error);
  }
  if (bytes === 0) throw notZip();
};

export interface ArchivePlace {
  /** Of all imports. */
  readonly base: string;
  /** Of this one. */
  readonly id: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** The folder of an import, made. */
export const makeImportFolder = async (base: string, id: string): Promise<ImportFolder> => {
  const folder = importFolder(base, id);
  await withStorageErrors(folder.path, () => makeFolder(folder.path));
  return folder;
};

/**
 * Stores an uploaded ZIP file in the folder of an import; what is refused or incomplete is removed. Throws VALIDATION_ERROR for a file
 * that is too large or no ZIP file, and SERVICE_UNAVAILABLE where it cannot be stored.
 */
export const receiveArchive = async (body: Readable, { base, id, maxBytes, signal }: ArchivePlace): Promise<void> => {
  const folder = await makeImportFolder(base, id);
  try {
    await withStorageErrors(folder.upload, async () => {
      await using handle = await open(folder.upload, 'wx', MODE);
      await writeBody(body, handle, maxBytes, signal);
      await handle.sync();
    });
  } catch (error) {
    await rm(folder.path, { recursive: true, force: true });
    throw error;
  }
};

/** Keeps the passphrase of an export for as long as its import needs it. */
export const keepPassphrase = async (base: string, id: string, passphrase: string): Promise<void> => {
  const folder = await makeImportFolder(base, id);
  await withStorageErrors(folder.path, () => writeFile(folder.passphrase, passphrase, { mode: MODE }));
};
